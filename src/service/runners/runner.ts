import type { Clock } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import type { DebugAddress } from './debugDoor.ts';

// The border between the engine, which owns states, queues and time-outs, and the runners, which carry a task out.
// The field names are those of the Jobs API 2.0, so that a schema's value can be handed over as it is.
//
// The engine calls `createRunners` (createRunners.ts) for the runners, `killLeftovers` (processTree.ts) after a restart, `readRunOutput`
// (runOutput.ts) and `readNotebook` (notebookModel.ts) for a run that goes on or has ended, and `exportRun` (../export/exportRun.ts) for
// runs/export. All of them need only the folder of the run.

/** One task kind is set (Jobs API 2.0, JobTask). Whatever else a task carries is ignored. */
export interface RunnerTask {
  readonly notebook_task?: {
    notebook_path: string;
    revision_timestamp?: string | number | bigint | null;
    base_parameters?: Record<string, string> | null;
  } | null;
  readonly spark_jar_task?: {
    jar_uri?: string | null;
    main_class_name?: string | null;
    parameters?: string[] | null;
  } | null;
  readonly spark_python_task?: { python_file: string; parameters?: string[] | null } | null;
  readonly spark_submit_task?: { parameters?: string[] | null } | null;
  readonly pipeline_task?: { pipeline_id?: string | null } | null;
  readonly run_job_task?: unknown;
}

/** Jobs API 2.0, Library: exactly one member is set. */
export interface RunnerLibrary {
  readonly jar?: string | null;
  readonly egg?: string | null;
  readonly whl?: string | null;
  readonly pypi?: { package: string; repo?: string | null } | null;
  readonly maven?: { coordinates: string; repo?: string | null; exclusions?: string[] | null } | null;
  readonly cran?: { package: string; repo?: string | null } | null;
}

/** Jobs API 2.0, Storage descriptors: one member is set. */
export interface RunnerStorage {
  readonly dfs?: { destination?: string | null } | null;
  readonly objstore?: { destination?: string | null } | null;
  readonly workspace?: { destination?: string | null } | null;
  readonly file?: { destination?: string | null } | null;
}

export function destinationOf(storage: RunnerStorage): string | undefined {
  return (
    storage.workspace?.destination ??
    storage.dfs?.destination ??
    storage.objstore?.destination ??
    storage.file?.destination ??
    undefined
  );
}

/** The part of Jobs API 2.0, NewCluster that means something on one machine. */
interface RunnerNewCluster {
  readonly spark_version?: string | null;
  readonly num_workers?: number | null;
  readonly spark_conf?: Record<string, string> | null;
  readonly spark_env_vars?: Record<string, string> | null;
  readonly init_scripts?: RunnerStorage[] | null;
  readonly cluster_log_conf?: RunnerStorage | null;
}

/** Jobs API 2.0, ClusterSpec. */
export interface RunnerClusterSpec {
  readonly existing_cluster_id?: string | null;
  readonly new_cluster?: RunnerNewCluster | null;
  readonly libraries?: RunnerLibrary[] | null;
}

/** Jobs API 2.0, RunParameters. */
export interface RunnerParameters {
  readonly jar_params?: string[] | null;
  readonly python_params?: string[] | null;
  readonly notebook_params?: Record<string, string> | null;
  readonly spark_submit_params?: string[] | null;
}

export interface RunRequest {
  readonly runId: string;
  readonly jobId?: string;
  readonly runName: string;
  /** 0 for the first attempt. */
  readonly attemptNumber: number;
  readonly task: RunnerTask;
  readonly clusterSpec: RunnerClusterSpec;
  /** Names the folder of the logs in `cluster_log_conf`, as in the run's `cluster_instance`. */
  readonly clusterId: string;
  /** The run-now parameters. The runner lays them over those of the task; handing over what is merged already is the same. */
  readonly parameters: RunnerParameters;
  /** What `{{name}}` in a parameter stands for. `job_id`, `run_id`, `start_date`, … are filled in by the engine. */
  readonly dynamicValues: Record<string, string>;
  /** Absolute path of this run's own folder, under the data folder; made when it is missing. All that the run leaves is in it. */
  readonly folder: string;
  /** Runs it under the debugger; only if the task is a Python file or a notebook. */
  readonly debug?: boolean;
}

/** How far the debugging of a run is. */
export type DebugProgress =
  | { phase: 'waiting' }
  /** debugpy is fetched from PyPI, which happens once. */
  | { phase: 'installing' }
  /** The program waits for an editor that connects there. */
  | { phase: 'ready'; address: DebugAddress }
  /** It stands still at a breakpoint or an exception, or goes on again. */
  | { phase: 'held' | 'going' }
  /** The editor has gone, and the run goes on without it. */
  | { phase: 'left' };

export interface RunnerEvents {
  /** The prepared task begins to execute: PENDING becomes RUNNING. Called at most once. */
  onStarted(): void;
  /**
   * A process of this run exists. Storing it is a safety net: `killLeftovers` finds the processes of a data folder by a
   * mark in their environment, except on Windows, where these identities are all there is.
   */
  onSpawned?(process: ProcessIdentity): void;
  onDebugging?(progress: DebugProgress): void;
}

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The platform's own words for when the process started; compared, never parsed. Empty if unknown. */
  readonly startTime: string;
}

/** Jobs API 2.0, NotebookOutput. */
interface NotebookResult {
  /** The value given to `dbutils.notebook.exit`, its first 1 MB; absent if it was never called. */
  readonly result?: string;
  readonly truncated: boolean;
}

export interface RunOutcome {
  /** CANCELED whenever the signal ended the run; that it was a time-out is the engine's knowledge. */
  readonly resultState: 'SUCCESS' | 'FAILED' | 'CANCELED';
  readonly stateMessage?: string;
  /** What is worth knowing however it ended, as sentences: what it left that could not be ended, versions that differ from the cluster's. */
  readonly note?: string;
  /** One sentence: why the run failed. */
  readonly error?: string;
  /** The traceback or the last lines of the output, if there are any. */
  readonly errorTrace?: string;
  /** Set for every notebook that was executed (Jobs API 2.0, Endpoints rule 9). */
  readonly notebookResult?: NotebookResult;
}

/** The reason of an abort that leaves little time: the service itself is about to end. */
export const serviceStops = new AppError('aborted', 'The local service is stopping.');

export interface EngineStatus {
  /** `python`, `jupyter`, `spark`, `java`, … */
  readonly name: string;
  readonly available: boolean;
  readonly version?: string;
  /** What to do to have it, one sentence. */
  readonly remedy?: string;
}

export interface Runner {
  /**
   * Carries the task out and resolves when no process of it is left, whether it ended, failed or was cancelled.
   * Rejects with an AppError if the task could not be carried out at all. FAILED, if what was asked for cannot be done anywhere
   * (`invalid`, `notFound`, `rejected`: no such file, a library that cannot be installed); else INTERNAL_ERROR (no engine), and without
   * a result state if `onStarted` was not called.
   */
  run(request: RunRequest, events: RunnerEvents, options: { signal: AbortSignal }): Promise<RunOutcome>;
}

/** A runner that needs programs of this machine. */
export interface ProbedRunner extends Runner {
  /** What it needs, and what of that is there. Never rejects because something is missing. */
  probe(): Promise<EngineStatus[]>;
}

export interface Runners {
  /**
   * The runner of a task.
   * @throws AppError `invalid` if the task is of a kind that no runner carries out (`run_job_task` is the engine's own)
   */
  forTask(task: RunnerTask): Runner;
  /** Every engine of this machine, each named once. */
  probe(): Promise<EngineStatus[]>;
}

export interface RunnersOptions {
  /** Absolute path of the workspace root: `/x.py` of a task is taken from here. */
  readonly root: string;
  /** Absolute path of the service's data folder: `dfs/`, `objstore/` and the environments are in it. */
  readonly dataFolder: string;
  /** The Python to use instead of the first of python3, python, py. */
  readonly python?: string;
  /** Where notebooks run; `auto` takes Jupyter if nbclient and ipykernel are installed. Default `auto`. */
  readonly notebookEngine?: 'auto' | 'builtin' | 'jupyter';
  readonly spark?: {
    /** `local[*]` (default), `spark://host:port`, `yarn`, `k8s://…`. */
    master?: string;
    /** Path of spark-submit instead of the one of SPARK_HOME, PATH or pyspark. */
    sparkSubmit?: string;
  };
  /** Values that no child's environment may hold, such as the service's own token. */
  readonly secrets?: readonly string[];
  /** Names of variables that tasks get beside the usual ones; one that ends in `*` stands for all that begin so. */
  readonly environmentNames?: readonly string[];
  /** Names of variables that no task's environment may hold, asked for before each run. */
  readonly privateVariables?: () => Promise<readonly string[]>;
  /** By which logs are delivered while a run goes on. */
  readonly clock?: Clock;
  /** How long processes have to end by themselves when cancelled, in milliseconds. Default 3000. */
  readonly graceInMs?: number;
}
