import type { Run } from '../api/schema/jobs/schemas.ts';
import { runStatus } from './runState.ts';

/** Runs that the user cancels in this window: their end needs no notification. */
export class OwnCancellations {
  readonly #runs = new Set<string>();

  /** Call it before the request, so that no poll is faster. @returns a function that undoes it if the service refuses */
  add(profileId: string, runIds: readonly string[]): () => void {
    const keys = runIds.map((runId) => keyOf(profileId, runId));
    for (const key of keys) this.#runs.add(key);
    return () => {
      for (const key of keys) this.#runs.delete(key);
    };
  }

  /** Records the end of a run. @returns whether the user canceled it; a run that finished or failed first still gets a notification */
  take(profileId: string, run: Run): boolean {
    return this.#runs.delete(keyOf(profileId, run.run_id)) && runStatus(run).phase === 'cancelled';
  }
}

function keyOf(profileId: string, runId: string): string {
  return JSON.stringify([profileId, runId]);
}
