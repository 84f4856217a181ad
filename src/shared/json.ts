/**
 * The only place where API JSON is parsed and written. INT64 values keep every digit: an integer beyond
 * ±(2^53 - 1) is read as a bigint, and a bigint is written as its digits.
 */

interface ReviverContext {
  readonly source?: string;
}

/** ES2025's JSON source text access, which the type library lacks. */
interface ExactJson {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context?: ReviverContext) => unknown,
  ): unknown;
  /** Node 21 and newer; the command line also runs in Node 20. */
  rawJSON?(text: string): unknown;
}

const exactJson = JSON as unknown as ExactJson;

/** Number of digits of the shortest integer that a double may not hold: 2^53 has 16. */
const unsafeDigits = 16;
const maxSafe = String(Number.MAX_SAFE_INTEGER);
const integer = /^-?[0-9]+$/;

/** Longer integers are neither IDs nor sums, and stay what JSON.parse makes of them: exact digits take quadratic time. */
const maxDigits = 1000;
const zero = 48;
const nine = 57;
const minus = 45;

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

interface Found {
  /** Start and end of each integer with its sign, in text order; in one list, because there may be hundreds of thousands. */
  readonly bounds: number[];
  /** Whether all of them are certainly outside of strings. */
  certain: boolean;
}

/**
 * Finds the integers in the text that a double may not hold, where values can be. It checks every 16th character only, because 16
 * consecutive digits cannot hide between two of them.
 */
function findCandidates(text: string): Found | undefined {
  let found: Found | undefined;
  let last = 0;
  for (let at = unsafeDigits - 1; at < text.length; at += unsafeDigits) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (start > last && isDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end++;
    if (end - start >= unsafeDigits && end - start <= maxDigits && isUnsafe(text, start, end)) {
      const signed = text.charCodeAt(start - 1) === minus ? start - 1 : start;
      const standing = standingOf(text, signed, end);
      if (standing !== 'no') {
        found ??= { bounds: [], certain: true };
        found.bounds.push(signed, end);
        if (standing === 'perhaps') found.certain = false;
      }
    }
    // This character is not a digit, so it does not belong to the next integer.
    last = end;
    at = end;
  }
  return found;
}

/** A leading zero is invalid JSON, which the parser reports. */
function isUnsafe(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  if (end - start > unsafeDigits) return first !== zero;
  // The largest safe integer, 9007199254740991, begins with 9 as well.
  return first === nine && text.slice(start, end) > maxSafe;
}

/** Returns whether the characters around digits are those around an integer value. */
function standingOf(text: string, start: number, end: number): 'yes' | 'perhaps' | 'no' {
  let after = end;
  while (after < text.length && isSpace(text.charCodeAt(after))) after++;
  // A comma, a closing bracket or brace, or the end of the text.
  const right = after === text.length ? 44 : text.charCodeAt(after);
  if (right !== 44 && right !== 93 && right !== 125) return 'no';
  let before = start - 1;
  while (before >= 0 && isSpace(text.charCodeAt(before))) before--;
  // A colon, a comma, an opening bracket, or the beginning of the text.
  const left = before < 0 ? 44 : text.charCodeAt(before);
  if (left === 44 || left === 91) return 'perhaps';
  if (left !== 58) return 'no';
  before--;
  while (before >= 0 && isSpace(text.charCodeAt(before))) before--;
  return before > 0 && text.charCodeAt(before) === 34 && closesName(text.charCodeAt(before - 1)) ? 'yes' : 'perhaps';
}

/**
 * Returns whether a quote after this character certainly closes a string. A quote that opens a string follows a comma, colon, bracket,
 * brace or space, and a quote within a string follows a backslash.
 */
function closesName(code: number): boolean {
  return code !== 44 && code !== 58 && code !== 91 && code !== 123 && code !== 92 && !isSpace(code);
}

/** Returns the bounds of the candidates outside of strings, jumping over strings from quote to quote. */
function outsideStrings(text: string, bounds: readonly number[]): readonly number[] {
  let open = text.indexOf('"');
  if (open < 0) return bounds;
  const outside: number[] = [];
  let close = -1;
  for (let index = 0; index < bounds.length; index += 2) {
    const start = bounds[index] ?? 0;
    while (open >= 0 && open < start) {
      if (close < open) close = closingQuote(text, open);
      if (close > start) break;
      open = text.indexOf('"', close + 1);
    }
    const inside = open >= 0 && open < start;
    if (!inside) outside.push(start, bounds[index + 1] ?? start);
  }
  return outside;
}

/** Returns where the string that opens there closes, or a place beyond the text if it does not. */
function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close >= 0 && text.charCodeAt(close - 1) === 92) {
    let backslashes = 1;
    while (text.charCodeAt(close - 1 - backslashes) === 92) backslashes++;
    if (backslashes % 2 === 0) break;
    close = text.indexOf('"', close + 1);
  }
  return close < 0 ? text.length : close;
}

/**
 * Characters that may stand unescaped in a JSON string but never do. One that the text does not contain, plain or escaped, marks our
 * strings reliably; they are one byte wide, so that the text stays compact.
 */
const markers = ['\x7f', '\x80', '\x81', '\x82', '\x83', '\x84'];

function freeMarker(text: string): string | undefined {
  return markers.find((marker) => {
    const digits = marker.charCodeAt(0).toString(16);
    return !text.includes(marker) && !text.includes(`\\u00${digits}`) && !text.includes(`\\u00${digits.toUpperCase()}`);
  });
}

function parseMarked(text: string, bounds: readonly number[], marker: string): unknown {
  const opening = `"${marker}`;
  let marked = '';
  let from = 0;
  for (let index = 0; index < bounds.length; index += 2) {
    const start = bounds[index] ?? 0;
    const end = bounds[index + 1] ?? start;
    marked += `${text.slice(from, start)}${opening}${text.slice(start, end)}"`;
    from = end;
  }
  const value = JSON.parse(marked + text.slice(from)) as unknown;
  if (typeof value === 'string') return value.startsWith(marker) ? BigInt(value.slice(1)) : value;
  restore(value, marker.charCodeAt(0));
  return value;
}

/** Turns marked strings into their integers. It uses its own stack, because nesting may be deep. */
function restore(root: unknown, marker: number): void {
  const open: unknown[] = [root];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) {
      for (let index = 0; index < container.length; index++) {
        const value: unknown = container[index];
        if (typeof value === 'object') {
          if (value !== null) open.push(value);
        } else if (typeof value === 'string' && value.length > unsafeDigits && value.charCodeAt(0) === marker)
          container[index] = BigInt(value.slice(1));
      }
      continue;
    }
    const fields = container as Record<string, unknown>;
    for (const key in fields) {
      const value = fields[key];
      if (typeof value === 'object') {
        if (value !== null) open.push(value);
      } else if (typeof value === 'string' && value.length > unsafeDigits && value.charCodeAt(0) === marker)
        fields[key] = BigInt(value.slice(1));
    }
  }
}

function keepExact(this: unknown, _key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && source.length <= maxDigits && integer.test(source) ? BigInt(source) : value;
}

/**
 * Parses JSON. Integers that a double cannot hold become bigint; everything else is as from JSON.parse. The text is scanned for such
 * integers first, so that most responses cost no more than JSON.parse; if there are any, they become marked strings, which keep their
 * digits.
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
  const found = findCandidates(text);
  const bounds = found?.certain === false ? outsideStrings(text, found.bounds) : found?.bounds;
  if (!bounds || bounds.length === 0) return JSON.parse(text) as unknown;
  const marker = freeMarker(text);
  if (marker === undefined) return exactJson.parse(text, keepExact);
  try {
    return parseMarked(text, bounds, marker);
  } catch {
    // The error for the original text names the right position; if there is none, the slow way works.
    return exactJson.parse(text, keepExact);
  }
}

/** Writes JSON, with bigint values as plain digits. @throws TypeError on a cycle */
export function stringifyJson(value: unknown, indent?: number): string {
  const written = (ofBigint: (digits: string) => unknown): string =>
    (JSON.stringify(
      value,
      (_key, item: unknown) => (typeof item === 'bigint' ? ofBigint(item.toString()) : item),
      indent,
    ) as string | undefined) ?? 'null';
  const { rawJSON } = exactJson;
  if (rawJSON) return written((digits) => rawJSON(digits));
  const marker = freeMarker(written((digits) => digits)) ?? `\x7f${Math.random()}`;
  return written((digits) => marker + digits + marker)
    .replaceAll(`"${marker}`, '')
    .replaceAll(`${marker}"`, '');
}

/**
 * Returns the position of the first character that makes a text invalid JSON, or `undefined` if the text only ends too early. The parser
 * does not always give the position, so it is searched for by parsing beginnings of the text.
 */
export function wrongJsonAt(text: string): number | undefined {
  const end = text.trimEnd().length;
  let [low, high] = [0, end];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (endsEarly(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low === end ? undefined : low;
}

function endsEarly(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const position = /at position (\d+)/.exec(message)?.[1];
    return /^Unexpected end|^Unterminated/.test(message) || Number(position ?? -1) === text.length;
  }
}
