import { endOfString, skipSpace } from './jsonText.ts';

/** How much a JSON text may hold. What it takes to read a text grows with these, whatever its length. */
export interface JsonLimits {
  /** Values of all kinds, those inside of others included. */
  maxValues: number;
  /** Lists and objects inside of each other. */
  maxDepth: number;
}

/** No number that means anything has more; reading one takes time that grows faster than its length. */
const maxDigits = 400;

/**
 * What a JSON text has too much of, in words such as `more than 200 levels`; undefined if it keeps to the limits. Goes once over the text, from
 * quote to quote if it can, and reads nothing: the text need not be JSON.
 */
export function findExcess(text: string, { maxValues, maxDepth }: JsonLimits): string | undefined {
  let values = 1;
  let depth = 0;
  let digits = 0;
  let strings = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    digits = code >= zero && code <= nine ? digits + 1 : 0;
    if (digits > maxDigits) return `a number of more than ${maxDigits} digits`;
    if (code === quote) {
      at = endOfString(text, at) - 1;
      strings += 1;
    } else if (code <= space) at = skipSpace(text, at) - 1;
    else if (code === comma) values += 1;
    else if (code === openList || code === openObject) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) return `more than ${maxDepth} levels of lists and objects inside of each other`;
    } else if (code === closeList || code === closeObject) depth -= 1;
    // A name and its value are two.
    if (values > maxValues || strings > 2 * maxValues) return `more than ${maxValues} values`;
  }
  return undefined;
}

const [space, quote, comma, zero, nine] = [32, 34, 44, 48, 57] as const;
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125] as const;
