/** Where a task type's chunk carries its text. */
export interface TextPlace<C> {
  /** The name of the field. */
  readonly field: string;
  /** The text of a chunk that holds one choice with nothing but plain values beside it; undefined for any other chunk. */
  plainText(chunk: C): string | undefined;
  /** A copy of such a chunk with another text. */
  withText(chunk: C, text: string): C;
}

/** A text that no model writes; it shows whether the place that was found is the right one. */
const probe = '\u2402\u2403millrace\u2403\u2402';
/** What ends a JSON string or stands for something else in it. */
const special = /["\\\x00-\x1f]/;

/**
 * Reads the chunks of a stream that differ in nothing but their text, which is nearly all of them, without parsing each:
 * what stands before and after the text is compared as a whole. Exact: the same head and tail around a text without
 * quotes and escapes are the same JSON around another string.
 */
export class ChunkTemplate<C> {
  readonly #place: TextPlace<C>;
  readonly #parse: (data: string) => C | undefined;
  #head = '';
  #tail = '';
  #chunk: C | undefined;
  #misses = 0;

  /** @param parse the slow way: parses and checks the data of an event */
  constructor(place: TextPlace<C>, parse: (data: string) => C | undefined) {
    this.#place = place;
    this.#parse = parse;
  }

  /** The chunk in the data of an event; undefined if it has to be parsed. */
  read(data: string): C | undefined {
    const chunk = this.#chunk;
    if (chunk === undefined) return undefined;
    const from = this.#head.length;
    const to = data.length - this.#tail.length;
    if (to < from || data.slice(0, from) !== this.#head || data.slice(to) !== this.#tail) return undefined;
    const text = data.slice(from, to);
    return special.test(text) ? undefined : this.#place.withText(chunk, text);
  }

  /** Told of data that had to be parsed: now and then it becomes the new template. */
  missed(data: string): void {
    this.#misses++;
    // Rarer and rarer: a stream whose chunks always differ must not pay for it.
    if ((this.#misses & (this.#misses - 1)) === 0) this.#learn(data);
  }

  #learn(data: string): void {
    const opening = new RegExp(`"${this.#place.field}": ?"`).exec(data);
    if (!opening || data.includes(probe)) return;
    const from = opening.index + opening[0].length;
    const to = data.indexOf('"', from);
    if (to < 0 || special.test(data.slice(from, to))) return;
    const head = data.slice(0, from);
    const tail = data.slice(to);
    let chunk: C | undefined;
    try {
      chunk = this.#parse(head + probe + tail);
    } catch {
      return;
    }
    if (chunk === undefined || this.#place.plainText(chunk) !== probe) return;
    this.#head = head;
    this.#tail = tail;
    this.#chunk = chunk;
  }
}

/** Whether every field but `except` holds a plain value, which copies may share. */
export function isFlat(fields: object, except: string): boolean {
  return Object.entries(fields).every(
    ([name, value]) => name === except || typeof value !== 'object' || value === null,
  );
}
