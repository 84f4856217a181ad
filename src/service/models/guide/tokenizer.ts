/**
 * The built-in model's tokens: a word, a number or one punctuation mark, each with the white space before it; a word
 * longer than eight characters is several tokens. Nothing is lost: the tokens joined are the text.
 */
const tokenPattern = /\s*(?:[\p{L}\p{N}_]{1,8}|[^\s\p{L}\p{N}_])|\s+$/gu;

export function tokenize(text: string): string[] {
  return text.match(tokenPattern) ?? [];
}

export function countTokens(text: string): number {
  return tokenize(text).length;
}
