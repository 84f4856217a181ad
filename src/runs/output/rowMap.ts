import { withoutAnsi } from './ansi.ts';

/** The lines that are laid out. */
export interface Measured {
  readonly count: number;
  lengthAtMost(line: number): number;
  text(line: number): string;
  /** Returns the columns of the line if they are known without scanning it. */
  simpleLength(line: number): number | undefined;
}

/** Number of lines that are counted together. */
const blockSize = 256;

/** Maps the lines of an output to rows of a page: one row each, or several for wrapped lines. */
export class RowMap {
  readonly #lines: Measured;
  /** `undefined`: lines are not wrapped. */
  #columns: number | undefined;
  /** Rows before each measured block, and after the last one. */
  #before: number[] = [0];
  /** Rows before each line after the last full block, and after the last line. */
  #tail: number[] = [0];

  constructor(lines: Measured) {
    this.#lines = lines;
  }

  /** @param columns `undefined`: one row per line */
  wrapAt(columns: number | undefined): void {
    if (columns === this.#columns) return;
    this.#columns = columns;
    this.clear();
  }

  clear(): void {
    [this.#before, this.#tail] = [[0], [0]];
  }

  get columns(): number | undefined {
    return this.#columns;
  }

  /** Number of measured lines. Other lines count as one row each until they are measured. */
  get #measuredLines(): number {
    return (this.#before.length - 1) * blockSize;
  }

  get rows(): number {
    if (this.#columns === undefined) return this.#lines.count;
    const tailLines = this.#tail.length - 1;
    return (this.#before.at(-1) ?? 0) + (this.#tail.at(-1) ?? 0) + this.#lines.count - this.#measuredLines - tailLines;
  }

  /** Measures lines until the time is up. Call it after lines were added. @returns whether all lines are measured */
  measure(isTimeUp: () => boolean): boolean {
    if (this.#columns === undefined) return true;
    this.#tail = [0];
    while (this.#measuredLines + blockSize <= this.#lines.count) {
      if (isTimeUp()) return false;
      const first = this.#measuredLines;
      let rows = this.#before.at(-1) ?? 0;
      for (let line = first; line < first + blockSize; line += 1) rows += this.rowsOf(line);
      this.#before.push(rows);
    }
    let rows = 0;
    for (let line = this.#measuredLines; line < this.#lines.count; line += 1) {
      rows += this.rowsOf(line);
      this.#tail.push(rows);
    }
    return true;
  }

  rowsOf(line: number): number {
    const columns = this.#columns;
    if (columns === undefined || this.#lines.lengthAtMost(line) * 2 <= columns) return 1;
    const length = this.#lines.simpleLength(line);
    if (length !== undefined) return Math.max(1, Math.ceil(length / columns));
    return cutsOf(this.#lines.text(line), columns).length;
  }

  /** Returns the first row of a line. */
  rowOf(line: number): number {
    if (this.#columns === undefined) return line;
    const block = Math.min(Math.floor(line / blockSize), this.#before.length - 1);
    let row = this.#before[block] ?? 0;
    if (block === this.#before.length - 1) {
      const rest = line - block * blockSize;
      const known = Math.min(rest, this.#tail.length - 1);
      return row + (this.#tail[known] ?? 0) + rest - known;
    }
    for (let each = block * blockSize; each < line; each += 1) row += this.rowsOf(each);
    return row;
  }

  /** Returns the line of a row, and which of the line's rows it is. */
  lineAt(row: number): { line: number; part: number } {
    if (this.#columns === undefined) return { line: row, part: 0 };
    let [low, high] = [0, this.#before.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#before[middle] ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    let rest = row - (this.#before[low] ?? 0);
    if (low === this.#before.length - 1) {
      const tailLines = this.#tail.length - 1;
      const tailRows = this.#tail.at(-1) ?? 0;
      if (rest >= tailRows) return { line: low * blockSize + tailLines + rest - tailRows, part: 0 };
    }
    for (let line = low * blockSize; ; line += 1) {
      const rows = this.rowsOf(line);
      if (rest < rows) return { line, part: rest };
      rest -= rows;
    }
  }
}

const ascii = /^[\x20-\x7e]*$/;

/** Returns where the rows of a line begin when it wraps at so many columns; the first is 0. */
export function cutsOf(line: string, columns: number): number[] {
  const text = withoutAnsi(line);
  const cuts = [0];
  if (ascii.test(text)) {
    for (let at = columns; at < text.length; at += columns) cuts.push(at);
    return cuts;
  }
  let width = 0;
  let at = 0;
  for (const character of text) {
    const own = widthOf(character.codePointAt(0) ?? 0, width);
    if (width + own > columns && width > 0) {
      cuts.push(at);
      width = 0;
    }
    width += own;
    at += character.length;
  }
  return cuts;
}

/** Returns the columns that a character takes: none for a combining mark, two for East Asian characters and emoji. */
function widthOf(code: number, column: number): number {
  if (code === 9) return 8 - (column % 8);
  if (code < 0x300) return 1;
  if ((code >= 0x300 && code <= 0x36f) || code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f)) return 0;
  return code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xffe6 && code !== 0x303f) || code >= 0x1f300)
    ? 2
    : 1;
}
