/** Prevents duplicate work: a second click joins the task that the first one started. */
export class SingleFlight {
  readonly #tasks = new Map<string, Promise<unknown>>();
  readonly #turns = new Map<string, Promise<unknown>>();

  /** Runs the task, or joins the running one with this name. Every caller gets its result or its error. */
  join<T>(name: string, task: () => Promise<T>): Promise<T> {
    const running = this.#tasks.get(name) as Promise<T> | undefined;
    if (running) return running;
    const started = task().finally(() => this.#tasks.delete(name));
    this.#tasks.set(name, started);
    return started;
  }

  /** Works like `join`, but a failure is reported once: a caller that joins waits for the end and gets `undefined`. */
  async once<T>(name: string, task: () => Promise<T>): Promise<T | undefined> {
    const running = this.#tasks.get(name);
    if (!running) return this.join(name, task);
    await settled(running);
    return undefined;
  }

  /** Runs the task after all earlier tasks under this name have settled. */
  inTurn<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(name);
    const mine = before ? before.then(task) : task();
    const ended = settled(mine).then(() => {
      if (this.#turns.get(name) === ended) this.#turns.delete(name);
    });
    this.#turns.set(name, ended);
    return mine;
  }
}

async function settled(task: Promise<unknown>): Promise<void> {
  await Promise.allSettled([task]);
}
