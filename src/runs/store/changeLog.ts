/** Older changes are forgotten: after one of them, anything may have changed. */
const maxKept = 1000;

/** Which things changed since somebody looked last, so that nobody has to look at all of them for a few. */
export class ChangeLog {
  #ids: string[] = [];
  #start = 0;

  /** Another number after each change. */
  get mark(): number {
    return this.#start + this.#ids.length;
  }

  add(id: string): void {
    this.#ids.push(id);
    if (this.#ids.length < 2 * maxKept) return;
    this.#ids = this.#ids.slice(maxKept);
    this.#start += maxKept;
  }

  /** Anything may have changed. */
  reset(): void {
    this.#start = this.mark + 1;
    this.#ids = [];
  }

  /** @returns ids that may come more than once; undefined if any may have changed since the mark */
  since(mark: number): readonly string[] | undefined {
    return mark < this.#start ? undefined : this.#ids.slice(mark - this.#start);
  }
}
