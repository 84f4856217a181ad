/** Older changes are forgotten: before them, anything may have changed. */
const maxKept = 1000;

/** Records which items changed, so that readers need not check all of them. */
export class ChangeLog {
  #ids: string[] = [];
  #start = 0;

  /** Changes with each change. */
  get mark(): number {
    return this.#start + this.#ids.length;
  }

  add(id: string): void {
    this.#ids.push(id);
    if (this.#ids.length < 2 * maxKept) return;
    this.#ids = this.#ids.slice(maxKept);
    this.#start += maxKept;
  }

  /** Marks everything as possibly changed. */
  reset(): void {
    this.#start = this.mark + 1;
    this.#ids = [];
  }

  /** @returns IDs, possibly repeated, or `undefined` if anything may have changed since the mark */
  since(mark: number): readonly string[] | undefined {
    return mark < this.#start ? undefined : this.#ids.slice(mark - this.#start);
  }
}
