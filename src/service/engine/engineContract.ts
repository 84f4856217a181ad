import type { Clock } from '../../shared/clock.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import type { DebugProgress, Runners } from '../runners/runner.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { Notifier } from './activeRuns.ts';
import type { Repair } from './repairs.ts';
import type { RunStart } from './runStart.ts';

/** Owns every run from its start to its end. Everything that a method returns has been stored. */
export interface Engine extends Disposable {
  /**
   * Stores a new run. It begins as soon as the machine has a free place; if the job's limit is reached, it is SKIPPED.
   * @param within stored together with the run; if it throws, the run is not started
   * @throws ApiError 429 if 1,000 runs are active
   */
  start(start: RunStart, within?: () => void): RunRecord;
  /**
   * Like `start`, for a schedule. After thousands of SKIPPED runs in an hour, further ones are not stored: schedules that fire faster than
   * their runs end would fill the disk.
   */
  startScheduled(start: Omit<RunStart, 'trigger'>, within: () => void): void;
  /** Cancels a run asynchronously, as the document says. A finished run stays as it is. @throws ApiError 400 for an unknown run */
  cancel(runId: string): void;
  /** Like `cancel`, for the active runs of a job and its pending retries. Does nothing for an unknown job. */
  cancelAll(jobId: string): void;
  /**
   * Runs tasks of an ended run again, within that run.
   * @returns the ID of the repair
   * @throws ApiError 400 if the run is unknown or cannot be repaired, or another repair was made in the meantime
   */
  repair(runId: string, repair: Repair): string;
  /** @throws ApiError 400 if the run is unknown or active */
  delete(runId: string): void;
  /** Call it after the job's runs were hidden. */
  jobDeleted(jobId: string, deletedRunIds: readonly string[]): void;
  /** Applies a new timeout_seconds to active runs and pending retries (Jobs API 2.0, Endpoints rule 2). */
  timeoutChanged(jobId: string, timeoutInSeconds: number | undefined): void;
  get(runId: string): RunRecord | undefined;
  /** Returns the debugging progress of an active run, or `undefined` if it is not debugged or has ended. */
  debugProgress(runId: string): DebugProgress | undefined;
  /** IDs of the runs that are paused in a debugger, and of the runs whose tasks they are. */
  readonly heldRuns: string[];
  /** Resolves when the run and its retries have ended: with the last attempt, or with nothing if it was deleted. */
  whenOver(runId: string): Promise<RunRecord | undefined>;
  /** Number of runs that have not ended, including PENDING ones. */
  readonly activeCount: number;
  /** Takes over the runs of an earlier service process. Runs that were RUNNING become INTERNAL_ERROR. */
  recover(killLeftovers: () => Promise<unknown>): void;
  /** Stops every task and marks the active runs. */
  close(): Promise<void>;
}

/** Dependencies of an engine. */
export interface EngineOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly runners: Runners;
  readonly notifier: Notifier;
  readonly logger: Logger;
  /** Absolute path. The outputs of runs are stored below it. */
  readonly dataFolder: string;
  /** Name of the user who creates the runs. */
  readonly creator: string;
  /** Maximum number of runs that execute at once; the others are PENDING. */
  readonly places: number;
}
