import { columnOf, lineStart } from '../yaml/textRange.ts';

/** The cursor's position inside `{…}` or `[…]`, in text that may be incomplete. */
export interface FlowPlace {
  /** Offset of the outermost bracket. */
  readonly opened: number;
  /** Steps from the outermost bracket's value to the cursor. */
  readonly path: readonly (string | number)[];
  readonly place: 'key' | 'value';
  readonly start: number;
  readonly end: number;
  readonly siblings: ReadonlySet<string>;
  readonly quoted: boolean;
  readonly hasColon: boolean;
  readonly needsSpace: boolean;
}

interface Frame {
  readonly isMap: boolean;
  readonly keys: string[];
  /** The key whose value is being read. */
  key?: string;
  /** Start of the token that is being read. */
  token: number;
}

export interface LineStart {
  readonly start: number;
  /** Offset of the line's value, after key and dashes. */
  readonly value: number;
  readonly indent: number;
}

/** Returns `undefined` outside of brackets, and `inBlockText` in the lines of a `|` or `>` text. */
export function flowAt(
  text: string,
  lines: readonly LineStart[],
  offset: number,
): FlowPlace | 'inBlockText' | undefined {
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index];
    if (!line || line.value > offset) return undefined;
    const first = text[line.value];
    if (first === '|' || first === '>') {
      const next = lines.findIndex(
        (item, at) =>
          at > index &&
          item.indent <= line.indent &&
          text.slice(item.start, item.start + item.indent + 1).trim() !== '',
      );
      const end = next < 0 ? text.length + 1 : (lines[next]?.start ?? 0);
      const lineEnd = text.indexOf('\n', line.value);
      if (offset < end && lineEnd >= 0 && offset > lineEnd && !isOutdentedBlank(text, offset, line.indent))
        return 'inBlockText';
      if (next < 0) return undefined;
      index = next - 1;
    } else if (first === '{' || first === '[') {
      const scan = scanFlow(text, line.value, offset);
      if (scan.place) return scan.place;
      while (index + 1 < lines.length && (lines[index + 1]?.start ?? 0) < scan.end) index++;
    }
  }
  return undefined;
}

/** Returns whether the cursor, on a blank line, is left of the list or object and so outside of it. */
function isOutdentedBlank(text: string, offset: number, indent: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '' && columnOf(text, offset) <= indent;
}

function scanFlow(text: string, opened: number, cursor: number): { end: number; place?: FlowPlace } {
  const stack: Frame[] = [];
  let at = opened;
  let beforeColon = '';
  while (at < text.length) {
    if (at >= cursor && stack.length > 0) break;
    const character = text[at] ?? '';
    const frame = stack[stack.length - 1];
    if (character === '"' || character === "'") {
      const end = quoteEnd(text, at, character);
      if (end > cursor - 1 && cursor > at) break;
      beforeColon = text.slice(at + 1, end - 1);
      at = end;
      continue;
    }
    if (character === '{' || character === '[') {
      stack.push({ isMap: character === '{', keys: [], token: at + 1 });
      beforeColon = '';
    } else if (character === '}' || character === ']') {
      stack.pop();
      if (stack.length === 0) return { end: at + 1 };
    } else if (character === ',' && frame) {
      frame.key = undefined;
      frame.token = at + 1;
      beforeColon = '';
    } else if (character === ':' && frame?.isMap === true && frame.key === undefined && beforeColon !== '') {
      frame.key = beforeColon.trim();
      frame.keys.push(frame.key);
      frame.token = at + 1;
      beforeColon = '';
    } else if (isComment(text, at)) {
      at = lineEndFrom(text, at);
      continue;
    } else if (!/\s/.test(character) || beforeColon !== '') beforeColon += character;
    at++;
  }
  return { end: text.length, place: placeOf(text, opened, cursor, stack) };
}

function isComment(text: string, at: number): boolean {
  return text[at] === '#' && /\s/.test(text[at - 1] ?? '');
}

function lineEndFrom(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function quoteEnd(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote === '"') at++;
    else if (text[at] === quote) return at + 1;
    else if (text[at] === '\n') return at;
  }
  return text.length;
}

function placeOf(text: string, opened: number, cursor: number, stack: readonly Frame[]): FlowPlace | undefined {
  const frame = stack[stack.length - 1];
  if (!frame) return undefined;
  const path = stack.slice(0, -1).map((item) => (item.isMap ? (item.key ?? '') : 0));
  const isKey = frame.isMap && frame.key === undefined;
  if (!isKey) path.push(frame.isMap ? (frame.key ?? '') : 0);
  const skipped = /^\s*/.exec(text.slice(frame.token, cursor))?.[0].length ?? 0;
  const start = frame.token + skipped;
  const rest = /^[^,\]}\n:]*/.exec(text.slice(cursor))?.[0] ?? '';
  const end = cursor + rest.trimEnd().length;
  const after = text.slice(end);
  return {
    opened,
    path,
    place: isKey ? 'key' : 'value',
    start,
    end,
    siblings: new Set([...frame.keys, ...keysAfter(text, end, isKey)]),
    quoted: /^\{\s*"|"\s*:/.test(text.slice(opened, cursor)) || text[start] === '"',
    hasColon: isKey && /^\s*:/.test(after),
    needsSpace: !isKey && frame.isMap && skipped === 0 && text[frame.token - 1] === ':',
  };
}

/** Returns the keys of the innermost mapping after the cursor. */
function keysAfter(text: string, from: number, isKey: boolean): string[] {
  const keys: string[] = [];
  let depth = 0;
  let last = '';
  let isFirst = isKey;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"' || character === "'") {
      const end = quoteEnd(text, at, character);
      if (depth === 0) last = text.slice(at + 1, end - 1);
      at = end - 1;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (depth-- === 0) break;
    } else if (isComment(text, at)) at = lineEndFrom(text, at);
    else if (depth > 0) continue;
    else if (character === ',') {
      last = '';
      isFirst = false;
    } else if (character === ':' && last.trim() !== '') {
      // The first colon belongs to the key under the cursor.
      if (!isFirst) keys.push(last.trim());
      last = '';
    } else if (!/\s/.test(character) || last !== '') last += character;
  }
  return keys;
}
