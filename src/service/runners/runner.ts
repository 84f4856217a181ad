import type { Clock } from '../../shared/clock.ts';
/**
 * The border between the engine, which owns states, queues and time-outs, and the runners, which carry a task out.
 * The field names are those of the Jobs API 2.0, so that a schema's value can be handed over as it is.
 *
 * What the engine calls: `createRunners` (createRunners.ts) for the runners, `killLeftovers` (processTree.ts) after a
 * restart, `readRunOutput` (runOutput.ts) and `readNotebook` (notebookModel.ts) for a run going on or finished, and
 * `exportRun` (../export/exportRun.ts) for runs/export. All of them need only the folder of the run.
 */
import { AppError } from '../../shared/errors.ts';
import type { DebugAddress } from './debugDoor.ts';

/** One task kind is set (Jobs API 2.0, JobTask). Whatever else a task carries is ignored. */
export interface RunnerTask {
  notebook_task?: {
    notebook_path: string;
    revision_timestamp?: string | number | bigint | null;
    base_parameters?: Record<string, string> | null;
  } | null;
  spark_jar_task?: { jar_uri?: string | null; main_class_name?: string | null; parameters?: string[] | null } | null;
  spark_python_task?: { python_file: string; parameters?: string[] | null } | null;
  spark_submit_task?: { parameters?: string[] | null } | null;
  pipeline_task?: { pipeline_id?: string | null } | null;
  run_job_task?: unknown;
}

/** Jobs API 2.0, Library: exactly one member is set. */
export interface RunnerLibrary {
  jar?: string | null;
  egg?: string | null;
  whl?: string | null;
  pypi?: { package: string; repo?: string | null } | null;
  maven?: { coordinates: string; repo?: string | null; exclusions?: string[] | null } | null;
  cran?: { package: string; repo?: string | null } | null;
}

/** Jobs API 2.0, Storage descriptors: one member is set. */
export interface RunnerStorage {
  dfs?: { destination?: string | null } | null;
  objstore?: { destination?: string | null } | null;
  workspace?: { destination?: string | null } | null;
  file?: { destination?: string | null } | null;
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
  spark_version?: string | null;
  num_workers?: number | null;
  spark_conf?: Record<string, string> | null;
  spark_env_vars?: Record<string, string> | null;
  init_scripts?: RunnerStorage[] | null;
  cluster_log_conf?: RunnerStorage | null;
}

/** Jobs API 2.0, ClusterSpec. */
export interface RunnerClusterSpec {
  existing_cluster_id?: string | null;
  new_cluster?: RunnerNewCluster | null;
  libraries?: RunnerLibrary[] | null;
}

/** Jobs API 2.0, RunParameters. */
export interface RunnerParameters {
  jar_params?: string[] | null;
  python_params?: string[] | null;
  notebook_params?: Record<string, string> | null;
  spark_submit_params?: string[] | null;
}

export interface RunRequest {
  runId: string;
  jobId?: string;
  runName: string;
  /** 0 for the first attempt. */
  attemptNumber: number;
  task: RunnerTask;
  clusterSpec: RunnerClusterSpec;
  /** Names the folder of the logs in `cluster_log_conf`, as in the run's `cluster_instance`. */
  clusterId: string;
  /** The run-now parameters. The runner lays them over those of the task; handing over what is merged already is the same. */
  parameters: RunnerParameters;
  /** What `{{name}}` in a parameter stands for. `job_id`, `run_id`, `start_date`, … are filled in by the engine. */
  dynamicValues: Record<string, string>;
  /** Absolute path of this run's own folder, under the data folder; made when it is missing. All that the run leaves is in it. */
  folder: string;
  /** Runs it under the debugger; only if the task is a Python file or a notebook. */
  debug?: boolean;
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
  pid: number;
  /** The platform's own words for when the process started; compared, never parsed. Empty if unknown. */
  startTime: string;
}

/** Jobs API 2.0, NotebookOutput. */
interface NotebookResult {
  /** The value given to `dbutils.notebook.exit`, its first 1 MB; absent if it was never called. */
  result?: string;
  truncated: boolean;
}

export interface RunOutcome {
  /** CANCELED whenever the signal ended the run; that it was a time-out is the engine's knowledge. */
  resultState: 'SUCCESS' | 'FAILED' | 'CANCELED';
  stateMessage?: string;
  /** What is worth knowing however it ended, as sentences: what it left that could not be ended, versions that differ from the cluster's. */
  note?: string;
  /** One sentence: why the run failed. */
  error?: string;
  /** The traceback or the last lines of the output, if there are any. */
  errorTrace?: string;
  /** Set for every notebook that was executed (Jobs API 2.0, Endpoints rule 9). */
  notebookResult?: NotebookResult;
}

/** The reason of an abort that leaves little time: the service itself is about to end. */
export const serviceStops = new AppError('aborted', 'The local service is stopping.');

export interface EngineStatus {
  /** `python`, `jupyter`, `spark`, `java`, … */
  name: string;
  available: boolean;
  version?: string;
  /** What to do to have it, one sentence. */
  remedy?: string;
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
  root: string;
  /** Absolute path of the service's data folder: `dfs/`, `objstore/` and the environments are in it. */
  dataFolder: string;
  /** The Python to use instead of the first of python3, python, py. */
  python?: string;
  /** Where notebooks run; `auto` takes Jupyter if nbclient and ipykernel are installed. Default `auto`. */
  notebookEngine?: 'auto' | 'builtin' | 'jupyter';
  spark?: {
    /** `local[*]` (default), `spark://host:port`, `yarn`, `k8s://…`. */
    master?: string;
    /** Path of spark-submit instead of the one of SPARK_HOME, PATH or pyspark. */
    sparkSubmit?: string;
  };
  /** Values that no child's environment may hold, such as the service's own token. */
  secrets?: readonly string[];
  /** Names of variables that tasks get beside the usual ones; one that ends in `*` stands for all that begin so. */
  environmentNames?: readonly string[];
  /** Names of variables that no task's environment may hold, asked for before each run. */
  privateVariables?: () => Promise<readonly string[]>;
  /** By which logs are delivered while a run goes on. */
  clock?: Clock;
  /** How long processes have to end by themselves when cancelled, in milliseconds. Default 3000. */
  graceInMs?: number;
}
