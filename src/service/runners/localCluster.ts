import { mkdir } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { systemClock, type Clock } from '../../shared/clock.ts';
import { isAbort } from '../../shared/errors.ts';
import type { FileMap } from '../base/fileMap.ts';
import { childEnvironment, markPrefix } from './childEnvironment.ts';
import { runInitScripts, type SetUpProgram } from './initScripts.ts';
import type { InstalledLibraries, LibraryInstaller } from './libraries.ts';
import { LogDelivery } from './logDelivery.ts';
import { runProcess, type ProcessEnd, type ProcessPlan } from './managedProcess.ts';
import type { Python } from './python.ts';
import type { RunnerEvents, RunOutcome, RunRequest } from './runner.ts';
import { runFiles } from './runOutput.ts';
import { versionsThatDiffer } from './runtimeVersions.ts';
import { noteVersions } from './runVersions.ts';

type MaybePython = Python | undefined;

/** This machine, made ready for one run. */
export interface PreparedCluster<P extends MaybePython = MaybePython> extends InstalledLibraries<P> {
  /** What a child gets: no secrets, the libraries' paths, `spark_env_vars`. */
  readonly environment: Record<string, string>;
  /** Runs a program as a part of the run, in the run's folder and its environment unless it says otherwise. */
  run(program: RunProgram, events: Partial<RunnerEvents>, options: { signal: AbortSignal }): Promise<ProcessEnd>;
}

type RunProgram = Pick<ProcessPlan, 'command' | 'parameters' | 'log'> &
  Partial<Pick<ProcessPlan, 'cwd' | 'environment'>>;

export interface LocalClusterOptions {
  readonly dataFolder: string;
  readonly files: FileMap;
  readonly libraries: LibraryInstaller;
  readonly secrets?: readonly string[];
  /** Names of variables that tasks get beside the usual ones. */
  readonly environmentNames?: readonly string[];
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
  /** Gives undefined only for a task that runs on a machine without Python. */
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
   * Prepares this machine and has `body` run the task.
   * @throws AppError if there is no Python, or a library or an init script failed; what `body` throws
   * @returns CANCELED if the signal aborted while the cluster was prepared
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
      const outcome = await body(prepared);
      await logs.finish();
      const version = request.clusterSpec.new_cluster?.spark_version ?? undefined;
      const differing = versionsThatDiffer(version, prepared.python);
      const note = [outcome.note, differing, unpinned].filter(Boolean).join(' ');
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
    const { dataFolder, files, libraries, graceInMs } = this.#options;
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
      ...installed.environment,
      ...clusterSpec.new_cluster?.spark_env_vars,
    };
    // Eggs are found after what the job itself names.
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

  /** A key counts under every name that it is kept by. */
  async #environmentOfTasks(): Promise<Record<string, string>> {
    const { environment = process.env, environmentNames, secrets = [], privateVariables } = this.#options;
    const values = ((await privateVariables?.()) ?? []).flatMap((name) => environment[name] || []);
    return childEnvironment(environment, { named: environmentNames, secrets: [...secrets, ...values] });
  }
}
