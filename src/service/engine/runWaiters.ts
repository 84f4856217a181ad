import type { RunRecord } from '../store/runRecord.ts';

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
