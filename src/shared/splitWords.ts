/** The words of a line, and the quotation mark that was not closed, if any. */
export interface Words {
  readonly words: string[];
  readonly openQuote?: string;
}

/**
 * Splits a command line: blanks separate words; single and double quotes keep blanks. A backslash keeps the next character, except within
 * single quotes; with `escapes: 'quoted'` it does so only within double quotes before `"` and `\`, so that Windows paths need no doubling.
 */
export function splitWords(line: string, { escapes = 'all' }: { escapes?: 'all' | 'quoted' } = {}): Words {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  const isEscape = (next: string): boolean =>
    escapes === 'all' ? quote !== "'" && next !== '' : quote === '"' && /["\\]/.test(next);
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (character === '\\' && isEscape(line.charAt(index + 1))) {
      index += 1;
      word = (word ?? '') + line.charAt(index);
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (word !== undefined) words.push(word);
  return quote === undefined ? { words } : { words, openQuote: quote };
}
