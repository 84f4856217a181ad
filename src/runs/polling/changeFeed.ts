import type { ListStamps, LocalServiceClient } from '../../api/client/client.ts';
import { delay, type Clock } from '../../shared/clock.ts';
import { isAbort, toAppError } from '../../shared/errors.ts';
import type { RunStore } from '../store/runStore.ts';

/** A service that answers immediately without a change, instead of waiting for one, is not asked again sooner. */
const minRoundInMs = 5000;

export interface ChangeFeedOptions {
  readonly localService: LocalServiceClient;
  readonly store: RunStore;
  readonly clock: Clock;
  /** Receives the IDs of the runs that are paused in a debugger, with each response. */
  readonly onHeld?: (runIds: readonly string[]) => void;
}

/** Reports changes of the local service's lists, so that they are read only if something is new. */
export class ChangeFeed {
  readonly localService: LocalServiceClient;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #onHeld: ChangeFeedOptions['onHeld'];
  #stamps: ListStamps | undefined;
  /** Whether a wait has just returned the stamps, so that the next poll need not request them. */
  #isJustTold = false;

  constructor({ localService, store, clock, onHeld }: ChangeFeedOptions) {
    this.localService = localService;
    this.#store = store;
    this.#clock = clock;
    this.#onHeld = onHeld;
  }

  /** Stamps of the last response. */
  get stamps(): ListStamps | undefined {
    return this.#stamps;
  }

  /** Reads the current stamps, or returns `undefined` if the service has none: an earlier version, which another window started. */
  async read(signal: AbortSignal): Promise<ListStamps | undefined> {
    if (!this.#isJustTold) {
      try {
        this.#stamps = await this.localService.changes(undefined, { signal, retry: 'fail' });
        this.#onHeld?.(this.#stamps.held ?? []);
      } catch (error) {
        if (toAppError(error).kind === 'notFound') return undefined;
        throw error;
      }
    }
    this.#isJustTold = false;
    return this.#stamps;
  }

  /** Resolves once there is something to read. A service that does not answer is polled, which shows what is wrong with it. */
  async next(signal: AbortSignal): Promise<void> {
    for (;;) {
      const askedAtMs = this.#clock.now();
      const known = this.#stamps;
      let told: ListStamps;
      try {
        told = await this.localService.changes(known, { signal, retry: 'fail' });
      } catch (error) {
        if (isAbort(error) || signal.aborted) throw error;
        // Until it broke, the connection would have reported any change.
        if (toAppError(error).kind !== 'timeout') this.#store.confirm(this.#clock.now());
        return;
      }
      signal.throwIfAborted();
      if (told.jobs !== known?.jobs || told.runs !== known.runs) {
        this.#stamps = told;
        this.#onHeld?.(told.held ?? []);
        this.#isJustTold = true;
        return;
      }
      this.#store.confirm(this.#clock.now());
      await delay(Math.max(0, minRoundInMs - (this.#clock.now() - askedAtMs)), { signal, clock: this.#clock });
    }
  }
}
