/** The scopes that have a colour in the style sheet; text of another scope has the colour of what surrounds it. */
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
 * The colours of a text: for each run of it, in order, its length and the number of its scope in `colouredScopes`, or -1.
 * Numbers only, so that a page takes it over from another thread without a pause.
 */
export type Colours = Int32Array;

/** Longer code stays plain: colours are not worth the wait. About 1,500 lines. */
const maxLength = 60_000;
/** So does code with a longer line: nobody reads its colours, and many grammars take its length squared. */
const maxLineLength = 5_000;

/** Whether the code is short enough to be coloured, in all and in each line. */
export function isHighlightable(code: string): boolean {
  if (code.length > maxLength) return false;
  for (let from = 0; ;) {
    const end = code.indexOf('\n', from);
    if ((end < 0 ? code.length : end) - from > maxLineLength) return false;
    if (end < 0) return true;
    from = end + 1;
  }
}
