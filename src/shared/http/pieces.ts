/** The pieces of a body that have arrived, joined once: joining them one by one would take quadratic time. */
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

const delaySeconds = /^\d{1,12}(\.\d+)?$/;
/** The three date forms of HTTP begin with the day's name. */
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i;

/**
 * Parses the wait that a `Retry-After` header asks for, in milliseconds: seconds or a date.
 * @returns `undefined` if there is none, it has passed, or it cannot be parsed
 */
export function retryAfterInMs(header: string | undefined, nowInMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (delaySeconds.test(text)) {
    const delayInMs = Math.ceil(Number(text) * 1000);
    return delayInMs > 0 ? delayInMs : undefined;
  }
  if (!httpDate.test(text)) return undefined;
  const delayInMs = Date.parse(text) - nowInMs;
  return delayInMs > 0 ? delayInMs : undefined;
}
