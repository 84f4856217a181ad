/** The pieces of a body that have come, joined once: joining them one by one would cost their square. */
export class Pieces {
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#size += piece.byteLength;
  }

  bytes(): Uint8Array {
    const [only] = this.#pieces;
    if (this.#pieces.length === 1 && only !== undefined) return only;
    const whole = new Uint8Array(this.#size);
    let offset = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, offset);
      offset += piece.byteLength;
    }
    return whole;
  }

  /** As UTF-8. */
  text(): string {
    return new TextDecoder().decode(this.bytes());
  }
}
