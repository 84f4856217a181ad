import type { ListStamps, LocalServiceClient } from '../../api/client/client.ts';
import { delay, type Clock } from '../../shared/clock.ts';
import { isAbort, toAppError } from '../../shared/errors.ts';
import type { RunStore } from '../store/runStore.ts';

/** A service that answers at once that nothing has changed, instead of waiting for a change, is not asked again before this. */
const minRoundInMs = 5000;

export interface ChangeFeedOptions {
  readonly localService: LocalServiceClient;
  readonly store: RunStore;
  readonly clock: Clock;
  /** Takes the ids of the runs that are held by a debugger, with each answer. */
  readonly onHeld?: (runIds: readonly string[]) => void;
}

/** What the local service tells of changes of its lists, so that they are read only if there is something new. */
export class ChangeFeed {
  readonly localService: LocalServiceClient;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #onHeld: ChangeFeedOptions['onHeld'];
  #stamps: ListStamps | undefined;
  /** A wait has just brought the stamps: the look after it need not ask for them. */
  #isJustTold = false;

  constructor({ localService, store, clock, onHeld }: ChangeFeedOptions) {
    this.localService = localService;
    this.#store = store;
    this.#clock = clock;
    this.#onHeld = onHeld;
  }

  /** As the service told them last. */
  get stamps(): ListStamps | undefined {
    return this.#stamps;
  }

  /** The stamps as they are now; undefined if the service tells none: one of an earlier version, which another window has started. */
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

  /** Resolves once there is something to read. A service that does not answer is looked at, which tells what is wrong with it. */
  async next(signal: AbortSignal): Promise<void> {
    for (;;) {
      const askedAtMs = this.#clock.now();
      const known = this.#stamps;
      let told: ListStamps;
      try {
        told = await this.localService.changes(known, { signal, retry: 'fail' });
      } catch (error) {
        if (isAbort(error) || signal.aborted) throw error;
        // Until it broke, the connection would have told of any change.
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
