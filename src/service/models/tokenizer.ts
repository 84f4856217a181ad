/**
 * Tokens of the built-in model: a word, a number or one punctuation mark, each with the white space before it. A word longer than eight
 * characters is several tokens. The tokens joined are the text.
 */
// Linear all the same: a run of blanks matches one alternative or the other from its first character on.
// oxlint-disable-next-line regexp/no-super-linear-move
const tokenPattern = /\s*(?:[\p{L}\p{N}_]{1,8}|[^\s\p{L}\p{N}_])|\s+$/gu;

export function tokenize(text: string): string[] {
  return text.match(tokenPattern) ?? [];
}

/** Yields the tokens one by one. */
export function* tokensOf(text: string): Generator<string> {
  for (const [token] of text.matchAll(tokenPattern)) yield token;
}

export function countTokens(text: string): number {
  let count = 0;
  for (const _token of tokensOf(text)) count += 1;
  return count;
}

/** Number of characters that an estimate is based on. */
const sampleLength = 20_000;

/** Estimates the number of tokens of a text, in constant time. */
export function estimateTokens(text: string): number {
  if (text.length <= sampleLength) return countTokens(text);
  return Math.round((countTokens(text.slice(0, sampleLength)) * text.length) / sampleLength);
}
