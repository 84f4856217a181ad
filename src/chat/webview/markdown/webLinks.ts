interface WebLink {
  readonly schema: string;
  readonly index: number;
  readonly lastIndex: number;
  readonly text: string;
  readonly url: string;
}

/** Nobody follows a longer address. */
const maxLength = 2_000;
/** An address with its scheme and something of a host. */
const address = /(?<![\p{L}\p{N}+.-])https?:\/\/[\p{L}\p{N}[][^\s<>"`\\|^{}]*/giu;
const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[' };

/**
 * Finds bare addresses in a text, as markdown-it asks for them. In place of the package that it comes with, which knows domains and
 * schemes of all kinds: here only http and https are links, and only with their scheme.
 */
export class WebLinks {
  test(text: string): boolean {
    return /https?:\/\//i.test(text);
  }

  match(text: string): WebLink[] {
    return [...text.matchAll(address)]
      .filter(({ 0: found }) => found.length <= maxLength)
      .map(({ 0: found, index }) => linkAt(index, withoutEnd(found)));
  }

  matchAtStart(text: string): WebLink | null {
    if (!/^https?:\/\//i.test(text)) return null;
    const [first] = this.match(text.slice(0, maxLength + 1).split(/[\s<>"`\\|^{}]/, 1)[0] ?? '');
    return first?.index === 0 ? first : null;
  }
}

function linkAt(index: number, url: string): WebLink {
  return { schema: url.slice(0, url.indexOf(':') + 1), index, lastIndex: index + url.length, text: url, url };
}

/** What ends a sentence, or closes what was opened before the address, is not part of it. */
function withoutEnd(found: string): string {
  const counts = new Map<string, number>();
  for (const mark of found) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  const countOf = (mark: string): number => counts.get(mark) ?? 0;
  let end = found.length;
  for (;;) {
    const last = found[end - 1] ?? '';
    const opening = brackets[last];
    const isOver = opening === undefined ? /[.,;:!?'*_~…’”»]/.test(last) : countOf(last) > countOf(opening);
    if (!isOver) return found.slice(0, end);
    counts.set(last, countOf(last) - 1);
    end -= 1;
  }
}
