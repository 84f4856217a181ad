import type { CST } from 'yaml';

/** Where a text lacks the end of something. The library points at where it gave up, which may be lines below the beginning. */
type Find = (token: CST.Token) => number | undefined;

/** The offset of the first `[` or `{` that lacks its end, the innermost of several; undefined if there is none. */
export function unclosedBracket(tokens: readonly CST.Token[]): number | undefined {
  return firstIn(tokens, (token) => {
    if (token.type !== 'flow-collection') return undefined;
    const expected = token.start.source === '[' ? ']' : '}';
    return token.end[0]?.source === expected ? undefined : token.offset;
  });
}

/** The offset of the quote that begins the text which ends at `end` without another one. */
export function openingQuote(tokens: readonly CST.Token[], end: number): number | undefined {
  return firstIn(tokens, (token) => {
    const isQuoted = token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar';
    return isQuoted && token.offset + token.source.length === end ? token.offset : undefined;
  });
}

/** Looks inside a token before at it. The depth of what is looked at is bounded when the tokens are made. */
function firstIn(tokens: Iterable<CST.Token | null | undefined>, find: Find): number | undefined {
  for (const token of tokens) {
    const found = token ? (firstIn(childrenOf(token), find) ?? find(token)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function* childrenOf(token: CST.Token): Iterable<CST.Token | null | undefined> {
  if (token.type === 'document') yield token.value;
  if (token.type !== 'block-map' && token.type !== 'block-seq' && token.type !== 'flow-collection') return;
  for (const item of token.items) {
    yield item.key;
    yield item.value;
  }
}
