import type { YamlPath } from '../yaml/yamlNode.ts';
import { flowAt, type FlowPlace } from './flowCursor.ts';

/** Where the cursor is in a file that may be half written: found from the text alone, by indentation and brackets. */
export interface CursorContext {
  /** Of the mapping that a key is written into, or of the value itself. Positions in lists are all 0. */
  readonly path: YamlPath;
  /** `keyOrItem`: behind a dash, after which either may come. */
  readonly place: 'key' | 'value' | 'keyOrItem';
  /** The text that a completion replaces. */
  readonly start: number;
  readonly end: number;
  /** Keys that the mapping has already, the one under the cursor left out. */
  readonly siblings: ReadonlySet<string>;
  /** Inside `{…}` or `[…]`. */
  readonly flow: boolean;
  /** Keys are written in double quotes, as JSON wants. */
  readonly quoted: boolean;
  /** The key under the cursor has its colon already. */
  readonly hasColon: boolean;
  /** A space has to come before a value: the cursor is right behind the colon. */
  readonly needsSpace: boolean;
  /** A dash starts the line, so a value may not open a list of its own. */
  readonly behindDash: boolean;
  /** Spaces that a new line needs beyond the indentation of the cursor's line. */
  readonly extraIndent: number;
}

/** One line taken apart: columns of its dashes and of its key. */
interface Line {
  readonly start: number;
  readonly text: string;
  readonly dashes: readonly number[];
  /** Column behind indentation and dashes. */
  readonly column: number;
  readonly key?: string;
  /** Offset in the line behind the key's colon. */
  readonly afterColon: number;
}

/** Beyond these a line is not a job's, and looking at it would be felt. */
const maxDashes = 50;
const maxKeyLength = 1000;
const keyPattern = /^(?:"((?:[^"\\]|\\.)*)"\s*|'((?:[^']|'')*)'\s*|([^\s#&*!|>'"%@`{[,](?:[^#:]|:(?!\s|$))*)):(?=\s|$)/;

function readLine(text: string, start: number): Line {
  const end = text.indexOf('\n', start);
  const line = text.slice(start, end < 0 ? text.length : end).replace(/\r$/, '');
  const dashes: number[] = [];
  let column = line.length - line.trimStart().length;
  while (dashes.length < maxDashes) {
    const dash = /^-(?:\s+|$)/.exec(line.slice(column, column + maxKeyLength));
    if (!dash) break;
    dashes.push(column);
    column += dash[0].length;
  }
  const match = keyPattern.exec(line.slice(column, column + maxKeyLength));
  const key = match ? (match[1] ?? match[2] ?? match[3] ?? '').trimEnd() : undefined;
  return { start, text: line, dashes, column, key, afterColon: match ? column + match[0].length : -1 };
}

function readLines(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; ;) {
    lines.push(readLine(text, start));
    const end = text.indexOf('\n', start);
    if (end < 0) return lines;
    start = end + 1;
  }
}

function isBlank(line: Line): boolean {
  const first = line.text.trimStart()[0];
  return first === undefined || first === '#' || line.text.startsWith('---');
}

/** What the cursor is at, or undefined in comments and inside texts over several lines. */
export function cursorContext(text: string, offset: number): CursorContext | undefined {
  const lines = readLines(text);
  const index = lines.findLastIndex((line) => line.start <= offset);
  const line = lines[index];
  if (!line) return undefined;
  const cursor = offset - line.start;
  if (inComment(line.text, cursor)) return undefined;
  const flow = flowAt(
    text,
    lines.map((item) => ({ start: item.start, value: valueStart(item), indent: item.dashes[0] ?? item.column })),
    offset,
  );
  if (flow === 'inBlockText') return undefined;
  if (flow) return flowContext(lines, flow);
  return blockContext(lines, index, cursor);
}

/** Offset of what follows key and dashes. */
function valueStart(line: Line): number {
  const from = line.key === undefined ? line.column : line.afterColon;
  const rest = line.text.slice(from);
  return line.start + from + (rest.length - rest.trimStart().length);
}

function inComment(line: string, cursor: number): boolean {
  let quote = '';
  for (let at = 0; at < cursor; at++) {
    const character = line[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      if (at === 0 || /[\s[{,:-]/.test(line[at - 1] ?? '')) quote = character;
    } else if (character === '#' && (at === 0 || /\s/.test(line[at - 1] ?? ''))) return true;
  }
  return false;
}

function flowContext(lines: readonly Line[], flow: FlowPlace): CursorContext {
  const index = lines.findLastIndex((line) => line.start <= flow.opened);
  const line = lines[index];
  const owner = line
    ? pathTo(lines, index, line.key === undefined ? line.dashes : [...line.dashes], line.column, line.key)
    : [];
  return {
    path: [...owner, ...flow.path],
    place: flow.place,
    start: flow.start,
    end: flow.end,
    siblings: flow.siblings,
    flow: true,
    quoted: flow.quoted,
    hasColon: flow.hasColon,
    needsSpace: flow.needsSpace,
    behindDash: false,
    extraIndent: 0,
  };
}

function blockContext(lines: readonly Line[], index: number, cursor: number): CursorContext | undefined {
  const line = lines[index];
  if (!line) return undefined;
  const base = {
    flow: false,
    quoted: false,
    extraIndent: 0,
    hasColon: false,
    needsSpace: false,
    behindDash: line.dashes.length > 0,
  };
  if (line.key !== undefined && cursor >= line.afterColon) {
    const start = Math.max(valueStart(line) - line.start, line.afterColon);
    const from = cursor < start ? cursor : start;
    return {
      ...base,
      path: pathTo(lines, index, line.dashes, line.column, line.key),
      place: 'value',
      start: line.start + from,
      end: line.start + Math.max(cursor, valueEnd(line.text, start)),
      siblings: new Set(),
      needsSpace: cursor === line.afterColon && line.text[line.afterColon] !== ' ',
    };
  }
  // On a line of spaces only, the cursor's own column says how deep the next key is.
  const isEmptyLine = line.text.trim() === '';
  const column = isEmptyLine ? cursor : line.column;
  if (cursor < column) return undefined;
  const wordEnd =
    line.key === undefined
      ? Math.max(cursor, valueEnd(line.text, column))
      : column + line.text.slice(column, line.afterColon - 1).trimEnd().length;
  return {
    ...base,
    path: pathTo(lines, index, line.dashes, column, undefined),
    place: line.dashes.length > 0 && line.key === undefined ? 'keyOrItem' : 'key',
    start: line.start + column,
    end: line.start + wordEnd,
    siblings: siblingsOf(lines, index, column),
    hasColon: line.key !== undefined,
    extraIndent: line.dashes.length > 0 ? column - (line.dashes[0] ?? 0) : 0,
  };
}

function valueEnd(line: string, start: number): number {
  const comment = /(?<!\s)\s+#/.exec(line.slice(start));
  return start + (comment ? comment.index : line.slice(start).trimEnd().length);
}

/** Climbs from a place to the top: each step is the nearest key or dash above that stands further left. */
function pathTo(
  lines: readonly Line[],
  index: number,
  dashes: readonly number[],
  column: number,
  key: string | undefined,
): YamlPath {
  const path: (string | number)[] = [];
  let keyLimit = column;
  let dashLimit = column;
  const takeDashes = (columns: readonly number[]): void => {
    for (const dash of columns.toReversed()) {
      if (dash >= dashLimit) continue;
      path.unshift(0);
      dashLimit = dash;
      // A list may start in its key's own column.
      keyLimit = dash + 1;
    }
  };
  if (key !== undefined) path.unshift(key);
  takeDashes(dashes);
  for (let above = index - 1; above >= 0 && keyLimit > 0; above--) {
    const line = lines[above];
    if (!line || isBlank(line)) continue;
    if (line.key !== undefined && line.column < keyLimit) {
      path.unshift(line.key);
      keyLimit = line.column;
      dashLimit = line.column;
    }
    takeDashes(line.dashes);
  }
  return path;
}

function siblingsOf(lines: readonly Line[], index: number, column: number): ReadonlySet<string> {
  const siblings = new Set<string>();
  const own = lines[index];
  for (let above = index - 1; above >= 0 && (own?.dashes.length ?? 0) === 0; above--) {
    const line = lines[above];
    if (!line || isBlank(line)) continue;
    if (line.column === column && line.key !== undefined) siblings.add(line.key);
    if ((line.dashes[0] ?? line.column) < column) break;
  }
  for (let below = index + 1; below < lines.length; below++) {
    const line = lines[below];
    if (!line || isBlank(line)) continue;
    if ((line.dashes[0] ?? line.column) < column) break;
    if (line.column === column && line.key !== undefined) siblings.add(line.key);
  }
  return siblings;
}
