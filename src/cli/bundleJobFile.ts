import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type BundleFile, createJobFileService } from '../jobfile/services/jobFileService.ts';
import { AppError } from '../shared/errors.ts';
import { userName } from '../shared/node/userName.ts';
import { usageError } from './commandLine.ts';
import { type JobFile, readJobFile, readJobText, refused } from './deployFile.ts';
import { projectFolder } from './openService.ts';

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
    if (service.isBundle(document))
      throw usageError(`${path} belongs to a bundle and has no job of its own; name the file that defines the job`);
    if (job !== undefined) throw usageError(`--job chooses a job of a bundle, and ${path} belongs to none`);
    return readJobFile(path);
  }
  if (url !== undefined)
    throw usageError(`${path} belongs to a bundle, whose own command line deploys it; here it runs without --url`);
  const problems = service.validate(document, { ignoreSuppression: true });
  if (problems.some(({ severity }) => severity === 'error')) throw refused(path, text, problems);
  const key = job ?? (keys.length === 1 ? keys[0] : undefined);
  if (key === undefined) throw usageError(`${path} has several jobs; choose one of ${keys.join(', ')} with --job`);
  const file = realpathSync.native(path);
  const folder = dirname(file);
  const given = chosenRoot ?? (process.env['MILLRACE_ROOT'] || undefined);
  const top = given === undefined ? undefined : existsSync(given) ? realpathSync.native(given) : resolve(given);
  if (top !== undefined && !isWithin(top, folder))
    throw usageError(`${path} is outside of the folder ${top}, which --root or MILLRACE_ROOT names`);
  const main = mainFileAbove(folder, top);
  const root = top ?? rootOf(folder, dirname(main ?? file));
  const placed = async (one: string): Promise<BundleFile> => ({
    document: service.read(await readJobText(one)),
    folder: `/${relative(root, dirname(one)).split(sep).join('/')}`,
  });
  const own = await placed(file);
  const settings = service.bundleJob(own, key, {
    main: main === undefined || main === file ? own : await placed(main),
    userName: userName(),
  });
  if (typeof settings === 'string') throw new AppError('invalid', `${key} of ${path} was not run. ${settings}`);
  return { path: `${file}#${encodeURIComponent(key)}`, key, settings, document, root };
}

/** Returns whether the folder is the outer one or lies in it. */
function isWithin(outer: string, folder: string): boolean {
  const way = relative(outer, folder);
  return way === '' || (!/^\.\.(?:[\\/]|$)/.test(way) && !isAbsolute(way));
}

/** Returns the root of the repository, whose bundles share one local service, or the bundle's own folder if it has none around it. */
function rootOf(folder: string, bundle: string): string {
  const project = projectFolder(folder);
  return existsSync(join(project, '.git')) && isWithin(project, bundle) ? project : bundle;
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
