/** Turns text into terms for embeddings: lowercase, without English endings, without stop words. */

const stopWords = new Set(
  (
    'a about an and any are as at be been but by can could did do does for from get had has have how i if in into is it its just me my no not of on or ' +
    'our so that the their them then there these they this to too up was we were what when where which who why will with would you your'
  ).split(' '),
);

/** Removes a word's English ending. Coarse, but the same for every text. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 6 && word.endsWith('ing')) return undouble(word.slice(0, -3));
  if (word.length > 5 && word.endsWith('ed')) return undouble(word.slice(0, -2));
  if (word.length > 4 && word.endsWith('es') && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return finalE(word.slice(0, -1));
  return finalE(word);
}

function undouble(word: string): string {
  return finalE(/([bdfglmnprt])\1$/.test(word) ? word.slice(0, -1) : word);
}

function finalE(word: string): string {
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

/** Returns the terms of a text in order. A name with underscores is a term, and so are its parts. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
    const parts = word.split('_').filter((part) => part !== '');
    if (parts.length > 1) terms.push(word);
    for (const part of parts) if (part.length > 1 && !stopWords.has(part)) terms.push(stem(part));
  }
  return terms;
}
