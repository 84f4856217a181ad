import type { ScalarValue } from './jobDocument.ts';

const decimalInteger = /^[-+]?[0-9]+$/;
const otherInteger = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const infinity = /^[-+]?\.(?:inf|Inf|INF)$/;
const words: Readonly<Record<string, ScalarValue>> = {
  '~': null,
  null: null,
  Null: null,
  NULL: null,
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
  '.nan': NaN,
  '.NaN': NaN,
  '.NAN': NaN,
};
const maybeWord = /^[~nNtTfF.]/;
const maybeNumber = /^[-+.0-9]/;

/** Integers with more characters are read as texts: no field accepts one, and the cost of parsing one grows faster than its length. */
export const maxDigits = 400;

/** Resolves an unquoted text by the core schema of YAML 1.2, in which `yes`, `on` and dates are plain text. */
export function resolvePlain(source: string): ScalarValue {
  if (maybeNumber.test(source)) {
    if (decimalInteger.test(source)) return source.length > maxDigits ? source : exactInteger(source);
    if (float.test(source)) return Number(source);
    if (otherInteger.test(source)) return source.length > maxDigits ? source : exactInteger(source);
    if (infinity.test(source)) return source.startsWith('-') ? -Infinity : Infinity;
  }
  if (maybeWord.test(source) && Object.hasOwn(words, source)) return words[source] ?? null;
  return source;
}

function exactInteger(source: string): number | bigint {
  // BigInt accepts no plus sign, and Number returns -0 for "-0".
  const value = Number(source);
  if (Number.isSafeInteger(value)) return value + 0;
  return BigInt(source.startsWith('+') ? source.slice(1) : source);
}
