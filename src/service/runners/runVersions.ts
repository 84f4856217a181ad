import { open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileMap } from '../base/fileMap.ts';
import type { Python } from './python.ts';
import type { RunnerLibrary, RunRequest } from './runner.ts';
import { runFiles } from './runOutput.ts';

/** Maximum number of packages named; a reader looks for a few. */
const maxNamed = 12;
/** Imports are at the top. */
const readBytes = 256 * 1024;

/** Packages whose import name differs from their package name. */
const packageOfImport: Readonly<Record<string, string>> = {
  bs4: 'beautifulsoup4',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  PIL: 'Pillow',
  sklearn: 'scikit-learn',
  yaml: 'PyYAML',
};

/**
 * Records the Python and packages of a run of a Python file or notebook. @returns a sentence about versions that differ from the job's pins
 */
export async function noteVersions(
  { task, clusterSpec, folder }: RunRequest,
  python: Python | undefined,
  files: FileMap,
): Promise<string | undefined> {
  const { spark_python_task: file, notebook_task: notebook } = task;
  if (!python || !(file ?? notebook)) return undefined;
  const code = file
    ? files.existingFile(file.python_file, 'Python file')
    : files.notebook(notebook?.notebook_path ?? '').then(({ path }) => path);
  const codeFile = await code.catch(() => undefined);
  const { line, differing } = await findVersions(python, clusterSpec.libraries ?? [], codeFile);
  await writeFile(join(folder, runFiles.versions), line);
  return differing;
}

/** Python and packages of a run. */
interface RunVersions {
  /** For the head of its output: `Python 3.11.2, pandas 2.2.1`. */
  readonly line: string;
  /** A sentence about the pinned versions that are not installed. */
  readonly differing: string | undefined;
}

/**
 * Finds the versions of Python, of the packages in the job's libraries and of those that its code imports. Packages that are not installed
 * are left out. Runs nothing.
 * @param codeFile path of the Python file or notebook
 */
async function findVersions(
  python: Pick<Python, 'version' | 'sitePackages'>,
  libraries: readonly RunnerLibrary[],
  codeFile: string | undefined,
): Promise<RunVersions> {
  const installed = await installedPackages(python.sitePackages ?? []);
  const pins = libraries.map(pinOf).filter((pin) => pin !== undefined);
  const code = codeFile === undefined ? '' : await beginningOf(codeFile);
  const named = [...pins.map(({ name }) => name), ...importsOf(code)].map(normalized);
  const found = [...new Set(named)].flatMap((name) => installed.get(name) ?? []);
  const shown = found.slice(0, maxNamed).map(({ name, version }) => `${name} ${version}`);
  const differing = pins.flatMap(({ name, version }) => {
    const here = installed.get(normalized(name));
    return here && version !== undefined && !isSameVersion(here.version, version)
      ? [`${here.name} ${here.version}, and the job pins ${version}`]
      : [];
  });
  return {
    line: [`Python ${python.version}`, ...shown, ...(found.length > maxNamed ? ['…'] : [])].join(', '),
    differing:
      differing.length === 0 ? undefined : `It ran with ${differing.join('; ')}: what works here may fail there.`,
  };
}

/** Returns the package that a library names, with its version if it is pinned exactly. */
function pinOf({ pypi, whl }: RunnerLibrary): { name: string; version?: string } | undefined {
  if (whl?.endsWith('.whl')) {
    const [name, version, ...tags] = (whl.split(/[/\\]/).at(-1) ?? '').split('-');
    return name === undefined || version === undefined || tags.length === 0 ? undefined : { name, version };
  }
  const requirement = pypi?.package.trim() ?? '';
  const name = /^[A-Za-z0-9][\w.-]*/.exec(requirement)?.[0];
  if (name === undefined) return undefined;
  const version = /^[\w.-]+(?:\[[^\]]*\])? *===? *([^\s,;*=]+) *(?:;|$)/.exec(requirement)?.[1];
  return version === undefined ? { name } : { name, version };
}

/** Returns the top-level names that Python code imports, even within the JSON of a notebook. */
function importsOf(code: string): string[] {
  const names: string[] = [];
  for (const [, keyword, rest = ''] of code.matchAll(/^[ \t"]*(import|from)[ \t]+([^\n#"\\]*)/gm))
    for (const part of keyword === 'import' ? rest.split(',') : [rest]) {
      const name = /^\s*([A-Za-z_]\w*)/.exec(part)?.[1];
      if (name !== undefined) names.push(packageOfImport[name] ?? name);
    }
  // Notebooks have a Spark session without importing it.
  if (/\bspark\./.test(code)) names.push('pyspark');
  return names;
}

/** Returns the installed packages by normalized name: the first folder with a package is the one imported. */
async function installedPackages(folders: readonly string[]): Promise<Map<string, { name: string; version: string }>> {
  const found = new Map<string, { name: string; version: string }>();
  for (const folder of folders)
    for (const entry of await readdir(folder).catch(() => [])) {
      const [, name, version] = /^([^-]+)-([^-]+)(?:-[^-]*)?\.(?:dist|egg)-info$/.exec(entry) ?? [];
      if (name === undefined || version === undefined || found.has(normalized(name))) continue;
      found.set(normalized(name), { name: name.replaceAll('_', '-'), version });
    }
  return found;
}

/** Normalizes a name as pip does. */
function normalized(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase();
}

/** Compares versions: `2.0` and `2.0.0` are equal, and so are `2.0+local` and `2.0`. */
function isSameVersion(installed: string, pinned: string): boolean {
  const plain = (version: string): string => {
    const parts = (version.split('+')[0] ?? '').toLowerCase().split('.');
    while (parts.at(-1) === '0') parts.pop();
    return parts.join('.');
  };
  return plain(installed) === plain(pinned);
}

/** Returns an empty string if the file cannot be read: the run itself reports it. */
async function beginningOf(path: string): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(readBytes), 0, readBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}
