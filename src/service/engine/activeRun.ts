import type { DebugProgress } from '../runners/runner.ts';
import type { RunPlan, RunRecord } from '../store/runRecord.ts';
import type { EngineSettings } from './engineSettings.ts';

/** A run that is not over yet, with what its life needs in memory. */
export interface ActiveRun {
  record: RunRecord;
  plan: RunPlan;
  settings: EngineSettings;
  /** Aborts the task. */
  readonly abort: AbortController;
  /** Settles when no process of the task is left. */
  execution?: Promise<void>;
  /** Set if the run is debugged. */
  debug?: DebuggedRun;
}

/** A run that is debugged is not retried, and its time-out and duration warning count from when the debugger has left. */
export interface DebuggedRun {
  progress: DebugProgress;
  /** Epoch milliseconds. */
  leftAt?: number;
}

/** A run-job task only waits: it takes no place on the machine, or a chain of them could wait for itself. */
export function takesPlace(run: ActiveRun): boolean {
  return run.settings.run_job_task === undefined;
}

/**
 * Turns moments of a run's life into stored messages (Jobs API 2.0, Events). All but `wake` are called within the
 * transaction that stores the moment itself, so that neither is ever there without the other.
 */
export interface Notifier {
  started(run: RunRecord, settings: EngineSettings): void;
  /** @param willRetry whether another attempt follows */
  over(run: RunRecord, settings: EngineSettings, willRetry: boolean): void;
  lastsLong(run: RunRecord, settings: EngineSettings): void;
  jobDeleted(jobId: string, settings: EngineSettings): void;
  /** Begins to deliver what was stored. */
  wake(): void;
}
