import { endOfString, skipSpace } from './jsonText.ts';

/** Limits on the content of a JSON text. The time to parse a text grows with these, whatever its length. */
export interface JsonLimits {
  /** Maximum number of values of all kinds, including nested ones. */
  readonly maxValues: number;
  /** Maximum nesting of lists and objects. */
  readonly maxDepth: number;
  /** Maximum number of digits in a number. */
  readonly maxDigits?: number;
}

/** No meaningful number has more digits, and parsing one takes more than linear time. */
const usualDigits = 400;

/** Number of non-text characters per value, without consecutive digits: `-1.5e+10`, `false`, and the colon before it. */
const maxWordsOfValue = 20;

/** Returns the limit that a JSON text exceeds, in words such as `more than 200 values`, or `undefined` if there is none. */
export function findExcess(text: string, limits: JsonLimits): string | undefined {
  switch (excessOf(text, limits)) {
    case 'values':
      return `more than ${limits.maxValues} values`;
    case 'depth':
      return `more than ${limits.maxDepth} levels of lists and objects inside of each other`;
    case 'digits':
      return `a number of more than ${limits.maxDigits ?? usualDigits} digits`;
    case undefined:
      return undefined;
  }
}

/**
 * Returns the same as a code. It scans the text once, from quote to quote where possible, without parsing, so it takes a few milliseconds
 * at most. The text need not be JSON.
 */
export function excessOf(
  text: string,
  { maxValues, maxDepth, maxDigits = usualDigits }: JsonLimits,
): 'values' | 'depth' | 'digits' | undefined {
  let values = 1;
  let depth = 0;
  let digits = 0;
  let strings = 0;
  let words = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    digits = code >= zero && code <= nine ? digits + 1 : 0;
    if (digits > maxDigits) return 'digits';
    if (code === quote) {
      at = endOfString(text, at) - 1;
      strings += 1;
    } else if (code <= space) at = skipSpace(text, at) - 1;
    else if (code === comma) values += 1;
    else if (code === openList || code === openObject) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) return 'depth';
    } else if (code === closeList || code === closeObject) depth -= 1;
    else if (digits <= 1) words += 1;
    // Not JSON, as its parser will find at once: too much is between two commas.
    if (words > maxWordsOfValue * maxValues) return undefined;
    // A name and its value count as two strings.
    if (values > maxValues || strings > 2 * maxValues) return 'values';
  }
  return undefined;
}

const [space, quote, comma, zero, nine] = [32, 34, 44, 48, 57] as const;
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125] as const;
