import type { YamlPath } from '../yaml/jobDocument.ts';
import { flowAt, type FlowPlace } from './flowCursor.ts';

/** The cursor's position in a possibly incomplete file, determined only from the text by indentation and brackets. */
export interface CursorContext {
  /** Path of the mapping into which a key is written, or of the value. All list indexes are 0. */
  readonly path: YamlPath;
  /** `keyOrItem`: after a dash, where either is valid. */
  readonly place: 'key' | 'value' | 'keyOrItem';
  /** Start of the text that a completion replaces. */
  readonly start: number;
  readonly end: number;
  /** Existing keys of the mapping, except the one under the cursor. */
  readonly siblings: ReadonlySet<string>;
  /** Whether the cursor is inside `{…}` or `[…]`. */
  readonly flow: boolean;
  /** Whether keys are written in double quotes, as in JSON. */
  readonly quoted: boolean;
  /** Whether the key under the cursor already has its colon. */
  readonly hasColon: boolean;
  /** Whether a value needs a space before it, because the cursor is directly after the colon. */
  readonly needsSpace: boolean;
  /** Whether a dash starts the line, so that a value must not start a list of its own. */
  readonly behindDash: boolean;
  /** Spaces that a new line needs beyond the indentation of the current line. */
  readonly extraIndent: number;
}

/** A parsed line: the columns of its dashes and of its key. */
interface Line {
  readonly start: number;
  readonly text: string;
  readonly dashes: readonly number[];
  /** Column after indentation and dashes. */
  readonly column: number;
  readonly key?: string;
  /** Offset in the line after the key's colon. */
  readonly afterColon: number;
}

/** Maximum dashes: a line with more is not part of a job, and parsing it would be slow. */
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

/** Returns the cursor's context, or `undefined` in comments and inside multi-line texts. */
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

/** Returns the offset of the value after key and dashes. */
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
  // On a line of only spaces, the cursor's column determines the depth of the next key.
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

/** Returns the path from the top to a position: each step up is the nearest key or dash above that is further left. */
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
