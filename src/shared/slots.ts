/** Lets so much work go on at once; the rest waits its turn. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Does the work once there is a place for it.
   * @param options.isNext before all other work that waits
   */
  async run<T>(work: () => Promise<T>, { isNext = false } = {}): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => (isNext ? this.#waiting.unshift(resolve) : this.#waiting.push(resolve)));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
