import { plain, styleAfter, withoutAnsi, type TextStyle } from './ansi.ts';

/**
 * Maximum line length. A longer line is split into pieces, each laid out as a line: no screen shows it whole, and laying it out would take
 * long.
 */
export const maxLineLength = 4000;

/** A chunk of the output with the start offsets of its lines. */
interface Chunk {
  readonly text: string;
  /** Index of each line's first character; the last entry is the end of the text. */
  readonly starts: Uint32Array;
  readonly firstLine: number;
  /** Start styles of lines that do not start in the plain style. */
  readonly styles: ReadonlyMap<number, TextStyle>;
  readonly hasControls: boolean;
  /** Whether every character except line breaks takes one column. */
  readonly isSimple: boolean;
}

const simple = /^[\n\x20-\x7e]*$/;

/** The lines of a growing output. Received text is neither copied nor scanned again. */
export class OutputLines {
  readonly #chunks: Chunk[] = [];
  /** Cached because lines are mostly read in order. */
  #lastChunk: Chunk | undefined;
  /** The end of the received text, which is not a complete line yet. */
  #rest = '';
  #restStyle: TextStyle = plain;
  #count = 0;
  /** Indexes of the pieces that continue the line before them, in order. */
  readonly #cuts: number[] = [];
  #characters = 0;

  /** Current number of lines; the last one may still grow. */
  get count(): number {
    return this.#count + (this.#rest === '' ? 0 : 1);
  }

  /** Number of lines that will not change again. */
  get wholeCount(): number {
    return this.#count;
  }

  get characters(): number {
    return this.#characters;
  }

  append(text: string): void {
    this.#characters += text.length;
    const all = this.#rest + text;
    const last = all.lastIndexOf('\n') + 1;
    this.#rest = '';
    if (last > 0) this.#addChunk(withoutOverwritten(all.slice(0, last)));
    this.#keepRest(all.slice(last));
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#lastChunk = undefined;
    this.#cuts.length = 0;
    [this.#rest, this.#restStyle, this.#count, this.#characters] = ['', plain, 0, 0];
  }

  /** Returns the number of the line in the output, counted from 1, or 0 if there is no such line. */
  numberOf(index: number): number {
    return index - lastUpTo(index, this.#cuts.length, (at) => this.#cuts[at]);
  }

  /** Returns whether a line is a piece that continues the line before it. */
  isCut(index: number): boolean {
    return this.#cuts[lastUpTo(index, this.#cuts.length, (at) => this.#cuts[at])] === index;
  }

  /** Returns the line as received, with its control sequences but without text overwritten by a carriage return. */
  line(index: number): string {
    if (index >= this.#count) return shown(this.#rest);
    const chunk = this.#chunkOf(index);
    const at = index - chunk.firstLine;
    return shown(chunk.text.slice(chunk.starts[at], chunk.starts[at + 1]));
  }

  /** Returns the line as displayed. */
  text(index: number): string {
    return withoutAnsi(this.line(index));
  }

  styleAt(index: number): TextStyle {
    if (index >= this.#count) return this.#restStyle;
    return this.#chunkOf(index).styles.get(index) ?? plain;
  }

  /** Returns the maximum number of characters in the line, without scanning it. */
  lengthAtMost(index: number): number {
    if (index >= this.#count) return this.#rest.length;
    const { starts, firstLine } = this.#chunkOf(index);
    return (starts[index - firstLine + 1] ?? 0) - (starts[index - firstLine] ?? 0);
  }

  /** Returns the columns of the line if they are known without scanning it. */
  simpleLength(index: number): number | undefined {
    if (index >= this.#count) return undefined;
    const { text, starts, firstLine, isSimple } = this.#chunkOf(index);
    if (!isSimple) return undefined;
    const end = starts[index - firstLine + 1] ?? 0;
    return end - (starts[index - firstLine] ?? 0) - (text.charCodeAt(end - 1) === 10 ? 1 : 0);
  }

  /**
   * Finds a text from a line on, in at most one received chunk, so that long outputs are searched in turns. A match across a split belongs
   * to the piece in which it ends, at a negative offset.
   * @param wanted text to find, in lower case
   */
  search(wanted: string, from: number, max: number): { found: { line: number; at: number }[]; next: number } {
    const found: { line: number; at: number }[] = [];
    let before = this.isCut(from) ? addMatches([], this.text(from - 1), wanted, from, max) : '';
    if (from >= this.#count) {
      if (from < this.count) addMatches(found, this.text(from), wanted, from, max, before);
      return { found, next: this.count };
    }
    const chunk = this.#chunkOf(from);
    const end = chunk.firstLine + chunk.starts.length - 1;
    const next = Math.min(end, from + 5000);
    for (let line = from; line < next && found.length < max; line += 1) {
      const at = line - chunk.firstLine;
      const text = shown(chunk.text.slice(chunk.starts[at], chunk.starts[at + 1]));
      if (!this.isCut(line)) before = '';
      before = addMatches(found, chunk.hasControls ? withoutAnsi(text) : text, wanted, line, max, before);
    }
    return { found, next };
  }

  /** Yields the whole text as displayed, in pieces, with only its own line breaks. */
  *texts(): Generator<string> {
    for (let line = 0; line < this.#count; line += 1) yield this.text(line) + (this.isCut(line + 1) ? '' : '\n');
    if (this.#rest !== '') yield this.text(this.#count);
  }

  #addChunk(text: string): void {
    const starts: number[] = [];
    for (let at = 0; at < text.length;) {
      starts.push(at);
      const end = text.indexOf('\n', at);
      const stop = end === -1 ? text.length : end + 1;
      // Do not split between a line and its line break.
      at = stop > at + maxLineLength + 2 ? cutAt(text, at + maxLineLength) : stop;
      if (text[at - 1] !== '\n') this.#cuts.push(this.#count + starts.length);
    }
    const hasControls = text.includes('\x1b') || text.includes('\b');
    const styles = new Map<number, TextStyle>();
    let style = this.#restStyle;
    const firstLine = this.#count;
    if (hasControls || style !== plain)
      starts.forEach((start, index) => {
        if (style !== plain) styles.set(firstLine + index, style);
        if (hasControls) style = styleAfter(text.slice(start, starts[index + 1] ?? text.length), style);
      });
    this.#restStyle = style;
    this.#count += starts.length;
    starts.push(text.length);
    const isSimple = !hasControls && simple.test(text);
    this.#chunks.push({ text, starts: Uint32Array.from(starts), firstLine, styles, hasControls, isSimple });
  }

  /** Stores the incomplete last line: an endless line as pieces, and a repeatedly overwritten one only in its current form. */
  #keepRest(text: string): void {
    if (text.length > maxLineLength) {
      const overwritten = text.lastIndexOf('\r', text.length - 2) + 1;
      const rest = text.slice(overwritten);
      const cut = cutAt(rest, rest.length - (rest.length % maxLineLength));
      if (cut > 0) this.#addChunk(rest.slice(0, cut));
      this.#rest = rest.slice(cut);
    } else this.#rest = text;
  }

  #chunkOf(line: number): Chunk {
    const last = this.#lastChunk;
    if (last && line >= last.firstLine && line < last.firstLine + last.starts.length - 1) return last;
    const chunk = this.#chunks[lastUpTo(line, this.#chunks.length, (at) => this.#chunks[at]?.firstLine)];
    if (!chunk) throw new RangeError(`There is no line ${line}.`);
    this.#lastChunk = chunk;
    return chunk;
  }
}

/** Returns the index of the last of `count` ordered places that is not after a line, or -1 if all are. */
function lastUpTo(line: number, count: number, placeOf: (at: number) => number | undefined): number {
  let [low, high] = [-1, count - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((placeOf(middle) ?? 0) <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the offset of a split at or shortly before `at` that separates neither a surrogate pair nor a control sequence. */
function cutAt(text: string, at: number): number {
  return at - (/[\ud800-\udbff]$|\x1b\[?[\d;:]*$/.exec(text.slice(Math.max(0, at - 20), at))?.[0].length ?? 0);
}

/** Removes overwritten text: a progress bar may be written a thousand times in one line, and only its last state is shown. */
function withoutOverwritten(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.split('\n');
  return lines
    .map((line) => (line.length > maxLineLength ? line.slice(line.lastIndexOf('\r', line.length - 2) + 1) : line))
    .join('\n');
}

/** Returns the line without its line break, as a terminal shows it after carriage returns. */
function shown(line: string): string {
  const end = line.endsWith('\r\n') ? line.length - 2 : /[\r\n]$/.test(line) ? line.length - 1 : line.length;
  const from = end > 0 ? line.lastIndexOf('\r', end - 1) + 1 : 0;
  return line.slice(from, end);
}

/**
 * @param before the end of the previous piece: a match may begin in it
 * @returns the end of this piece, for the next call
 */
function addMatches(
  found: { line: number; at: number }[],
  text: string,
  wanted: string,
  line: number,
  max: number,
  before = '',
): string {
  const lower = before + text.toLowerCase();
  let done = 0;
  for (let at = lower.indexOf(wanted); at !== -1 && found.length < max; at = lower.indexOf(wanted, done)) {
    found.push({ line, at: at - before.length });
    done = at + wanted.length;
  }
  return lower.slice(Math.max(done, lower.length - wanted.length + 1));
}
