import type { CST } from 'yaml';

/** The offset of the first `[` or `{` that lacks its end, the innermost of several; undefined where there is none. */
export function unclosedBracket(tokens: readonly (CST.Token | null | undefined)[]): number | undefined {
  for (const token of tokens) {
    const found = token ? unclosedIn(token) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function unclosedIn(token: CST.Token): number | undefined {
  switch (token.type) {
    case 'document':
      return unclosedBracket([token.value]);
    case 'block-map':
    case 'block-seq':
      return unclosedBracket(token.items.flatMap((item) => [item.key, item.value]));
    case 'flow-collection': {
      const inner = unclosedBracket(token.items.flatMap((item) => [item.key, item.value]));
      const expected = token.start.source === '[' ? ']' : '}';
      return inner ?? (token.end[0]?.source === expected ? undefined : token.offset);
    }
    default:
      return undefined;
  }
}
