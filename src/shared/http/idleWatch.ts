import type { Clock } from '../clock.ts';

/**
 * Tells when something was waited for too long. One timer serves all waits: it is armed anew when it fires too early, since arming one for
 * each piece of a body would cost more than reading it.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #onIdle: () => void;
  #limitInMs = 0;
  /** Undefined while nothing is waited for. */
  #waitingSince: number | undefined;
  #cancelTimer: (() => void) | undefined;
  /** When the timer fires. */
  #timerMs = 0;

  /** @param onIdle called once for a wait that reached its limit */
  constructor(clock: Clock, onIdle: () => void) {
    this.#clock = clock;
    this.#onIdle = onIdle;
  }

  /** Something is waited for from now on; whatever was waited for before has come. */
  wait(limitInMs: number): void {
    this.#limitInMs = limitInMs;
    this.#waitingSince = this.#clock.now();
    if (this.#cancelTimer !== undefined && this.#timerMs <= this.#waitingSince + limitInMs) return;
    this.#cancelTimer?.();
    this.#arm(limitInMs);
  }

  /** It has come, and the reader is busy with it: nothing is waited for until the next `wait`. */
  rest(): void {
    this.#waitingSince = undefined;
  }

  /** As `rest`, and the timer is gone too. */
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
