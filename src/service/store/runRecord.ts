import type { LifeCycleState, ResultState, TriggerType } from '../../api/schema/jobs/schemas.ts';

/** Where a run is in its life (Jobs API 2.0, RunState), with the moments that its durations come from. */
export interface RunProgress {
  readonly lifeCycle: LifeCycleState;
  /** Once set it never changes. */
  readonly result?: ResultState;
  readonly message: string;
  /** Why the run is being ended before its task is done. */
  readonly stopping?: 'CANCELED' | 'TIMEDOUT';
  /** Epoch milliseconds, as are the others. The run's `start_time`. */
  readonly createdAt: number;
  /** The machine had a place for the run and its preparation began. */
  readonly dispatchedAt?: number;
  /** The task began to execute. */
  readonly runningAt?: number;
  readonly terminatingAt?: number;
  readonly endedAt?: number;
  readonly clusterId?: string;
  readonly sparkContextId?: string;
}

/** A run as it is stored. */
export interface RunRecord extends RunProgress {
  readonly runId: string;
  /** Absent for a one-time run. */
  readonly jobId?: string;
  /** Of a one-time run: an id of its own that no job has, since clients ask for a run's job first. */
  readonly oneTimeJobId?: string;
  readonly numberInJob: number;
  /** Absent for a first attempt. */
  readonly originalRunId?: string;
  /** The run whose run-job task started this one. */
  readonly parentRunId?: string;
  readonly attemptNumber: number;
  readonly runType: 'JOB_RUN' | 'SUBMIT_RUN';
  readonly trigger: TriggerType;
  readonly runName: string;
  readonly creator: string;
  /** Members of the wire form that never change, as JSON text without braces: schedule, task, cluster_spec, overriding_parameters. */
  readonly detail: string;
  /** When the retry of this run is due. */
  retryAt?: number;
  /** The job was deleted while this run was active. */
  readonly hidden: boolean;
}

/** A run as it is stored first: the store gives its id. */
export type NewRun = Omit<RunRecord, 'runId' | 'hidden'>;

/** What a run was started with, as JSON texts. */
export interface RunPlan {
  readonly settings: string;
  readonly parameters: string;
}

const terminal: ReadonlySet<LifeCycleState> = new Set<LifeCycleState>(['TERMINATED', 'SKIPPED', 'INTERNAL_ERROR']);

/** Whether the run is over: its state never changes again (Jobs API 2.0, States and transitions). */
export function isTerminal(run: Pick<RunProgress, 'lifeCycle'>): boolean {
  return terminal.has(run.lifeCycle);
}
