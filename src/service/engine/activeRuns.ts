import { isTerminal, type RunRecord } from '../store/runRecord.ts';
import type { ActiveRun } from './activeRun.ts';

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
