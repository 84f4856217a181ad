/** A change of large settings takes several turns of the event loop: what others change of the same job meanwhile would be lost. */
export class TurnsByJob {
  readonly #last = new Map<bigint, Promise<void>>();

  /** Makes the change after the earlier ones of the job, however they ended. */
  async take(jobId: string, change: () => Promise<void>): Promise<void> {
    const id = BigInt(jobId);
    const earlier = this.#last.get(id);
    const own = earlier ? earlier.then(change, change) : change();
    this.#last.set(id, own);
    try {
      await own;
    } finally {
      if (this.#last.get(id) === own) this.#last.delete(id);
    }
  }
}
