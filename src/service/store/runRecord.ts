import type { LifeCycleState, ResultState, TriggerType } from '../../api/schema/jobs/schemas.ts';

/** State of a run in its life (Jobs API 2.0, RunState), with the times for its durations. */
export interface RunProgress {
  readonly lifeCycle: LifeCycleState;
  /** Never changes once set. */
  readonly result?: ResultState;
  readonly message: string;
  /** Why the run is being ended before its task is done. */
  readonly stopping?: 'CANCELED' | 'TIMEDOUT';
  /** Epoch milliseconds, like the others. The run's `start_time`. */
  readonly createdAt: number;
  /** When the machine had a place for the run and its preparation began. */
  readonly dispatchedAt?: number;
  /** When the task began to execute. */
  readonly runningAt?: number;
  readonly terminatingAt?: number;
  readonly endedAt?: number;
  readonly clusterId?: string;
  readonly sparkContextId?: string;
}

/** A stored run. */
export interface RunRecord extends RunProgress {
  readonly runId: string;
  /** Absent for a one-time run. */
  readonly jobId?: string;
  /** For a one-time run: an ID of its own that no job has, because clients request a run's job first. */
  readonly oneTimeJobId?: string;
  readonly numberInJob: number;
  /** Absent for a first attempt. */
  readonly originalRunId?: string;
  /** The run whose run-job task started this one, or whose task it is. */
  readonly parentRunId?: string;
  /** Set for the run of a task of another run. */
  readonly taskKey?: string;
  /** The repair that started it. */
  readonly repairId?: string;
  readonly attemptNumber: number;
  readonly runType: 'JOB_RUN' | 'SUBMIT_RUN';
  readonly trigger: TriggerType;
  readonly runName: string;
  readonly creator: string;
  /** Members of the wire form that never change, as JSON text without braces: schedule, task, cluster_spec, overriding_parameters. */
  readonly detail: string;
  /** When the retry of this run is due. */
  retryAt?: number;
  /** Whether the job was deleted while this run was active. */
  readonly hidden: boolean;
}

/** A run before it is stored: the store assigns its ID. */
export type NewRun = Omit<RunRecord, 'runId' | 'hidden'>;

/** What a run was started with, as JSON texts. */
export interface RunPlan {
  readonly settings: string;
  readonly parameters: string;
}

/** Start of the detail of a run with several tasks. */
export const multiTaskDetail = '"format":"MULTI_TASK"';

/** Returns whether the run consists of the runs of its tasks. */
export function hasTasks(run: Pick<RunRecord, 'detail'>): boolean {
  return run.detail.startsWith(multiTaskDetail);
}

const terminal: ReadonlySet<LifeCycleState> = new Set<LifeCycleState>(['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR']);

/** Returns whether the run has ended: its state never changes again (Jobs API 2.0, States and transitions). */
export function isTerminal(run: Pick<RunProgress, 'lifeCycle'>): boolean {
  return terminal.has(run.lifeCycle);
}
