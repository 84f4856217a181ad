import type { Clock } from '../clock.ts';

/**
 * Reports when something was awaited for too long. One timer serves all waits: it is restarted when it fires too early, because a timer for
 * each piece of a body would cost more than reading it.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #onIdle: () => void;
  #limitInMs = 0;
  /** `undefined` while nothing is awaited. */
  #waitingSince: number | undefined;
  #cancelTimer: (() => void) | undefined;
  /** When the timer fires. */
  #timerMs = 0;

  /** @param onIdle called once for a wait that reached its limit */
  constructor(clock: Clock, onIdle: () => void) {
    this.#clock = clock;
    this.#onIdle = onIdle;
  }

  /** Starts a wait; the previous one has ended. */
  wait(limitInMs: number): void {
    this.#limitInMs = limitInMs;
    this.#waitingSince = this.#clock.now();
    if (this.#cancelTimer !== undefined && this.#timerMs <= this.#waitingSince + limitInMs) return;
    this.#cancelTimer?.();
    this.#arm(limitInMs);
  }

  /** Ends the wait: the reader is busy until the next `wait`. */
  rest(): void {
    this.#waitingSince = undefined;
  }

  /** Does the same as `rest`, and removes the timer. */
  stop(): void {
    this.rest();
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #arm(delayInMs: number): void {
    this.#timerMs = this.#clock.now() + delayInMs;
    this.#cancelTimer = this.#clock.schedule(delayInMs, () => {
      this.#cancelTimer = undefined;
      if (this.#waitingSince === undefined) return;
      const leftInMs = this.#waitingSince + this.#limitInMs - this.#clock.now();
      if (leftInMs > 0) {
        this.#arm(leftInMs);
        return;
      }
      this.rest();
      this.#onIdle();
    });
  }
}
