import type { JobsClient } from '../../api/client/client.ts';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import { toAppError, type ErrorKind } from '../../shared/errors.ts';
import type { RunStore } from '../store/runStore.ts';

/** Failures that concern the requested run rather than the service. */
const ofOneRun: ReadonlySet<ErrorKind> = new Set(['rejected', 'forbidden', 'protocol']);
/** How many refused requests before a run is given up. */
const maxRefusals = 2;

/** Reads runs that fell out of the lists individually, and removes those that the service refuses from the store. */
export class SingleRuns {
  readonly #store: RunStore;
  /** Number of refusals per run. */
  readonly #refusals = new Map<string, number>();

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Forgets everything for another profile. */
  clear(): void {
    this.#refusals.clear();
  }

  /** Never fails because of this one run: the others must be shown all the same. */
  async read(jobs: JobsClient, runId: string, signal: AbortSignal): Promise<Run | undefined> {
    try {
      const run = await jobs.getRun(runId, { signal, retry: 'fail' });
      this.#refusals.delete(runId);
      return run;
    } catch (error) {
      const failure = toAppError(error);
      // Deleted in the meantime.
      const isNotFound = failure.kind === 'notFound';
      if (!isNotFound && !ofOneRun.has(failure.kind)) throw failure;
      // A run that has just been started may not be readable yet.
      const isGone = isNotFound && !this.#store.expectedRunIds.has(runId);
      const refusals = (this.#refusals.get(runId) ?? 0) + 1;
      this.#refusals.set(runId, refusals);
      // The run is neither active nor among the newest, and the service refuses it, so it is not shown.
      if (isGone || refusals >= maxRefusals) {
        this.#refusals.delete(runId);
        if (!signal.aborted) this.#store.removeRun(runId);
      }
      return undefined;
    }
  }
}
