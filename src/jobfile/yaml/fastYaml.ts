import {
  backslash,
  bar,
  carriageReturn,
  colon,
  dash,
  doubleQuote,
  giveUp,
  hash,
  indicators,
  maxDepth,
  newline,
  NotPlain,
  openBrace,
  openBracket,
  quote,
  space,
  tab,
  unescaped,
} from './fastCharacters.ts';
import { FlowReader } from './fastFlow.ts';
import type { KeyNode, MapEntry, ScalarNode, YamlNode } from './jobDocument.ts';
import { resolvePlain } from './plainScalar.ts';

/**
 * Reads the plain part of YAML that job files use: block mappings and lists, single-line scalars, literal blocks, and flow collections (so
 * JSON too). At anything else (anchors, tags, folded or multi-line text, an error) it gives up without reporting a problem, and the full
 * parser decides. It exists because a full parse takes many times as long, and that delays the squiggle after each keystroke.
 */

/** A line end or mark written by other tools, which the full parser handles. */
const unusualCharacter = /\r(?!\n)|\ufeff/;

/** Maximum characters from the start of a block key to its colon. */
const maxKeyLength = 1000;

/**
 * Parses plain YAML.
 * @param text the whole document
 * @param from offset of the first character to read, at the start of a line
 * @param to offset one past the last character
 * @returns the root node, `null` for an empty document, or `undefined` if the text is not plain enough
 */
export function parseFast(text: string, from = 0, to = text.length): YamlNode | null | undefined {
  if (from === 0 && unusualCharacter.test(text)) return undefined;
  try {
    return new FastYaml(text, from, to).document();
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class FastYaml {
  readonly #text: string;
  /**
   * Column of the first character of each line that is neither blank nor a comment; the next two hold the offsets of its first character
   * and of its end.
   */
  readonly #indents: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #limit: number;
  #line = 0;

  constructor(text: string, from: number, to: number) {
    this.#text = text;
    this.#limit = to;
    this.#readLines(from);
  }

  #readLines(from: number): void {
    const text = this.#text;
    let offset = from;
    while (offset < this.#limit) {
      let lineEnd = text.indexOf('\n', offset);
      if (lineEnd < 0 || lineEnd > this.#limit) lineEnd = this.#limit;
      let start = offset;
      while (start < lineEnd && text.charCodeAt(start) === space) start++;
      let end = lineEnd;
      if (end > start && text.charCodeAt(end) === newline && text.charCodeAt(end - 1) === carriageReturn) end--;
      const first = start < end ? text.charCodeAt(start) : newline;
      if (first !== newline && first !== hash) {
        this.#indents.push(start - offset);
        this.#starts.push(start);
        this.#ends.push(end);
      }
      offset = lineEnd + 1;
    }
  }

  document(): YamlNode | null {
    if (this.#indents[0] === 0 && this.#lineText(0) === '---') this.#line = 1;
    if (this.#line === this.#starts.length) return null;
    const node = this.#blockNode(-1, 0);
    if (this.#line !== this.#starts.length) giveUp();
    return node;
  }

  #lineText(line: number): string {
    return this.#text.slice(this.#starts[line], this.#ends[line]);
  }

  #indent(): number {
    return this.#indents[this.#line] ?? -1;
  }

  #at(offset: number): number {
    return this.#text.charCodeAt(offset);
  }

  /** Reads the node that starts at the current line's first character, and moves to the line after it. */
  #blockNode(parentIndent: number, depth: number): YamlNode {
    if (depth > maxDepth) giveUp();
    const start = this.#starts[this.#line] ?? giveUp();
    const end = this.#ends[this.#line] ?? giveUp();
    if (this.#isDash(start, end)) return this.#list(this.#indent(), depth);
    if (this.#isMarker(start)) giveUp();
    if (this.#keyEnd(start, end) >= 0) return this.#map(depth);
    return this.#inlineValue(start, end, parentIndent);
  }

  #isDash(start: number, end: number): boolean {
    return this.#at(start) === dash && (start + 1 === end || this.#at(start + 1) === space);
  }

  #list(indent: number, depth: number): YamlNode {
    const items: YamlNode[] = [];
    const listStart = this.#starts[this.#line] ?? giveUp();
    let listEnd = listStart + 1;
    while (this.#indent() === indent) {
      const line = this.#line;
      const dashAt = this.#starts[line] ?? giveUp();
      const end = this.#ends[line] ?? giveUp();
      if (!this.#isDash(dashAt, end)) break;
      const start = this.#skipSpaces(dashAt + 1, end);
      let item: YamlNode;
      if (start === end || this.#at(start) === hash) {
        this.#line++;
        item = this.#indent() > indent ? this.#blockNode(indent, depth + 1) : emptyAt(dashAt + 1);
      } else if (this.#at(start) === bar) {
        item = this.#literal(start, end, indent);
      } else {
        // The text after the dash is read as a line of its own, at its column.
        this.#indents[line] = indent + (start - dashAt);
        this.#starts[line] = start;
        item = this.#blockNode(indent, depth + 1);
      }
      items.push(item);
      listEnd = item.end;
      if (this.#indent() > indent) giveUp();
    }
    return { kind: 'seq', start: listStart, end: listEnd, flow: false, items };
  }

  #map(depth: number): YamlNode {
    const indent = this.#indent();
    const entries: MapEntry[] = [];
    const mapStart = this.#starts[this.#line] ?? giveUp();
    let mapEnd = mapStart;
    while (this.#indent() === indent) {
      const start = this.#starts[this.#line] ?? giveUp();
      const end = this.#ends[this.#line] ?? giveUp();
      if (this.#isMarker(start)) giveUp();
      const colonAt = this.#keyEnd(start, end);
      if (colonAt < 0) {
        // A list in its key's own column ends the mapping of an outer list.
        if (this.#isDash(start, end)) break;
        giveUp();
      }
      const key = this.#key(start, colonAt);
      const value = this.#entryValue(colonAt, end, indent, depth);
      entries.push({ key, value });
      mapEnd = value.end;
      if (this.#indent() > indent) giveUp();
    }
    return { kind: 'map', start: mapStart, end: mapEnd, flow: false, entries };
  }

  #isMarker(start: number): boolean {
    return this.#text.startsWith('---', start) || this.#text.startsWith('...', start);
  }

  #entryValue(colonAt: number, end: number, indent: number, depth: number): YamlNode {
    const start = this.#skipSpaces(colonAt + 1, end);
    if (start < end && this.#at(start) !== hash) {
      if (this.#at(start) === bar) return this.#literal(start, end, indent);
      if (this.#isDash(start, end)) giveUp();
      return this.#inlineValue(start, end, indent);
    }
    this.#line++;
    const next = this.#indent();
    if (next > indent) return this.#blockNode(indent, depth + 1);
    const nextStart = this.#starts[this.#line] ?? 0;
    if (next === indent && this.#isDash(nextStart, this.#ends[this.#line] ?? 0)) return this.#list(indent, depth + 1);
    return emptyAt(colonAt + 1);
  }

  #skipSpaces(offset: number, end: number): number {
    let at = offset;
    while (at < end && this.#at(at) === space) at++;
    return at;
  }

  /** Returns the offset of the colon that makes the text from `start` a key, or -1. */
  #keyEnd(start: number, end: number): number {
    const first = this.#at(start);
    if (first === doubleQuote || first === quote) {
      const closing = this.#closingQuote(start, end);
      if (closing < 0) return -1;
      const after = this.#skipSpaces(closing + 1, end);
      return after < end && this.#at(after) === colon ? (this.#isColon(after, end) ? after : giveUp()) : -1;
    }
    if (first === openBrace || first === openBracket) return -1;
    for (let at = start; at < end; at++) {
      const character = this.#at(at);
      if (character === colon && this.#isColon(at, end)) return at;
      if (character === hash && this.#at(at - 1) === space) return -1;
      if (character === tab) giveUp();
    }
    return -1;
  }

  #isColon(at: number, end: number): boolean {
    return at + 1 === end || this.#at(at + 1) === space;
  }

  #key(start: number, colonAt: number): KeyNode {
    let end = colonAt;
    while (end > start && this.#at(end - 1) === space) end--;
    const first = this.#at(start);
    // The full parser rejects keys that are too long.
    if (colonAt - start > maxKeyLength) giveUp();
    if (first === doubleQuote || first === quote) return { start, end, name: this.#unquote(start, end) };
    this.#checkPlainStart(start, end);
    const name = this.#text.slice(start, end);
    if (name === '<<') giveUp();
    return { start, end, name };
  }

  #checkPlainStart(start: number, end: number): void {
    const first = this.#at(start);
    if (start === end) giveUp();
    if (!indicators.has(first)) return;
    const isSign =
      first === dash && start + 1 < end && this.#at(start + 1) > space && !indicators.has(this.#at(start + 1));
    if (!isSign) giveUp();
  }

  /** Reads a value that starts and, unless it is a flow collection, ends on the current line. */
  #inlineValue(start: number, end: number, parentIndent: number): YamlNode {
    const first = this.#at(start);
    if (first === openBracket || first === openBrace) return this.#flowValue(start, parentIndent);
    let node: ScalarNode;
    if (first === doubleQuote || first === quote) {
      const closing = this.#closingQuote(start, end);
      if (closing < 0) giveUp();
      node = this.#quoted(start, closing + 1);
      this.#checkRest(closing + 1, end);
    } else {
      this.#checkPlainStart(start, end);
      const valueEnd = this.#plainEnd(start, end);
      node = {
        kind: 'scalar',
        start,
        end: valueEnd,
        value: resolvePlain(this.#text.slice(start, valueEnd)),
        style: 'plain',
      };
    }
    this.#line++;
    if (this.#indent() > parentIndent) giveUp();
    return node;
  }

  #plainEnd(start: number, end: number): number {
    let valueEnd = end;
    for (let at = start; at < end; at++) {
      const character = this.#at(at);
      if (character === colon && this.#isColon(at, end)) giveUp();
      if (character === tab || character === carriageReturn) giveUp();
      if (character === hash && this.#at(at - 1) === space) {
        valueEnd = at;
        break;
      }
    }
    while (this.#at(valueEnd - 1) === space) valueEnd--;
    return valueEnd;
  }

  /** Gives up unless only a comment follows a quoted or flow value on its line. */
  #checkRest(offset: number, end: number): void {
    const at = this.#skipSpaces(offset, end);
    if (at < end && (this.#at(at) !== hash || at === offset)) giveUp();
  }

  #closingQuote(start: number, end: number): number {
    const mark = this.#at(start);
    for (let at = start + 1; at < end; at++) {
      const character = this.#at(at);
      if (character === backslash && mark === doubleQuote) at++;
      else if (character === mark) {
        if (mark === quote && this.#at(at + 1) === quote && at + 1 < end) at++;
        else return at;
      }
    }
    return -1;
  }

  #quoted(start: number, end: number): ScalarNode {
    const style = this.#at(start) === quote ? 'single' : 'double';
    return { kind: 'scalar', start, end, value: this.#unquote(start, end), style };
  }

  #unquote(start: number, end: number): string {
    const inner = this.#text.slice(start + 1, end - 1);
    if (inner.includes('\t') || inner.includes('\r')) giveUp();
    if (this.#at(start) === quote) return inner.includes("'") ? inner.replaceAll("''", "'") : inner;
    return unescaped(inner);
  }

  #literal(start: number, end: number, parentIndent: number): ScalarNode {
    const header = /^\|([-+]?)(?: +#.*| *)$/.exec(this.#text.slice(start, end));
    if (!header) giveUp();
    const chomp = header[1] ?? '';
    const lines: string[] = [];
    let blockIndent = -1;
    let contentEnd = start + 1 + chomp.length;
    let offset = this.#nextLine(end);
    let lastEnded = false;
    while (offset < this.#limit) {
      let lineEnd = this.#text.indexOf('\n', offset);
      lastEnded = lineEnd >= 0 && lineEnd < this.#limit;
      if (!lastEnded) lineEnd = this.#limit;
      let contentStart = offset;
      while (contentStart < lineEnd && this.#at(contentStart) === space) contentStart++;
      let end = lineEnd;
      if (lastEnded && end > contentStart && this.#at(end - 1) === carriageReturn) end--;
      const indent = contentStart - offset;
      if (contentStart >= end) {
        // Blank lines with more spaces than the text are errors or part of it: too rare to handle here.
        if (blockIndent < 0 ? indent > parentIndent + 1 : indent > blockIndent) giveUp();
        lines.push('');
      } else {
        if (this.#at(contentStart) === tab || this.#text.slice(contentStart, end).includes('\r')) giveUp();
        if (blockIndent < 0) blockIndent = indent;
        if (indent < blockIndent || blockIndent <= parentIndent) {
          if (indent > parentIndent) giveUp();
          break;
        }
        lines.push(this.#text.slice(offset + blockIndent, end));
        contentEnd = end;
      }
      offset = lineEnd + 1;
    }
    // The full parser handles empty literals and keep chomping without a final newline.
    if (blockIndent < 0 || blockIndent <= parentIndent || chomp === '+') giveUp();
    while (lines[lines.length - 1] === '') lines.pop();
    const text = lines.join('\n');
    while (this.#line < this.#starts.length && (this.#starts[this.#line] ?? 0) < contentEnd) this.#line++;
    while (this.#at(contentEnd - 1) === space || this.#at(contentEnd - 1) === tab) contentEnd--;
    return { kind: 'scalar', start, end: contentEnd, value: chomp === '-' ? text : `${text}\n`, style: 'block' };
  }

  #nextLine(offset: number): number {
    const at = this.#text.indexOf('\n', offset);
    return at < 0 || at >= this.#limit ? this.#limit : at + 1;
  }

  #flowValue(start: number, parentIndent: number): YamlNode {
    const flow = new FlowReader(this.#text, this.#limit, {
      closingQuote: (at, end) => this.#closingQuote(at, end),
      quoted: (at, end) => this.#quoted(at, end),
    });
    const node = flow.read(start, 0);
    while (this.#line < this.#starts.length && (this.#ends[this.#line] ?? 0) < node.end) this.#line++;
    this.#checkRest(node.end, this.#ends[this.#line] ?? giveUp());
    const lines = this.#text.slice(start, node.end);
    // Inside a block, the lines of a flow collection must be indented more than their key.
    if (parentIndent >= 0 && lines.includes('\n') && flow.minIndent <= parentIndent) giveUp();
    this.#line++;
    if (this.#indent() > parentIndent) giveUp();
    return node;
  }
}

function emptyAt(offset: number): ScalarNode {
  return { kind: 'scalar', start: offset, end: offset, value: null, style: 'empty' };
}
