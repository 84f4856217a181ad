import type { Clock } from '../../src/shared/clock.ts';

/** A clock that a test owns: time passes only in `advance`, which runs what falls due in order. */
export class FakeClock implements Clock {
  #now: number;
  #timers: { dueMs: number; order: number; callback: () => void }[] = [];
  #order = 0;

  constructor(nowMs = 1_700_000_000_000) {
    this.#now = nowMs;
  }

  now(): number {
    return this.#now;
  }

  schedule(delayInMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#now + Math.max(0, delayInMs), order: this.#order++, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Timers that are armed: a test's end wants none. */
  get pending(): number {
    return this.#timers.length;
  }

  /** How long until the next timer, or undefined. */
  get nextDelayInMs(): number | undefined {
    return this.#timers.length === 0 ? undefined : Math.min(...this.#timers.map((timer) => timer.dueMs)) - this.#now;
  }

  /** Lets `durationInMs` pass, and all promises that settle meanwhile. */
  async advance(durationInMs: number): Promise<void> {
    const end = this.#now + durationInMs;
    await settle();
    for (;;) {
      const due = this.#timers
        .filter((timer) => timer.dueMs <= end)
        .sort((left, right) => left.dueMs - right.dueMs || left.order - right.order)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.dueMs;
      due.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets everything that is ready run: several turns, since promises hang on promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
