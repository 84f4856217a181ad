import type { DebugProgress } from '../runners/runner.ts';
import type { RunPlan, RunRecord } from '../store/runRecord.ts';
import type { EngineSettings } from './engineSettings.ts';

/** A run that has not ended, with its state in memory. */
export interface ActiveRun {
  record: RunRecord;
  plan: RunPlan;
  settings: EngineSettings;
  /** Aborts the task. */
  readonly abort: AbortController;
  /** Settles when the task has no process left. */
  execution?: Promise<void>;
  /** Set if the run is debugged. */
  debug?: DebuggedRun;
}

/** A debugged run is not retried, and its time-out and duration warning count from when the debugger has left. */
export interface DebuggedRun {
  progress: DebugProgress;
  /** Creation time in epoch milliseconds. */
  leftAt?: number;
}

/**
 * Returns whether the run takes a place on the machine. A run of tasks or of another job only waits; if it took a place, a chain of them
 * could wait for itself.
 */
export function takesPlace(run: ActiveRun): boolean {
  return run.settings.run_job_task === undefined && run.settings.condition_task === undefined && !isGraph(run);
}

/** Returns whether the run consists of the runs of tasks: those of its job, or one for each input. */
export function isGraph({ settings }: Pick<ActiveRun, 'settings'>): boolean {
  return settings.for_each_task !== undefined || (settings.tasks ?? []).length > 0;
}

/**
 * Turns events of a run into stored messages (Jobs API 2.0, Events). All methods but `wake` are called within the transaction that stores
 * the event, so that both are stored or neither.
 */
export interface Notifier {
  started(run: RunRecord, settings: EngineSettings): void;
  /** @param willRetry whether another attempt follows */
  over(run: RunRecord, settings: EngineSettings, willRetry: boolean): void;
  lastsLong(run: RunRecord, settings: EngineSettings): void;
  jobDeleted(jobId: string, settings: EngineSettings): void;
  /** Starts delivering stored messages. */
  wake(): void;
}
