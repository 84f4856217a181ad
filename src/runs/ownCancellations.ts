import type { Run } from '../api/schema/jobs/schemas.ts';
import { runStatus } from './runState.ts';

/** Runs that the user cancels here: their end is not news to the user, who has just asked for it. */
export class OwnCancellations {
  readonly #runs = new Set<string>();

  /** Before the service is asked, so that no look at it is quicker. @returns takes it back, if the service refuses */
  add(profileId: string, runIds: readonly string[]): () => void {
    const keys = runIds.map((runId) => keyOf(profileId, runId));
    for (const key of keys) this.#runs.add(key);
    return () => {
      for (const key of keys) this.#runs.delete(key);
    };
  }

  /** The run has ended. @returns whether the user has ended it; one that got done or failed before that is news */
  take(profileId: string, run: Run): boolean {
    return this.#runs.delete(keyOf(profileId, run.run_id)) && runStatus(run).phase === 'cancelled';
  }
}

function keyOf(profileId: string, runId: string): string {
  return JSON.stringify([profileId, runId]);
}
