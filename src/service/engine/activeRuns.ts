import type { DebugProgress } from '../runners/runner.ts';
import { isTerminal, type RunPlan, type RunRecord } from '../store/runRecord.ts';
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

/** The runs that the engine manages, from when they are stored until they end, in the order of their start. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  #taskCount = 0;
  /** Notified when a run ends. */
  readonly waiters = new RunWaiters();

  /** Number of runs, without those of tasks. */
  get count(): number {
    return this.#runs.size - this.#taskCount;
  }

  /** Returns a snapshot, because the caller may end runs while iterating. */
  get all(): ActiveRun[] {
    return [...this.#runs.values()];
  }

  /** Returns the job's runs, without those of tasks. */
  ofJob(jobId: string): ActiveRun[] {
    return this.all.filter(({ record }) => record.jobId === jobId && record.taskKey === undefined);
  }

  /** Returns the runs of the run's tasks. */
  tasksOf(runId: string): ActiveRun[] {
    return this.all.filter(({ record }) => record.parentRunId === runId && record.taskKey !== undefined);
  }

  find(runId: string): ActiveRun | undefined {
    return this.#runs.get(runId);
  }

  /** Takes over a stored run, unless it is SKIPPED and thus over. */
  adopt(run: ActiveRun): void {
    this.#runs.set(run.record.runId, run);
    if (run.record.taskKey !== undefined) this.#taskCount += 1;
    if (isTerminal(run.record)) this.release(run);
  }

  /** Releases a run that has ended. Its waiters are notified unless another attempt follows. */
  release({ record }: ActiveRun): void {
    if (this.#runs.delete(record.runId) && record.taskKey !== undefined) this.#taskCount -= 1;
    if (record.retryAt === undefined) this.waiters.tell(record.runId, record);
  }
}

/** Callers that wait until a run and its retries have ended. */
class RunWaiters {
  readonly #waiting = new Map<string, ((run: RunRecord | undefined) => void)[]>();

  wait(runId: string): Promise<RunRecord | undefined> {
    return new Promise((resolve) => this.#waiting.set(runId, [...(this.#waiting.get(runId) ?? []), resolve]));
  }

  /** @param run the ended run, or nothing if it was deleted */
  tell(runId: string, run: RunRecord | undefined): void {
    const waiting = this.#waiting.get(runId) ?? [];
    this.#waiting.delete(runId);
    for (const resolve of waiting) resolve(run);
  }

  /** Another attempt continues the run. */
  pass(runId: string, nextRunId: string): void {
    const waiting = this.#waiting.get(runId);
    this.#waiting.delete(runId);
    if (waiting) this.#waiting.set(nextRunId, waiting);
  }
}
