import type { Clock } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import type { DebugAddress } from './debugDoor.ts';

// The interface between the engine, which owns states, queues and time-outs, and the runners, which execute tasks. Field names are those of
// the Jobs API 2.0, so that a schema's value can be passed on unchanged.
//
// The engine calls `createRunners` (createRunners.ts) for the runners, `killLeftovers` (processTree.ts) after a restart, `readRunOutput`
// (runOutput.ts) and `readNotebook` (notebookModel.ts) for an active or finished run, and `exportRun` (../export/exportRun.ts) for
// runs/export. All of them need only the run's folder.

/** A task with one kind set (Jobs API 2.0, JobTask). Other fields of a task are ignored. */
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
  readonly python_wheel_task?: {
    package_name: string;
    entry_point: string;
    parameters?: string[] | null;
    named_parameters?: Record<string, string> | null;
  } | null;
  readonly run_job_task?: unknown;
}

/** A library with exactly one member set (Jobs API 2.0, Library). */
export interface RunnerLibrary {
  readonly jar?: string | null;
  readonly egg?: string | null;
  readonly whl?: string | null;
  readonly pypi?: { package: string; repo?: string | null } | null;
  readonly maven?: { coordinates: string; repo?: string | null; exclusions?: string[] | null } | null;
  readonly cran?: { package: string; repo?: string | null } | null;
}

/** A storage descriptor with one member set (Jobs API 2.0, Storage descriptors). */
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

/** The part of NewCluster that is meaningful on one machine (Jobs API 2.0). */
interface RunnerNewCluster {
  readonly spark_version?: string | null;
  readonly num_workers?: number | null;
  readonly spark_conf?: Record<string, string> | null;
  readonly spark_env_vars?: Record<string, string> | null;
  readonly init_scripts?: RunnerStorage[] | null;
  readonly cluster_log_conf?: RunnerStorage | null;
}

/** A cluster specification (Jobs API 2.0, ClusterSpec). */
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
  readonly python_named_params?: Record<string, string> | null;
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
  /** The run-now parameters. The runner applies them over the task's own; passing merged ones has the same result. */
  readonly parameters: RunnerParameters;
  /** Values of `{{name}}` in parameters. The engine fills in `job_id`, `run_id`, `start_date` and so on. */
  readonly dynamicValues: Record<string, string>;
  /** Values that tasks before this one have set, by task and key, as JSON text, which keeps every digit. */
  readonly taskValues?: string;
  /** Absolute path of this run's own folder in the data folder, created if missing. It holds all that the run leaves. */
  readonly folder: string;
  /** Runs the task under the debugger; only for Python files and notebooks. */
  readonly debug?: boolean;
}

/** Progress of debugging a run. */
export type DebugProgress =
  | { phase: 'waiting' }
  /** debugpy is being downloaded from PyPI, which happens once. */
  | { phase: 'installing' }
  /** The program waits for an editor to connect. */
  | { phase: 'ready'; address: DebugAddress }
  /** It is paused at a breakpoint or an exception, or running again. */
  | { phase: 'held' | 'going' }
  /** The editor has disconnected, and the run continues without it. */
  | { phase: 'left' };

export interface RunnerEvents {
  /** Called when the prepared task begins to execute: PENDING becomes RUNNING. At most once. */
  onStarted(): void;
  /**
   * Called when a process of this run exists. Storing it is a safety net: `killLeftovers` finds the processes of a data folder by a mark in
   * their environment, except on Windows, which has only these identities.
   */
  onSpawned?(process: ProcessIdentity): void;
  onDebugging?(progress: DebugProgress): void;
}

/** A process that cannot be confused with a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The platform's text for the process's start time; compared, never parsed. Empty if unknown. */
  readonly startTime: string;
}

/** Jobs API 2.0, NotebookOutput. */
interface NotebookResult {
  /** The value given to `dbutils.notebook.exit`, its first 1 MB; absent if it was never called. */
  readonly result?: string;
  readonly truncated: boolean;
}

export interface RunOutcome {
  /** CANCELED whenever the signal ended the run; only the engine knows whether it was a time-out. */
  readonly resultState: 'SUCCESS' | 'FAILED' | 'CANCELED';
  readonly stateMessage?: string;
  /** Sentences worth knowing whatever the result: processes that could not be ended, versions that differ from the cluster's. */
  readonly note?: string;
  /** A sentence about why the run failed. */
  readonly error?: string;
  /** The traceback or the last lines of the output, if there are any. */
  readonly errorTrace?: string;
  /** Set for every executed notebook (Jobs API 2.0, Endpoints rule 9). */
  readonly notebookResult?: NotebookResult;
  /** What the task set with `dbutils.jobs.taskValues.set`: a JSON object by key, as text. */
  readonly taskValues?: string;
  /** Of a condition task. */
  readonly conditionOutcome?: 'true' | 'false';
}

/** Reason of an abort that leaves little time: the service itself is about to stop. */
export const serviceStops = new AppError('aborted', 'The local service is stopping.');

export interface EngineStatus {
  /** `python`, `jupyter`, `spark`, `java`, … */
  readonly name: string;
  readonly available: boolean;
  readonly version?: string;
  /** A sentence about how to install it. */
  readonly remedy?: string;
}

export interface Runner {
  /**
   * Executes the task and resolves when none of its processes is left, whether it ended, failed or was canceled. Rejects with an AppError
   * if the task could not be executed at all: FAILED if the request is impossible anywhere (`invalid`, `notFound`, `rejected`: no such
   * file, a library that cannot be installed); otherwise INTERNAL_ERROR (no engine), without a result state if `onStarted` was not called.
   */
  run(request: RunRequest, events: RunnerEvents, options: { signal: AbortSignal }): Promise<RunOutcome>;
}

/** A runner that needs programs of this machine. */
export interface ProbedRunner extends Runner {
  /** Reports what it needs, and what of that is available. Never rejects because something is missing. */
  probe(): Promise<EngineStatus[]>;
}

export interface Runners {
  /**
   * Returns the runner of a task.
   * @throws AppError `invalid` if no runner executes this kind of task (`run_job_task` is the engine's own)
   */
  forTask(task: RunnerTask): Runner;
  /** Reports every engine of this machine once. */
  probe(): Promise<EngineStatus[]>;
}

export interface RunnersOptions {
  /** Absolute path of the workspace root, which `/x.py` of a task is relative to. */
  readonly root: string;
  /** Absolute path of the service's data folder, which holds `dfs/`, `objstore/` and the environments. */
  readonly dataFolder: string;
  /** Python to use instead of the first of python3, python, py. */
  readonly python?: string;
  /** Where notebooks run; `auto` uses Jupyter if nbclient and ipykernel are installed. Default `auto`. */
  readonly notebookEngine?: 'auto' | 'builtin' | 'jupyter';
  readonly spark?: {
    /** `local[*]` (default), `spark://host:port`, `sc://host:port`, `yarn`, `k8s://…`. */
    master?: string;
    /** Path of spark-submit instead of the one in SPARK_HOME, PATH or pyspark. */
    sparkSubmit?: string;
  };
  /** Values that no child's environment may hold, such as the service's own token. */
  readonly secrets?: readonly string[];
  /** Names of variables that tasks get in addition to the usual ones; a name that ends in `*` stands for all with that prefix. */
  readonly environmentNames?: readonly string[];
  /** Returns the names of variables that no task's environment may hold; called before each run. */
  readonly privateVariables?: () => Promise<readonly string[]>;
  /** Clock for delivering logs during a run. */
  readonly clock?: Clock;
  /** How long canceled processes have to exit by themselves, in milliseconds. Default 3000. */
  readonly graceInMs?: number;
}
