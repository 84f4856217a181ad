import { isTerminal, type RunRecord } from '../store/runRecord.ts';
import type { ActiveRun } from './activeRun.ts';

/** The runs that are in the engine's care, from when they are stored until they are over, in the order of their start. */
export class ActiveRuns {
  readonly #runs = new Map<string, ActiveRun>();
  /** They are told when a run is over. */
  readonly waiters = new RunWaiters();

  get count(): number {
    return this.#runs.size;
  }

  /** As they are now: who goes through them may end some. */
  get all(): ActiveRun[] {
    return [...this.#runs.values()];
  }

  ofJob(jobId: string): ActiveRun[] {
    return this.all.filter(({ record }) => record.jobId === jobId);
  }

  find(runId: string): ActiveRun | undefined {
    return this.#runs.get(runId);
  }

  /** Takes a run that was stored into care; one that is SKIPPED is over already. */
  adopt(run: ActiveRun): void {
    this.#runs.set(run.record.runId, run);
    if (isTerminal(run.record)) this.release(run);
  }

  /** The run is over: who waits for it is told, unless another attempt follows. */
  release({ record }: ActiveRun): void {
    this.#runs.delete(record.runId);
    if (record.retryAt === undefined) this.waiters.tell(record.runId, record);
  }
}

/** Callers that wait until a run and its retries are over. */
export class RunWaiters {
  readonly #waiting = new Map<string, ((run: RunRecord | undefined) => void)[]>();

  wait(runId: string): Promise<RunRecord | undefined> {
    return new Promise((resolve) => this.#waiting.set(runId, [...(this.#waiting.get(runId) ?? []), resolve]));
  }

  /** @param run how it ended; nothing if it was deleted */
  tell(runId: string, run: RunRecord | undefined): void {
    const waiting = this.#waiting.get(runId) ?? [];
    this.#waiting.delete(runId);
    for (const resolve of waiting) resolve(run);
  }

  /** Another attempt goes on for the run. */
  pass(runId: string, nextRunId: string): void {
    const waiting = this.#waiting.get(runId);
    this.#waiting.delete(runId);
    if (waiting) this.#waiting.set(nextRunId, waiting);
  }
}
