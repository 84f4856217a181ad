/** Scopes with a color in the style sheet; text in any other scope has the color of the text around it. */
export const colouredScopes = [
  'comment',
  'quote',
  'keyword',
  'literal',
  'selector-tag',
  'meta',
  'string',
  'regexp',
  'char',
  'number',
  'symbol',
  'attr',
  'attribute',
  'property',
  'variable',
  'params',
  'tag',
  'title',
  'section',
  'built_in',
  'type',
  'name',
  'addition',
  'deletion',
  'strong',
  'emphasis',
] as const;

/**
 * Colors of a text: for each run in order, its length and the index of its scope in `colouredScopes`, or -1. Only numbers, so that they can
 * be transferred from a worker without a pause.
 */
export type Colours = Int32Array;

/** Maximum characters of code that is colored, about 1,500 lines; longer code is not worth the wait. */
const maxLength = 60_000;
/** Maximum line length of code that is colored: many grammars take quadratic time for a line. */
const maxLineLength = 5_000;

/** Returns whether the code and each of its lines are short enough to be colored. */
export function isHighlightable(code: string): boolean {
  if (code.length > maxLength) return false;
  for (let from = 0; ;) {
    const end = code.indexOf('\n', from);
    if ((end < 0 ? code.length : end) - from > maxLineLength) return false;
    if (end < 0) return true;
    from = end + 1;
  }
}
