import { systemClock, type Clock } from '../../shared/clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly order: number;
  readonly callback: () => void;
  cancel: () => void;
}

/** Maximum number of timers that one call fires: a schedule of every second over years would never return. */
const maxFirings = 1_000_000;

/** A clock for tests that runs like the machine's own and can be moved forward. Timers on the way fire in their order. */
export class TravelClock implements Clock {
  #offsetInMs = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(startAt?: number) {
    if (startAt !== undefined) this.#offsetInMs = startAt - systemClock.now();
  }

  now(): number {
    return systemClock.now() + this.#offsetInMs;
  }

  schedule(delayInMs: number, callback: () => void): () => void {
    const timer: Timer = {
      dueAt: this.now() + Math.max(0, delayInMs),
      order: (this.#order += 1),
      callback,
      cancel: () => undefined,
    };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      timer.cancel();
      this.#timers.delete(timer);
    };
  }

  /** Resolves when every timer on the way has fired and its immediate work is done. @returns how many fired */
  async advance(durationInMs: number): Promise<number> {
    const target = this.now() + durationInMs;
    let fired = 0;
    for (let next = this.#next(target); next && fired < maxFirings; next = this.#next(target), fired += 1) {
      this.#offsetInMs += Math.max(0, next.dueAt - this.now());
      next.cancel();
      this.#timers.delete(next);
      next.callback();
      await settled();
    }
    this.#offsetInMs += Math.max(0, target - this.now());
    for (const timer of this.#timers) this.#arm(timer);
    await settled();
    return fired;
  }

  #next(target: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt > target) continue;
      if (!first || timer.dueAt < first.dueAt || (timer.dueAt === first.dueAt && timer.order < first.order))
        first = timer;
    }
    return first;
  }

  #arm(timer: Timer): void {
    timer.cancel();
    timer.cancel = systemClock.schedule(timer.dueAt - this.now(), () => {
      this.#timers.delete(timer);
      timer.callback();
    });
  }
}

/** Lets the promises and immediates of a timer's callback run. */
async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
