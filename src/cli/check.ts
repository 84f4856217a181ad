import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createJobFileService, type Problem } from '../jobfile/services/jobFileService.ts';
import { AppError } from '../shared/errors.ts';
import { formats, isFormat, type FoundProblem } from './checkFormats.ts';
import { type CommandName, exitCodes, type Invocation, parseParameters, usageError } from './commandLine.ts';
import { output, readText } from './print.ts';

const service = createJobFileService();

/** Reports the problems of job files with the editor's messages. */
export async function check({ parameters, signal }: Invocation): Promise<number> {
  const { values, positionals } = parseParameters(parameters, {
    format: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (values.json && values.format !== undefined && values.format !== 'json')
    throw usageError('--json and --format cannot be combined');
  const format = values.json ? 'json' : (values.format ?? 'text');
  if (!isFormat(format)) throw usageError(`--format ${format} is not one of ${Object.keys(formats).join(', ')}`);
  const files = await namedJobFiles('check', positionals);
  const found: FoundProblem[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    found.push(...(await problemsOf(file)));
  }
  output.write(formats[format](found, [...files]));
  return found.some(({ severity }) => severity === 'error') ? exitCodes.failed : exitCodes.ok;
}

/** Returns the job files that a command's arguments name, without duplicates. @throws AppError if there are none */
export async function namedJobFiles(command: CommandName, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) throw usageError(`${command} needs the files to ${command}`);
  return new Set((await Promise.all(paths.map(jobFilesAt))).flat());
}

const jobFileName = /\.job\.(?:ya?ml|json)$/;

/** Returns the file itself, or the job files in a folder and its subfolders. */
async function jobFilesAt(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    // Links are followed, so that a broken one is reported, too.
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && jobFileName.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(?:^|[\\/])node_modules[\\/]/.test(file))
    .sort();
  if (files.length === 0)
    throw new AppError('invalid', `There is no job file in ${path}; nothing was done.`, {
      remedy: 'Name the files, or a folder with files such as etl.job.yml.',
    });
  return files;
}

/** Returns the problems of a file; that it cannot be read is one. */
export async function problemsOf(file: string): Promise<FoundProblem[]> {
  let text;
  try {
    text = await readText(file);
  } catch (error) {
    const message = `The file could not be read: ${(error as Error).message}.`;
    return [{ file, line: 1, column: 1, severity: 'error', code: 'unreadable', message }];
  }
  return positioned(file, text, problemsIn(text, file));
}

/** Returns the problems that the editor shows and every error that prevents a deploy, even if suppressed. */
function problemsIn(text: string, file: string): readonly Problem[] {
  const { document, problems } = service.parse(text, file);
  if (problems.some(({ code }) => code === 'bundleFile')) return service.validate(document);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const others = errors.length < problems.length ? service.validate(document) : [];
  return [...errors, ...others.filter(({ severity }) => severity !== 'error')].sort(
    (one, other) => one.start - other.start,
  );
}

/** Returns the problems with lines and columns counted from 1; columns count UTF-16 units. */
export function positioned(file: string, text: string, problems: readonly Problem[]): FoundProblem[] {
  let [line, lineStart, at] = [1, 0, 0];
  return problems.map(({ start, severity, code, message }) => {
    for (; at < start; at++) {
      if (text[at] !== '\n') continue;
      line++;
      lineStart = at + 1;
    }
    return { file, line, column: start - lineStart + 1, severity, code, message };
  });
}

/** Prints the JSON Schema of job files. */
export async function schema({ parameters }: Invocation): Promise<number> {
  const { positionals } = parseParameters(parameters, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw usageError('schema takes nothing');
  output.write(`${JSON.stringify(service.jsonSchema(), null, 2)}\n`);
  return exitCodes.ok;
}
