import type { Clock } from '../../shared/clock.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import type { DebugProgress, Runners } from '../runners/runner.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { Notifier } from './activeRun.ts';
import type { RunStart } from './runStart.ts';

/** Owns every run from its start to its end. What a method returns is stored by then. */
export interface Engine extends Disposable {
  /**
   * Stores a new run. It begins as soon as the machine has a free place; if the job's limit is reached, it is SKIPPED.
   * @param within what is stored together with the run; what it throws keeps the run from being started
   * @throws ApiError 429 if 1,000 runs are active
   */
  start(start: RunStart, within?: () => void): RunRecord;
  /**
   * As `start`, for a schedule. A run that would be SKIPPED after thousands of others in the hour is not stored: schedules
   * that fire faster than their runs end would fill the disk.
   */
  startScheduled(start: Omit<RunStart, 'trigger'>, within: () => void): void;
  /** Asynchronous, as the document says; a run that is over stays as it is. @throws ApiError 400 for an unknown run */
  cancel(runId: string): void;
  /** As `cancel`, for the active runs of a job and its retries that wait. Nothing happens for a job that is unknown. */
  cancelAll(jobId: string): void;
  /** @throws ApiError 400 for a run that is unknown or active */
  delete(runId: string): void;
  /** To be called after the job's runs were hidden. */
  jobDeleted(jobId: string, deletedRunIds: readonly string[]): void;
  /** A change of timeout_seconds reaches active runs and retries that wait (Jobs API 2.0, Endpoints rule 2). */
  timeoutChanged(jobId: string, timeoutInSeconds: number | undefined): void;
  get(runId: string): RunRecord | undefined;
  /** How far the debugging of an active run is; undefined if it is not debugged, or over. */
  debugProgress(runId: string): DebugProgress | undefined;
  /** Ids of the runs that stand still in a debugger. */
  readonly heldRuns: string[];
  /** Resolves when the run and its retries are over: with the last attempt, or with nothing if it was deleted meanwhile. */
  whenOver(runId: string): Promise<RunRecord | undefined>;
  /** Runs that are not over, PENDING ones among them. */
  readonly activeCount: number;
  /** Takes over the runs of an earlier service process. Those that were RUNNING become INTERNAL_ERROR. */
  recover(killLeftovers: () => Promise<unknown>): void;
  /** Ends every task and marks the runs that were going. */
  close(): Promise<void>;
}

/** What an engine works with. */
export interface EngineOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly runners: Runners;
  readonly notifier: Notifier;
  readonly logger: Logger;
  /** Absolute path; outputs of runs are kept below it. */
  readonly dataFolder: string;
  /** User name that runs are created by. */
  readonly creator: string;
  /** How many runs execute at once; the others are PENDING. */
  readonly places: number;
}
