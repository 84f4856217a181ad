import type { AppError } from '../../shared/errors.ts';

/** Jobs API 2.0, Errors: at least 30 seconds between attempts after a server-side failure. */
export const sickGapInMs = 30_000;

/**
 * What is known about the health of one endpoint. While it is sick, one request goes out at a time, and none earlier
 * than 30 seconds after the last failure, however many callers there are.
 */
export class Circuit {
  #failure: AppError | undefined;
  #probing = false;
  #nextProbeAt = 0;
  readonly #waiting = new Set<() => void>();

  get isSick(): boolean {
    return this.#failure !== undefined;
  }

  /** Why it is sick. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  get nextProbeAt(): number {
    return this.#nextProbeAt;
  }

  /** Whether a request may go out now; a true answer takes the one place there is until the outcome is told. */
  enter(now: number): boolean {
    if (!this.#failure) return true;
    if (this.#probing || now < this.#nextProbeAt) return false;
    this.#probing = true;
    return true;
  }

  /** Someone asked for an attempt at once. */
  allowNow(now: number): void {
    if (!this.#failure) return;
    this.#nextProbeAt = Math.min(this.#nextProbeAt, now);
    this.#changed();
  }

  succeeded(): void {
    this.#failure = undefined;
    this.#probing = false;
    this.#changed();
  }

  failed(error: AppError, nextProbeAt: number): void {
    this.#failure = error;
    this.#probing = false;
    this.#nextProbeAt = Math.max(this.#nextProbeAt, nextProbeAt);
    this.#changed();
  }

  /** The request ended without telling anything about the endpoint: it was aborted. */
  released(): void {
    this.#probing = false;
    this.#changed();
  }

  /** Calls back at each change; the returned function ends that. */
  watch(listener: () => void): () => void {
    this.#waiting.add(listener);
    return () => this.#waiting.delete(listener);
  }

  #changed(): void {
    for (const listener of [...this.#waiting]) listener();
  }
}
