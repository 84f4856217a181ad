import type { JobsClient } from '../../api/client/client.ts';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import { toAppError, type ErrorKind } from '../../shared/errors.ts';
import type { RunStore } from '../store/runStore.ts';

/** Failures that say something of the run that was asked for, not of the service. */
const ofOneRun: ReadonlySet<ErrorKind> = new Set(['rejected', 'forbidden', 'protocol']);
/** A run that is refused this often is given up. */
const maxRefusals = 2;

/** Runs that fell out of the lists and are asked for by themselves; those that the service will not give are taken out of the store. */
export class SingleRuns {
  readonly #store: RunStore;
  /** How often each was refused. */
  readonly #refusals = new Map<string, number>();

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Another profile: what was refused says nothing of its runs. */
  clear(): void {
    this.#refusals.clear();
  }

  /** Never fails for what is wrong with this one run alone: the others must be shown all the same. */
  async read(jobs: JobsClient, runId: string, signal: AbortSignal): Promise<Run | undefined> {
    try {
      const run = await jobs.getRun(runId, { signal, retry: 'fail' });
      this.#refusals.delete(runId);
      return run;
    } catch (error) {
      const failure = toAppError(error);
      // Deleted meanwhile.
      const isNotFound = failure.kind === 'notFound';
      if (!isNotFound && !ofOneRun.has(failure.kind)) throw failure;
      // One that was started a moment ago may not be there to be read yet.
      const isGone = isNotFound && !this.#store.expectedRunIds.has(runId);
      const refusals = (this.#refusals.get(runId) ?? 0) + 1;
      this.#refusals.set(runId, refusals);
      // It is neither among the active ones nor among the newest, and the service will not show it: it is not shown here either.
      if (isGone || refusals >= maxRefusals) {
        this.#refusals.delete(runId);
        if (!signal.aborted) this.#store.removeRun(runId);
      }
      return undefined;
    }
  }
}
