import type { KeyNode, MapNode, SeqNode, YamlNode } from './jobDocument.ts';
import type { TextChange } from './textRange.ts';

/** A current column and its new column. */
interface Column {
  readonly old: number;
  readonly new: number;
}

/** Anchors and tags may stand before the key that starts a line. */
const beforeKey = /^[ \t]*(?:[&!]\S*[ \t]+)*$/;

/**
 * The layout of a YAML text: equal indentation for each level, one space after colons and dashes, no trailing spaces, at most one empty
 * line in a row. Changes only white space.
 */
export class Layout {
  readonly #text: string;
  readonly #indent: number;
  readonly #starts: number[] = [0];
  /** How many blanks each line starts with. */
  readonly #indents: Int32Array;
  /** The line found last: the next one is usually near. */
  #lastLine = 0;
  /** The columns of each line that starts with a key, a dash or a value: first its current and new column, then those after its dashes. */
  readonly #columns: (Column[] | undefined)[] = [];
  /** How many spaces each line inside a multi-line value will start with. */
  readonly #inside = new Map<number, number>();
  /** Lines whose trailing spaces are part of a text. */
  readonly #keptEnds = new Set<number>();
  readonly #changes: TextChange[] = [];

  constructor(text: string, indent: number) {
    this.#text = text;
    this.#indent = indent;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
    this.#indents = new Int32Array(this.#starts.length);
    for (let line = 0; line < this.#starts.length; line++) {
      const [start, end] = [this.#start(line), this.#end(line)];
      let at = start;
      while (at < end && isBlank(text.charCodeAt(at))) at++;
      this.#indents[line] = at - start;
    }
  }

  /** Returns the changes, in no particular order, or `undefined` if the layout of the text is not supported. */
  changes(root: YamlNode): readonly TextChange[] | undefined {
    if (isBlock(root)) this.#block(root, 0);
    else {
      this.#put(this.#lineOf(root.start), { old: this.#columnOf(root.start), new: this.#columnOf(root.start) });
      this.#continue(root, { old: 0, new: 0 });
    }
    return this.#indentation() && this.#ends() ? this.#changes : undefined;
  }

  #block(node: MapNode | SeqNode, column: number): void {
    if (node.kind === 'map') for (const { key, value } of node.entries) this.#entry(key, value, column);
    else this.#list(node, column);
  }

  #entry(key: KeyNode, value: YamlNode, column: number): void {
    const line = this.#lineOf(key.start);
    const start = this.#start(line);
    const columns = { old: key.start - start, new: column };
    const indent = this.#indentOf(line);
    const isFirst = columns.old === indent;
    // Most characters before a key are a dash.
    if (
      isFirst ||
      (/[&!]/.test(this.#text[start + indent] ?? '') && beforeKey.test(this.#text.slice(start, key.start)))
    ) {
      columns.old = indent;
      this.#put(line, columns);
    }
    const isEmpty = value.kind === 'scalar' && value.style === 'empty';
    const behind = this.#text.slice(key.end, isEmpty ? value.start : Math.max(key.end, value.start));
    if (!behind.includes('\n')) {
      if (behind !== ': ' && /^[ \t]*:[ \t]*$/.test(behind))
        this.#replace(key.end, key.end + behind.length, isEmpty ? ':' : ': ');
      if (!isEmpty) this.#continue(value, columns);
    } else if (isBlock(value)) this.#block(value, column + this.#indent);
    else this.#ownLine(value, columns, column + this.#indent);
  }

  #list(list: SeqNode, column: number): void {
    const old = this.#columnOf(list.start);
    let first = this.#lineOf(list.start);
    for (const item of list.items) {
      const itemLine = this.#lineOf(item.start);
      let line = itemLine;
      while (line > first && !this.#isDash(this.#start(line) + old)) line--;
      const dash = this.#start(line) + old;
      if (this.#text.slice(this.#start(line), dash).trim() === '') this.#put(line, { old, new: column });
      first = itemLine;
      if (item.kind === 'scalar' && item.style === 'empty') continue;
      const columns = { old, new: column };
      if (itemLine !== line) {
        if (isBlock(item)) this.#block(item, column + 2);
        else this.#ownLine(item, columns, column + 2);
        continue;
      }
      const gap = this.#text.slice(dash + 1, item.start);
      const isGap = gap.trim() === '';
      if (isGap) this.#replace(dash + 1, item.start, ' ');
      const inner = column + (isGap ? 2 : item.start - dash);
      this.#put(line, { old: this.#columnOf(item.start), new: inner });
      if (isBlock(item)) this.#block(item, inner);
      else this.#continue(item, columns);
    }
  }

  /** Lays out a value that is not on the line of its key or dash. */
  #ownLine(value: YamlNode, owner: Column, column: number): void {
    const line = this.#lineOf(value.start);
    this.#put(line, { old: this.#columnOf(value.start), new: column });
    this.#continue(value, owner);
  }

  /** Keeps the further lines of a value in place relative to their owner. */
  #continue(value: YamlNode, owner: Column): void {
    const first = this.#lineOf(value.start);
    const last = this.#lineOf(Math.max(value.start, value.end - 1));
    if (last === first) return;
    let by = owner.new - owner.old;
    const isText = value.kind === 'scalar' && value.style === 'block';
    const header = isText ? this.#text.slice(value.start, this.#end(first)) : '';
    let minIndent = 0;
    if (isText && !/^[|>][-+]?[1-9]/.test(header)) {
      minIndent = this.#indentOf(this.#firstFilled(first + 1, last));
      by = owner.new + this.#indent - minIndent;
    }
    for (let line = first + 1; line <= last; line++) {
      const indent = this.#indentOf(line);
      // Spaces on an empty line are part of a text only if they exceed its indentation.
      if (isText && this.#isEmpty(line) && indent <= minIndent) this.#inside.set(line, 0);
      else this.#inside.set(line, this.#isEmpty(line) && !isText ? indent : Math.max(0, indent + by));
      if (value.kind === 'scalar') this.#keptEnds.add(isText ? line : line - 1);
    }
    // Empty lines below such a text belong to it.
    if (/^[|>][1-9]?\+/.test(header))
      for (let line = last + 1; line < this.#starts.length && this.#isEmpty(line); line++) {
        this.#inside.set(line, this.#indentOf(line));
        this.#keptEnds.add(line);
      }
  }

  #firstFilled(from: number, to: number): number {
    for (let line = from; line < to; line++) if (!this.#isEmpty(line)) return line;
    return to;
  }

  #put(line: number, column: Column): void {
    const known = this.#columns[line];
    if (known) known.push(column);
    else this.#columns[line] = [column];
  }

  /**
   * Lays out the indentation.
   * @returns false if a line is neither part of a visited node nor a comment, a document mark or empty
   */
  #indentation(): boolean {
    // Ordered from left to right, since lines with more indentation come later.
    const open: Column[] = [];
    const next = this.#following();
    for (let line = 0; line < this.#starts.length; line++) {
      const inside = this.#inside.get(line);
      const columns = this.#columns[line];
      const [first] = columns ?? [];
      if (inside !== undefined) this.#indentTo(line, inside);
      else if (columns && first) {
        while ((open.at(-1)?.old ?? -1) >= first.old) open.pop();
        open.push(...columns);
        this.#indentTo(line, first.new);
      } else if (this.#isEmpty(line)) continue;
      else if (this.#text[this.#start(line) + this.#indentOf(line)] === '#') this.#comment(line, open, next[line]);
      else if (!/^(?:---|\.\.\.)\s/.test(`${this.#text.slice(this.#start(line), this.#end(line))} `)) return false;
    }
    return true;
  }

  /** Returns for each line the column of the next line that has one. */
  #following(): (Column | undefined)[] {
    const found: (Column | undefined)[] = [];
    let next: Column | undefined;
    for (let line = this.#starts.length - 1; line >= 0; line--) {
      found[line] = next;
      next = this.#columns[line]?.[0] ?? next;
    }
    return found;
  }

  /** Keeps a comment aligned with the lines whose column it shared. */
  #comment(line: number, open: readonly Column[], next: Column | undefined): void {
    const indent = this.#indentOf(line);
    if (!next && indent === 0) return;
    const above = open.findLast(({ old }) => old <= indent);
    if (next && (next.old === indent || (above?.old !== indent && next.old > (above?.old ?? -1))))
      this.#indentTo(line, next.new);
    else this.#indentTo(line, above?.new ?? 0);
  }

  #indentTo(line: number, count: number): void {
    const start = this.#start(line);
    const indent = this.#indentOf(line);
    const isSame = indent === count && !this.#text.slice(start, start + indent).includes('\t');
    if (!isSame) this.#replace(start, start + indent, ' '.repeat(count));
  }

  /** Lays out line ends, empty lines and the end of the file. */
  #ends(): boolean {
    let empty = 1;
    const last = this.#starts.findLastIndex((_start, line) => !this.#isEmpty(line) || this.#keptEnds.has(line));
    for (let line = 0; line <= last; line++) {
      const end = this.#end(line);
      if (this.#isEmpty(line) && !this.#inside.has(line)) {
        if (++empty > 1) this.#replace(this.#start(line), this.#start(line + 1), '');
        else this.#replace(this.#start(line), end, '');
        continue;
      }
      empty = 0;
      if (isInk(this.#text.charCodeAt(end - 1)) || this.#keptEnds.has(line) || this.#isEmpty(line)) continue;
      const text = this.#text.slice(this.#start(line), end);
      this.#replace(this.#start(line) + text.trimEnd().length, end, '');
    }
    if (this.#keptEnds.has(last) && this.#isEmpty(last)) return true;
    const newline = this.#text.includes('\r\n') ? '\r\n' : '\n';
    this.#replace(this.#end(last), this.#text.length, newline);
    return true;
  }

  #replace(start: number, end: number, text: string): void {
    if (this.#text.slice(start, end) !== text) this.#changes.push({ start, end, text });
  }

  #isDash(offset: number): boolean {
    return this.#text[offset] === '-' && (this.#text[offset + 1] ?? ' ').trim() === '';
  }

  #isEmpty(line: number): boolean {
    return this.#start(line) + this.#indentOf(line) >= this.#end(line);
  }

  #indentOf(line: number): number {
    return this.#indents[line] ?? 0;
  }

  #start(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  /** Returns the offset before the line break, of either kind. */
  #end(line: number): number {
    const next = this.#starts[line + 1];
    if (next === undefined) return this.#text.length;
    return this.#text[next - 2] === '\r' ? next - 2 : next - 1;
  }

  #lineOf(offset: number): number {
    this.#lastLine = this.#lineNear(offset);
    return this.#lastLine;
  }

  #lineNear(offset: number): number {
    for (let line = this.#lastLine; line < this.#lastLine + 3 && this.#start(line) <= offset; line++)
      if (line + 1 >= this.#starts.length || offset < this.#start(line + 1)) return line;
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#start(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #columnOf(offset: number): number {
    return offset - this.#start(this.#lineOf(offset));
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Returns whether a character is visible ASCII. */
function isInk(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

function isBlock(node: YamlNode): node is MapNode | SeqNode {
  return (node.kind === 'map' || node.kind === 'seq') && !node.flow;
}
