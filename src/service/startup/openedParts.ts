/** Closes what was opened, the last first, once. */
export class OpenedParts {
  readonly #closers: (() => unknown)[] = [];
  #closed: Promise<void> | undefined;

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** What cannot be closed keeps nothing else open. @throws what the first of those threw, at the end */
  close(): Promise<void> {
    return (this.#closed ??= this.#closeAll());
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.reverse()) {
      try {
        const closing = close();
        // What closes at once is closed when `close` returns.
        if (closing instanceof Promise) await closing;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
