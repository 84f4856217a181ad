/**
 * What the user asks in their own words: the text without fenced blocks and the lines that name them, which is how
 * attached files come. A text of nothing but blocks is asked for by their names.
 */
export function ownWords(text: string): string {
  const kept: string[] = [];
  const names: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    if (fence !== undefined) {
      if (line.startsWith(fence) && /^`+\s*$/.test(line)) fence = undefined;
      continue;
    }
    fence = /^(`{3,})[^`]*$/.exec(line)?.[1];
    if (fence === undefined) {
      kept.push(line);
      continue;
    }
    const isNamed = kept.at(-1)?.endsWith(':') === true && (kept.length === 1 || kept.at(-2)?.trim() === '');
    if (isNamed) names.push((kept.pop() ?? '').slice(0, -1));
  }
  return kept.join('\n').trim() || names.join(', ');
}
