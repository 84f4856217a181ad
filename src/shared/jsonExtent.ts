import { endOfString, skipSpace } from './jsonText.ts';

/** How much a JSON text may hold. What it takes to read a text grows with these, whatever its length. */
export interface JsonLimits {
  /** Values of all kinds, those inside of others included. */
  readonly maxValues: number;
  /** Lists and objects inside of each other. */
  readonly maxDepth: number;
  /** Of one number. */
  readonly maxDigits?: number;
}

/** No number that means anything has more; reading one takes time that grows faster than its length. */
const usualDigits = 400;

/** Characters of a value that is not text, without digits that follow another: `-1.5e+10`, `false`, and the colon before it. */
const maxWordsOfValue = 20;

/** What a JSON text has too much of, in words such as `more than 200 values`; undefined if it keeps to the limits. */
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
 * The same as a code. Goes once over the text, from quote to quote if it can, and reads nothing, so it takes a few milliseconds for the
 * longest one: the text need not be JSON.
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
    // No JSON, as its parser finds out at once: too much stands between two commas.
    if (words > maxWordsOfValue * maxValues) return undefined;
    // A name and its value are two.
    if (values > maxValues || strings > 2 * maxValues) return 'values';
  }
  return undefined;
}

const [space, quote, comma, zero, nine] = [32, 34, 44, 48, 57] as const;
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125] as const;
