import {
  carriageReturn,
  closeBrace,
  closeBracket,
  colon,
  comma,
  dash,
  doubleQuote,
  giveUp,
  hash,
  indicators,
  maxDepth,
  newline,
  openBrace,
  openBracket,
  quote,
  space,
  tab,
} from './fastCharacters.ts';
import type { KeyNode, MapEntry, ScalarNode, YamlNode } from './jobDocument.ts';
import { resolvePlain } from './plainScalar.ts';

/** The quoted string reader of the file's parser. */
export interface Quotes {
  closingQuote(start: number, end: number): number;
  quoted(start: number, end: number): ScalarNode;
}

/** Reads `[…]` and `{…}` that span any number of lines. */
export class FlowReader {
  /** Smallest indentation of the lines read. */
  minIndent = Infinity;
  readonly #text: string;
  readonly #limit: number;
  readonly #quotes: Quotes;

  constructor(text: string, limit: number, quotes: Quotes) {
    this.#text = text;
    this.#limit = limit;
    this.#quotes = quotes;
  }

  read(start: number, depth: number): YamlNode {
    if (depth > maxDepth) giveUp();
    const first = this.#text.charCodeAt(start);
    if (first === openBracket) return this.#list(start, depth);
    if (first === openBrace) return this.#map(start, depth);
    return this.#scalar(start);
  }

  #list(start: number, depth: number): YamlNode {
    const items: YamlNode[] = [];
    let at = this.#skip(start + 1);
    while (this.#text.charCodeAt(at) !== closeBracket) {
      const item = this.read(at, depth + 1);
      items.push(item);
      at = this.#skip(item.end);
      // `[a: 1]` is a mapping in a list.
      at = this.#separator(at, closeBracket);
    }
    return { kind: 'seq', start, end: at + 1, flow: true, items };
  }

  #map(start: number, depth: number): YamlNode {
    const entries: MapEntry[] = [];
    let at = this.#skip(start + 1);
    while (this.#text.charCodeAt(at) !== closeBrace) {
      const keyNode = this.#scalar(at);
      const key: KeyNode = {
        start: keyNode.start,
        end: keyNode.end,
        name: keyNode.style === 'plain' ? this.#text.slice(keyNode.start, keyNode.end) : String(keyNode.value),
      };
      if (key.name === '<<') giveUp();
      const colonAt = this.#skip(keyNode.end);
      if (this.#text.charCodeAt(colonAt) !== colon || this.#text.slice(keyNode.end, colonAt).includes('\n')) giveUp();
      if (keyNode.style === 'plain' && this.#text.charCodeAt(colonAt + 1) > space) giveUp();
      at = this.#skip(colonAt + 1);
      const value = this.read(at, depth + 1);
      entries.push({ key, value });
      at = this.#separator(this.#skip(value.end), closeBrace);
    }
    return { kind: 'map', start, end: at + 1, flow: true, entries };
  }

  /** Skips a comma, or stops at the closing bracket. */
  #separator(at: number, closing: number): number {
    const character = this.#text.charCodeAt(at);
    if (character === closing) return at;
    return character === comma ? this.#skip(at + 1) : giveUp();
  }

  /** Skips spaces, line ends and comments. */
  #skip(offset: number): number {
    const text = this.#text;
    let at = offset;
    while (at < this.#limit) {
      const character = text.charCodeAt(at);
      if (character === space || character === carriageReturn) at++;
      else if (character === newline) at = this.#enterLine(at + 1);
      else if (character === hash && text.charCodeAt(at - 1) <= space) {
        const lineEnd = text.indexOf('\n', at);
        at = lineEnd < 0 ? this.#limit : lineEnd;
      } else if (character === tab) giveUp();
      else return at;
    }
    return giveUp();
  }

  #enterLine(offset: number): number {
    let at = offset;
    while (this.#text.charCodeAt(at) === space) at++;
    const first = this.#text.charCodeAt(at);
    if (first !== newline && first !== carriageReturn && first !== hash)
      this.minIndent = Math.min(this.minIndent, at - offset);
    return at;
  }

  #scalar(start: number): ScalarNode {
    const text = this.#text;
    const first = text.charCodeAt(start);
    if (first === doubleQuote || first === quote) {
      const lineEnd = text.indexOf('\n', start);
      const closing = this.#quotes.closingQuote(start, lineEnd < 0 ? this.#limit : Math.min(lineEnd, this.#limit));
      return closing < 0 ? giveUp() : this.#quotes.quoted(start, closing + 1);
    }
    const sign = first === dash && text.charCodeAt(start + 1) > space && !indicators.has(text.charCodeAt(start + 1));
    if (indicators.has(first) && !sign) giveUp();
    let end = start;
    scan: for (; end < this.#limit; end++) {
      const character = text.charCodeAt(end);
      switch (character) {
        case comma:
        case openBracket:
        case closeBracket:
        case openBrace:
        case closeBrace:
        case newline:
          break scan;
        case tab:
        case carriageReturn:
          if (character === carriageReturn && text.charCodeAt(end + 1) === newline) break scan;
          giveUp();
          break;
        case colon: {
          const next = text.charCodeAt(end + 1);
          if (next <= space) break scan;
          if (
            next === comma ||
            next === openBracket ||
            next === closeBracket ||
            next === openBrace ||
            next === closeBrace
          )
            giveUp();
          break;
        }
        case hash:
          if (text.charCodeAt(end - 1) <= space) break scan;
          break;
        default:
      }
    }
    while (end > start && text.charCodeAt(end - 1) === space) end--;
    if (end === start) giveUp();
    return { kind: 'scalar', start, end, value: resolvePlain(text.slice(start, end)), style: 'plain' };
  }
}
