import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import { findOnPath } from './commandProbe.ts';
import type { ProcessEnd } from './managedProcess.ts';
import { installPrograms, scriptFile } from './programs.ts';
import { examinePython, type Python } from './python.ts';
import { makeEnvironment } from './pythonEnvironment.ts';
import type { RunnerLibrary } from './runner.ts';
import { runFiles } from './runOutput.ts';

/** What a set of libraries adds to a run. */
export interface InstalledLibraries<P extends Python | undefined = Python | undefined> {
  /** The Python for the run; `undefined` only if the machine has none and the task needs none. */
  python: P | Python;
  /** Variables with which the libraries are found. */
  readonly environment: Record<string, string>;
  /** Absolute paths of JAR files. */
  readonly jars: string[];
  /** Maven coordinates, which Spark downloads. */
  readonly packages: string[];
  readonly repositories: string[];
  readonly exclusions: string[];
}

interface LibraryInstallation {
  readonly signal: AbortSignal;
  /** Runs a command with the run's environment and log. */
  run(command: string, parameters: readonly string[], environment?: Record<string, string>): Promise<ProcessEnd>;
}

export interface LibraryInstaller {
  /**
   * Installs the libraries (Jobs API 2.0, Library) into an environment per set of libraries, which every run with the same set shares.
   *
   * @throws AppError `invalid`, `notFound`, `unavailable` or `rejected` if a library is not available
   */
  install<P extends Python | undefined>(
    libraries: readonly RunnerLibrary[],
    python: P,
    installation: LibraryInstallation,
  ): Promise<InstalledLibraries<P>>;
}

/** A library whose files have been found and read. */
interface Resolved {
  readonly wheels: string[];
  readonly wheelhouses: string[];
  readonly eggs: string[];
  readonly requirements: { requirement: string; repo?: string }[];
  readonly cran: { name: string; repo: string }[];
  readonly jars: string[];
  readonly packages: string[];
  readonly repositories: string[];
  readonly exclusions: string[];
  /** Changes whenever a file of the set changes. */
  readonly digests: string[];
}

export const readyFile = 'ready.json';

/** Returns the folder with one subfolder for each set of libraries. */
export function environmentsFolder(dataFolder: string): string {
  return join(dataFolder, 'environments');
}
const defaultCran = 'https://cloud.r-project.org';

// By folder, for this process: two runs with the same set build it once.
const building = new Map<string, Promise<Python>>();

export function createLibraryInstaller(options: { dataFolder: string; files: FileMap }): LibraryInstaller {
  async function environmentFor(
    set: Resolved,
    python: Python,
    installation: LibraryInstallation,
  ): Promise<{ python: Python; folder: string }> {
    const key = createHash('sha256')
      .update(
        JSON.stringify([
          python.command,
          python.version,
          set.digests,
          set.requirements,
          set.cran,
          set.wheels,
          set.wheelhouses,
        ]),
      )
      .digest('hex')
      .slice(0, 24);
    const folder = join(environmentsFolder(options.dataFolder), key);
    for (;;) {
      const ready = await readReady(folder);
      if (ready) return { python: ready, folder };
      const underWay = building.get(folder);
      if (underWay) {
        // If the other run fails or is canceled, this one tries itself.
        await Promise.race([underWay.catch(() => undefined), whenAborted(installation.signal)]);
        installation.signal.throwIfAborted();
        continue;
      }
      const work = build({ folder, dataFolder: options.dataFolder, set, python, installation });
      building.set(folder, work);
      try {
        return { python: await work, folder };
      } finally {
        building.delete(folder);
      }
    }
  }

  return {
    async install<P extends Python | undefined>(
      libraries: readonly RunnerLibrary[],
      python: P,
      installation: LibraryInstallation,
    ) {
      const set = await resolve(libraries, options.files);
      const { jars, packages, repositories, exclusions } = set;
      const result: InstalledLibraries<P> = { python, environment: {}, jars, packages, repositories, exclusions };
      if (set.eggs.length > 0)
        result.environment['PYTHONPATH'] = [...set.eggs, process.env['PYTHONPATH']].filter(Boolean).join(delimiter);
      if (set.wheels.length + set.wheelhouses.length + set.requirements.length + set.cran.length > 0) {
        if (!python)
          throw new AppError('unavailable', 'Libraries cannot be installed, because there is no Python.', {
            remedy: 'Install Python 3.',
          });
        const made = await environmentFor(set, python, installation);
        result.python = made.python;
        if (set.cran.length > 0) result.environment['R_LIBS'] = join(made.folder, 'r');
      }
      const submit = sparkOptions(result);
      if (submit.length > 0)
        result.environment['PYSPARK_SUBMIT_ARGS'] = `${submit.map(quoteForShell).join(' ')} pyspark-shell`;
      return result;
    },
  };
}

/** Returns the options of spark-submit for JAR and Maven libraries. */
export function sparkOptions(
  libraries: Pick<InstalledLibraries, 'jars' | 'packages' | 'repositories' | 'exclusions'>,
): string[] {
  const option = (name: string, values: readonly string[]): string[] =>
    values.length > 0 ? [name, values.join(',')] : [];
  return [
    ...option('--jars', libraries.jars),
    ...option('--packages', libraries.packages),
    ...option('--repositories', libraries.repositories),
    ...option('--exclude-packages', libraries.exclusions),
  ];
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`;
}

async function resolve(libraries: readonly RunnerLibrary[], files: FileMap): Promise<Resolved> {
  const set: Resolved = {
    wheels: [],
    wheelhouses: [],
    eggs: [],
    requirements: [],
    cran: [],
    jars: [],
    packages: [],
    repositories: [],
    exclusions: [],
    digests: [],
  };
  const file = async (uri: string, what: string, into: string[]): Promise<void> => {
    for (const each of await matchingFiles(uri, what, files)) {
      const path = await files.existingFile(each, what);
      into.push(path);
      if (into !== set.jars && into !== set.eggs) set.digests.push(await digestOf(path));
    }
  };
  for (const library of libraries) {
    if (library.jar) await file(library.jar, 'JAR library', set.jars);
    else if (library.egg) await file(library.egg, 'Egg library', set.eggs);
    else if (library.whl)
      await file(library.whl, 'Wheel library', library.whl.endsWith('.wheelhouse.zip') ? set.wheelhouses : set.wheels);
    else if (library.pypi)
      set.requirements.push({
        requirement: plain(library.pypi.package, 'package'),
        repo: library.pypi.repo ? plain(library.pypi.repo, 'repo') : undefined,
      });
    else if (library.maven) addMaven(set, library.maven);
    else if (library.cran)
      set.cran.push({
        name: plain(library.cran.package, 'package'),
        repo: plain(library.cran.repo ?? defaultCran, 'repo'),
      });
  }
  return set;
}

/**
 * Returns the paths of the files that a pattern such as `/dist/*.whl` matches; the path itself if its last part has no `*`.
 * @throws AppError `notFound` if no file matches
 */
async function matchingFiles(uri: string, what: string, files: FileMap): Promise<readonly string[]> {
  const folder = uri.slice(0, uri.lastIndexOf('/') + 1);
  const parts = uri.slice(folder.length).split('*');
  if (folder === '' || parts.length === 1) return [uri];
  const place = await files.locate(folder);
  const names = await readdir(place).catch(() => []);
  const matching = names.filter((name) => matches(name, parts)).toSorted();
  if (matching.length === 0)
    throw new AppError(
      'notFound',
      `${what} ${uri} was not found: no file in ${place} has such a name; nothing was run.`,
      {
        remedy: 'Build it first, or correct the path in the job.',
      },
    );
  return matching.map((name) => folder + name);
}

/** Returns whether a name consists of the parts, with any text between them. */
function matches(name: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  let end = first.length;
  for (const part of rest) {
    const start = name.indexOf(part, end);
    if (start < 0) return false;
    end = start + part.length;
  }
  return name.startsWith(first) && name.endsWith(last) && name.length - last.length >= end;
}

function addMaven(set: Resolved, maven: NonNullable<RunnerLibrary['maven']>): void {
  if (!/^[^\s,:]+:[^\s,:]+:[^\s,:]+(:[^\s,:]+){0,2}$/.test(maven.coordinates)) {
    throw new AppError(
      'invalid',
      `The Maven coordinates ${maven.coordinates} were not used: they are not of the form group:artifact:version.`,
      { remedy: 'Correct the library of the job.' },
    );
  }
  set.packages.push(maven.coordinates);
  if (maven.repo) set.repositories.push(plain(maven.repo, 'repo'));
  set.exclusions.push(...(maven.exclusions ?? []).map((each) => plain(each, 'exclusion')));
}

/** Returns a value that a command cannot mistake for an option. */
function plain(text: string, what: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.startsWith('-') || /[\0\r\n]/.test(trimmed)) {
    throw new AppError('invalid', `The library's ${what} ${JSON.stringify(text)} was not used: it is not a name.`, {
      remedy: 'Correct the library of the job.',
    });
  }
  return trimmed;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function readReady(folder: string): Promise<Python | undefined> {
  try {
    const python = JSON.parse(await readFile(join(folder, readyFile), 'utf8')) as Python;
    // Environments of an earlier version of the service are built again.
    if (python.packagesPath === undefined) return undefined;
    // The time of last use decides which environments may be removed.
    await utimes(join(folder, readyFile), new Date(), new Date());
    return python;
  } catch {
    return undefined;
  }
}

interface BuildPlan {
  readonly folder: string;
  readonly dataFolder: string;
  readonly set: Resolved;
  python: Python;
  readonly installation: LibraryInstallation;
}

/** Exit code of run_pip.py if there is no pip and none could be installed. */
const noPipExitCode = 87;

/** Builds in place, because an environment cannot be moved; it is valid only once its last file exists. */
async function build({ folder, dataFolder, set, python, installation }: BuildPlan): Promise<Python> {
  const run = async (
    what: string,
    command: string,
    parameters: string[],
    environment?: Record<string, string>,
  ): Promise<void> => {
    const end = await installation.run(command, parameters, environment);
    installation.signal.throwIfAborted();
    if (end.exitCode === 0) return;
    const reason =
      end.errorTail
        .trim()
        .split('\n')
        .filter((line) => !/^(\[notice\]|WARNING)/.test(line))
        .at(-1)
        ?.slice(0, 500) ?? '';
    const remedy = `Its whole output is in the run's ${runFiles.setup}. Correct the libraries of the job and run it again.`;
    if (end.exitCode !== noPipExitCode)
      throw new AppError('rejected', `${what} failed, so the run was not started. ${reason}`, { remedy });
    const [message, command_] = reason.split(' Run: ');
    throw new AppError('unavailable', `${what} failed, so the run was not started. ${message}`, {
      remedy: command_ ? `Run: ${command_}` : remedy,
    });
  };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const programs = await installPrograms(dataFolder);
  const python3 = await makeEnvironment({
    folder,
    python,
    pipScript: programs.pip,
    run: (...command) => run('Creating an environment for the libraries', ...command),
  });
  const pip = [programs.pip, 'install', '--disable-pip-version-check', '--no-input'];
  for (const wheelhouse of set.wheelhouses)
    await run(`Installing ${wheelhouse}`, python3, [programs.wheelhouse, wheelhouse]);
  const wheelsAndDefaults = [
    ...set.wheels,
    ...set.requirements.filter((each) => !each.repo).map((each) => each.requirement),
  ];
  if (wheelsAndDefaults.length > 0)
    await run(`Installing ${wheelsAndDefaults.join(', ')}`, python3, [...pip, ...wheelsAndDefaults]);
  for (const [repo, group] of Map.groupBy(set.requirements, (each) => each.repo)) {
    if (!repo) continue;
    const names = group.map((each) => each.requirement);
    await run(`Installing ${names.join(', ')} from ${repo}`, python3, [...pip, `--index-url=${repo}`, ...names]);
  }
  if (set.cran.length > 0) await installCran(set.cran, join(folder, 'r'), run);

  const examined = await examinePython(python3);
  if (typeof examined === 'string')
    throw new AppError('internal', `The environment for the libraries does not work: ${examined}`);
  const draft = join(folder, `${readyFile}.draft`);
  await writeFile(draft, JSON.stringify(examined));
  await rename(draft, join(folder, readyFile));
  return examined;
}

async function installCran(
  packages: Resolved['cran'],
  folder: string,
  run: (what: string, command: string, parameters: string[]) => Promise<void>,
): Promise<void> {
  const rscript = await findOnPath('Rscript');
  if (!rscript) {
    throw new AppError(
      'unavailable',
      `The CRAN library ${packages[0]?.name} was not installed: there is no R on this machine.`,
      { remedy: 'Install R, so that Rscript is on the PATH, or remove the library from the job.' },
    );
  }
  await mkdir(folder, { recursive: true });
  for (const { name, repo } of packages)
    await run(`Installing ${name} from ${repo}`, rscript, [scriptFile('install_cran.R'), folder, name, repo]);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
