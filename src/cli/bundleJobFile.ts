import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type BundleFile, createJobFileService } from '../jobfile/services/jobFileService.ts';
import { AppError } from '../shared/errors.ts';
import { usageError } from './commandLine.ts';
import { type JobFile, readJobFile, readJobText, refused } from './deployFile.ts';

export interface RunnableFile extends JobFile {
  /** The folder for paths of the workspace, if the file gives it. */
  readonly root?: string;
}

export interface BundleChoice {
  /** `--url`, `--root` and `--job`. */
  readonly url?: string;
  readonly root?: string;
  readonly job?: string;
}

const service = createJobFileService();
const mainNames = ['databricks.yml', 'databricks.yaml', 'bundle.yml', 'bundle.yaml'];

/**
 * Reads a job file, or one job of a bundle's file as the local service runs it, with the values of the bundle's default target.
 * @throws AppError if it cannot be read, has an error, or does not tell which job is meant
 */
export async function readRunnable(path: string, { url, root: chosenRoot, job }: BundleChoice): Promise<RunnableFile> {
  const text = await readJobText(path);
  const document = service.read(text);
  const keys = service.bundleJobs(document).map(({ key }) => key);
  if (keys.length === 0) {
    if (job !== undefined) throw usageError(`--job chooses a job of a bundle, and ${path} has none`);
    return readJobFile(path);
  }
  if (url !== undefined)
    throw usageError(`${path} belongs to a bundle, whose own command line deploys it; here it runs without --url`);
  const problems = service.validate(document, { ignoreSuppression: true });
  if (problems.some(({ severity }) => severity === 'error')) throw refused(path, text, problems);
  const key = job ?? (keys.length === 1 ? keys[0] : undefined);
  if (key === undefined) throw usageError(`${path} has several jobs; choose one of ${keys.join(', ')} with --job`);
  const given = chosenRoot ?? (process.env['MILLRACE_ROOT'] || undefined);
  const folder = dirname(resolve(path));
  const top = given === undefined ? undefined : resolve(given);
  if (top !== undefined && !`${folder}${sep}`.startsWith(top.endsWith(sep) ? top : `${top}${sep}`))
    throw usageError(`${path} is outside of ${top}`);
  const main = mainFileAbove(folder, top);
  const root = top ?? dirname(main ?? resolve(path));
  const placed = async (file: string): Promise<BundleFile> => ({
    document: service.read(await readJobText(file)),
    folder: `/${relative(root, dirname(resolve(file)))
      .split(sep)
      .join('/')}`,
  });
  const own = await placed(path);
  const settings = service.bundleJob(own, key, {
    main: main === undefined || main === resolve(path) ? own : await placed(main),
    userName: userInfo().username,
  });
  if (typeof settings === 'string') throw new AppError('invalid', `${key} of ${path} was not run. ${settings}`);
  return { path: `${resolve(path)}#${key}`, settings, document, root };
}

/**
 * Returns the path of the bundle's main file, in the nearest folder above that has one.
 * @param top the highest folder to look in
 */
function mainFileAbove(folder: string, top?: string): string | undefined {
  for (let place = folder; ; place = dirname(place)) {
    const name = mainNames.find((one) => existsSync(join(place, one)));
    if (name !== undefined) return join(place, name);
    if (place === top || place === dirname(place)) return undefined;
  }
}
