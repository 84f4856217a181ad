import { appendFile, copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { AppError, describeError, isAbort } from '../../shared/errors.ts';
import { isFields } from '../../shared/fields.ts';
import type { FileMap } from '../base/fileMap.ts';
import { childEnvironment, markPrefix } from './childEnvironment.ts';
import type { InstalledLibraries, LibraryInstaller } from './libraries.ts';
import { type ProcessEnd, type ProcessPlan, runProcess } from './managedProcess.ts';
import type { Python } from './python.ts';
import { destinationOf, type RunnerEvents, type RunnerStorage, type RunOutcome, type RunRequest } from './runner.ts';
import { runFiles } from './runOutput.ts';
import { noteVersions } from './runVersions.ts';

type MaybePython = Python | undefined;

/** This machine, prepared for one run. */
export interface PreparedCluster<P extends MaybePython = MaybePython> extends InstalledLibraries<P> {
  /** Environment of a child: no secrets, the libraries' paths, `spark_env_vars`. */
  readonly environment: Record<string, string>;
  /** Runs a program as part of the run, by default in the run's folder and environment. */
  run(program: RunProgram, events: Partial<RunnerEvents>, options: { signal: AbortSignal }): Promise<ProcessEnd>;
}

type RunProgram = Pick<ProcessPlan, 'command' | 'parameters' | 'log'> &
  Partial<Pick<ProcessPlan, 'cwd' | 'environment'>>;

export interface LocalClusterOptions {
  readonly dataFolder: string;
  readonly files: FileMap;
  readonly libraries: LibraryInstaller;
  readonly secrets?: readonly string[];
  /** Names of variables that tasks get in addition to the usual ones. */
  readonly environmentNames?: readonly string[];
  /** Address of a Spark Connect server, `sc://host:port`, that tasks use. */
  readonly sparkRemote?: string;
  /** Names of variables that no task's environment may hold. */
  readonly privateVariables?: () => Promise<readonly string[]>;
  readonly clock?: Clock;
  readonly graceInMs?: number;
  readonly environment?: NodeJS.ProcessEnv;
}

/** A run that this machine is prepared for. */
interface ClusterUse<P extends MaybePython> {
  readonly request: RunRequest;
  readonly events: RunnerEvents;
  readonly signal: AbortSignal;
  /** Returns `undefined` only for a task that runs on a machine without Python. */
  readonly findPython: () => Promise<P>;
}

/**
 * Does for a run on this machine what a cluster does before and after it (Jobs API 2.0, NewCluster): libraries,
 * `spark_env_vars`, init scripts in their order, logs to `cluster_log_conf`.
 */
export class LocalCluster {
  readonly #options: LocalClusterOptions;

  constructor(options: LocalClusterOptions) {
    this.#options = options;
  }

  /**
   * Prepares this machine and lets `body` run the task.
   * @throws AppError if there is no Python, or a library or an init script failed; what `body` throws
   * @returns CANCELED if the signal aborted during the preparation
   */
  async use<P extends MaybePython>(
    use: ClusterUse<P>,
    body: (prepared: PreparedCluster<P>) => Promise<RunOutcome>,
  ): Promise<RunOutcome> {
    const { request, signal } = use;
    const { files, clock = systemClock } = this.#options;
    const logs = new LogDelivery(request, files, clock);
    try {
      const prepared = await this.#prepare(use, logs);
      logs.start();
      signal.throwIfAborted();
      const unpinned = await noteVersions(request, prepared.python, files);
      await writeTask(request);
      const outcome = await withTaskValues(await body(prepared), request);
      await logs.finish();
      const version = request.clusterSpec.new_cluster?.spark_version ?? undefined;
      const differing = versionsThatDiffer(version, prepared.python);
      const note = [outcome.note, logs.failure, differing, unpinned].filter(Boolean).join(' ');
      return note === '' ? outcome : { ...outcome, note };
    } catch (error) {
      if (signal.aborted || isAbort(error))
        return { resultState: 'CANCELED', stateMessage: 'The run was cancelled before its task began.' };
      throw error;
    } finally {
      logs.stop();
    }
  }

  /** Installs the libraries and runs the init scripts. */
  async #prepare<P extends MaybePython>(use: ClusterUse<P>, logs: LogDelivery): Promise<PreparedCluster<P>> {
    const { request, events, signal, findPython } = use;
    const { dataFolder, files, libraries, graceInMs, sparkRemote } = this.#options;
    const { folder, clusterSpec } = request;
    await mkdir(folder, { recursive: true });
    const python = await findPython();
    const mark = markPrefix(dataFolder) + request.runId;
    const setUp = (program: SetUpProgram): Promise<ProcessEnd> =>
      runProcess({ ...program, cwd: folder, mark, folder, graceInMs }, { onSpawned: events.onSpawned }, { signal });
    const base = await this.#environmentOfTasks();
    const installed = await libraries.install(clusterSpec.libraries ?? [], python, {
      signal,
      run: (command, parameters, more) =>
        setUp({ command, parameters, environment: { ...base, ...more }, log: runFiles.setup }),
    });
    const environment: Record<string, string> = {
      ...base,
      PYTHONUNBUFFERED: '1',
      PYTHONIOENCODING: 'utf-8',
      PYTHONUTF8: '1',
      ...(sparkRemote === undefined ? {} : { SPARK_REMOTE: sparkRemote }),
      ...installed.environment,
      ...clusterSpec.new_cluster?.spark_env_vars,
    };
    // Eggs come after what the job itself names.
    const eggs = installed.environment['PYTHONPATH'];
    if (eggs && environment['PYTHONPATH'] !== eggs) environment['PYTHONPATH'] += delimiter + eggs;
    const scripts = clusterSpec.new_cluster?.init_scripts ?? [];
    await runInitScripts({ scripts, environment, folder, files, logs, signal, run: setUp });
    return {
      ...installed,
      environment,
      run: (program, ...rest) => runProcess({ cwd: folder, environment, ...program, mark, folder, graceInMs }, ...rest),
    };
  }

  /** A key counts under every name that holds it. */
  async #environmentOfTasks(): Promise<Record<string, string>> {
    const { environment = process.env, environmentNames, secrets = [], privateVariables } = this.#options;
    const values = ((await privateVariables?.()) ?? []).flatMap((name) => environment[name] || []);
    return childEnvironment(environment, { named: environmentNames, secrets: [...secrets, ...values] });
  }
}

/** Writes what a task among others can read of those before it; `task_values.py` reads it. */
async function writeTask({ folder, dynamicValues, taskValues }: RunRequest): Promise<void> {
  if (!taskValues) return;
  const task = `{"taskKey":${JSON.stringify(dynamicValues['task_key'])},"values":${taskValues}}`;
  await writeFile(join(folder, runFiles.task), task, { mode: 0o600 });
}

/** Adds what the task has set for those after it. Ignores the file if a program has written something else there. */
async function withTaskValues(outcome: RunOutcome, { folder, taskValues }: RunRequest): Promise<RunOutcome> {
  if (!taskValues) return outcome;
  const path = join(folder, runFiles.taskValues);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  const text = size === 0 || size > maxTaskValues ? '' : await readFile(path, 'utf8').catch(() => '');
  return isObjectText(text) ? { ...outcome, taskValues: text } : outcome;
}

/** Maximum bytes of all values that a task sets. This limit is ours; a single value has one in task_values.py. */
const maxTaskValues = 10_000_000;

function isObjectText(text: string): boolean {
  try {
    return isFields(JSON.parse(text));
  } catch {
    return false;
  }
}

/** Versions of Python and Spark in each release. */
const releases: Readonly<Record<string, readonly [python: string, spark: string]>> = {
  '9.1': ['3.8', '3.1'],
  '10.4': ['3.8', '3.2'],
  '11.3': ['3.9', '3.3'],
  '12.2': ['3.9', '3.3'],
  '13.3': ['3.10', '3.4'],
  '14.3': ['3.10', '3.5'],
  '15.4': ['3.11', '3.5'],
  '16.4': ['3.12', '3.5'],
  '17.3': ['3.12', '4.0'],
};

/**
 * Describes how the release that a cluster names, such as `15.4.x-scala2.12`, differs from this machine's Python or Spark: what works here
 * may fail there. Returns `undefined` if they are the same, or the release is unknown.
 */
function versionsThatDiffer(
  sparkVersion: string | undefined,
  python: Pick<Python, 'version' | 'pysparkVersion'> | undefined,
): string | undefined {
  const release = releases[/^(\d{1,3}\.\d{1,3})(?:\.|$)/.exec(sparkVersion ?? '')?.[1] ?? ''];
  if (!release || !python) return undefined;
  const own = { Python: python.version, Spark: python.pysparkVersion };
  const theirs = { Python: release[0], Spark: release[1] };
  const differing = (['Python', 'Spark'] as const).filter(
    (name) => own[name] !== undefined && !`${own[name]}.`.startsWith(`${theirs[name]}.`),
  );
  if (differing.length === 0) return undefined;
  const words = (versions: Readonly<Record<string, string | undefined>>): string =>
    differing.map((name) => `${name} ${versions[name]}`).join(' and ');
  return `It ran with ${words(own)}, and ${sparkVersion} has ${words(theirs)}: what works here may fail there.`;
}

/** A program to run before the task. */
interface SetUpProgram {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly environment: Record<string, string>;
  /** Name of its log in the run's folder. */
  readonly log: string;
}

interface InitScripts {
  /** In the order in which they run (Jobs API 2.0, NewCluster). */
  readonly scripts: readonly RunnerStorage[];
  readonly environment: Record<string, string>;
  /** The run's own folder. */
  readonly folder: string;
  readonly files: FileMap;
  readonly logs: LogDelivery;
  readonly signal: AbortSignal;
  run(program: SetUpProgram): Promise<ProcessEnd>;
}

/** @throws AppError if a script is missing or fails; later scripts do not run */
async function runInitScripts(plan: InitScripts): Promise<void> {
  const { environment, files } = plan;
  for (const [index, script] of plan.scripts.entries()) {
    const uri = destinationOf(script);
    if (!uri)
      throw new AppError('invalid', `Init script ${index + 1} names no file; the run was not started.`, {
        remedy: 'Give it a destination.',
      });
    const path = await files.existingFile(uri, 'Init script');
    const log = `init_${String(index + 1).padStart(2, '0')}_${basename(path)}.log`;
    const command = process.platform === 'win32' ? 'bash.exe' : 'bash';
    const end = await plan.run({ command, parameters: [path], environment, log });
    plan.signal.throwIfAborted();
    await plan.logs.deliver('init_scripts', [log]);
    if (end.exitCode !== 0) {
      throw new AppError(
        'rejected',
        `Init script ${uri} ended with ${end.signalName ?? `code ${end.exitCode}`}; the run was not started. ${end.errorTail.trim().slice(-500)}`,
        {
          remedy: `Correct the script; what it printed is in ${join(plan.folder, log)}.`,
        },
      );
    }
  }
}

/** Logs are delivered every 5 minutes (Jobs API 2.0, Limits). */
const deliveryInMs = 5 * 60 * 1000;

/** Copies the logs of a run to the `cluster_log_conf` of its cluster, if it has one (Jobs API 2.0, ClusterLogConf). */
class LogDelivery {
  readonly #request: RunRequest;
  readonly #files: FileMap;
  readonly #clock: Clock;
  #cancelTimer = (): void => undefined;
  #delivering = Promise.resolve();
  #failure: string | undefined;

  constructor(request: RunRequest, files: FileMap, clock: Clock) {
    this.#request = request;
    this.#files = files;
    this.#clock = clock;
  }

  /** Why the logs were not delivered the last time. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Starts delivering the driver's logs every five minutes, until `stop` or `finish`. */
  start(): void {
    if (!this.#request.clusterSpec.new_cluster?.cluster_log_conf) return;
    this.#cancelTimer = this.#clock.schedule(deliveryInMs, () => {
      void this.#deliverDriverLogs();
      this.start();
    });
  }

  stop(): void {
    this.#cancelTimer();
  }

  /** Delivers the driver's logs for the last time. */
  async finish(): Promise<void> {
    this.stop();
    await this.#deliverDriverLogs();
  }

  /** Copies files of the run's folder. A failed delivery does not change the run's result; the logs stay in its own folder. */
  async deliver(kind: 'driver' | 'init_scripts', names: readonly string[]): Promise<void> {
    const { clusterSpec, clusterId, folder } = this.#request;
    const target = clusterSpec.new_cluster?.cluster_log_conf;
    const uri = target && destinationOf(target);
    if (!uri) return;
    try {
      const into = await this.#files.outputFolder(`${uri.replace(/(?<!\/)\/+$/, '')}/${clusterId}/${kind}`);
      for (const name of names)
        await copyFile(join(folder, name), join(into, name.replace(/^(stdout|stderr)\.log$/, '$1')));
      this.#failure = undefined;
    } catch (error) {
      this.#failure = `The logs were not delivered to ${uri}: ${describeError(error)}`;
      await appendFile(join(folder, runFiles.setup), `${this.#failure}\n`).catch(() => undefined);
    }
  }

  /** One after another: two concurrent copies to the same file could leave the older one. */
  #deliverDriverLogs(): Promise<void> {
    this.#delivering = this.#delivering.then(() =>
      this.deliver('driver', [runFiles.standardOutput, runFiles.standardError]),
    );
    return this.#delivering;
  }
}
