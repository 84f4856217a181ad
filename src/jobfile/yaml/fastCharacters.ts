/** Code shared by the two files of the fast YAML reader. */

/** Deeper texts are left to the full parser. */
export const maxDepth = 64;

const characters = {
  tab: 9,
  newline: 10,
  carriageReturn: 13,
  space: 32,
  doubleQuote: 34,
  hash: 35,
  quote: 39,
  comma: 44,
  dash: 45,
  colon: 58,
  question: 63,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  bar: 124,
  closeBrace: 125,
} as const;
export const {
  tab,
  newline,
  carriageReturn,
  space,
  doubleQuote,
  hash,
  quote,
  comma,
  dash,
  colon,
  openBracket,
  backslash,
  closeBracket,
  openBrace,
  bar,
  closeBrace,
} = characters;

/** Thrown and caught only inside the fast reader, when the text is not plain enough. */
export class NotPlain extends Error {}

export function giveUp(): never {
  throw notPlain;
}
// A single instance: creating a stack trace for each attempt would cost more than the parse.
const notPlain = new NotPlain('not plain');

/** First characters that do not start an unquoted scalar in YAML. */
export const indicators = new Set('-?:,[]{}#&*!|>\'"%@`'.split('').map((character) => character.charCodeAt(0)));

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '\\': '\\',
  '/': '/',
};

/** Returns the text of a double-quoted scalar, passed without its quotes. Gives up at an unusual escape. */
export function unescaped(inner: string): string {
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_all, code: string) => {
    if (code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return escapes[code] ?? giveUp();
  });
}
