import type { CST } from 'yaml';

/** Finds where a text is unclosed. The library reports where it gave up, which may be lines below the start. */
type Find = (token: CST.Token) => number | undefined;

/** Returns the offset of the first `[` or `{` that is not closed, the innermost if there are several, or `undefined` if there is none. */
export function unclosedBracket(tokens: readonly CST.Token[]): number | undefined {
  return firstIn(tokens, (token) => {
    if (token.type !== 'flow-collection') return undefined;
    const expected = token.start.source === '[' ? ']' : '}';
    return token.end[0]?.source === expected ? undefined : token.offset;
  });
}

/** Returns the offset of the opening quote of a text that ends at `end` without a closing quote. */
export function openingQuote(tokens: readonly CST.Token[], end: number): number | undefined {
  return firstIn(tokens, (token) => {
    const isQuoted = token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar';
    return isQuoted && token.offset + token.source.length === end ? token.offset : undefined;
  });
}

/** Searches the children of a token before the token itself. The depth is bounded when the tokens are created. */
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
