import { toDisposable, type Disposable } from './lifecycle.ts';

/** Subscribes a listener; dispose to unsubscribe. The editor's own `Event<T>` has a compatible shape. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** A typed event source. A listener that throws does not keep the others from being called. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(
    onError: (error: unknown) => void = (error) =>
      queueMicrotask(() => {
        throw error;
      }),
  ) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    // A wrapper makes two subscriptions of one function independent.
    const entry = (value: T): void => listener(value);
    this.#listeners.add(entry);
    return toDisposable(() => this.#listeners.delete(entry));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
