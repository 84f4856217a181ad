/**
 * The built-in model's tokens: a word, a number or one punctuation mark, each with the white space before it; a word
 * longer than eight characters is several tokens. Nothing is lost: the tokens joined are the text.
 */
// Linear all the same: a run of blanks matches one alternative or the other from its first character on.
// oxlint-disable-next-line regexp/no-super-linear-move
const tokenPattern = /\s*(?:[\p{L}\p{N}_]{1,8}|[^\s\p{L}\p{N}_])|\s+$/gu;

export function tokenize(text: string): string[] {
  return text.match(tokenPattern) ?? [];
}

/** The tokens one by one, as they are wanted. */
export function* tokensOf(text: string): Generator<string> {
  for (const [token] of text.matchAll(tokenPattern)) yield token;
}

export function countTokens(text: string): number {
  let count = 0;
  for (const _token of tokensOf(text)) count += 1;
  return count;
}

/** What an estimate looks at. */
const sampleLength = 20_000;

/** About how many tokens a text has, in the same time however long it is. */
export function estimateTokens(text: string): number {
  if (text.length <= sampleLength) return countTokens(text);
  return Math.round((countTokens(text.slice(0, sampleLength)) * text.length) / sampleLength);
}
