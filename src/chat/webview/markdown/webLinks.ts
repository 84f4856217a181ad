interface WebLink {
  schema: string;
  index: number;
  lastIndex: number;
  text: string;
  url: string;
}

/** An address with its scheme and something of a host; longer ones are no address that anybody follows. */
const address = /(?<![\p{L}\p{N}+.-])https?:\/\/[\p{L}\p{N}[][^\s<>"`\\|^{}]{0,2000}/giu;
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
    return [...text.matchAll(address)].map(({ 0: found, index }) => linkAt(index, withoutEnd(found)));
  }

  matchAtStart(text: string): WebLink | null {
    address.lastIndex = 0;
    const [first] = this.match(text.slice(0, 2_100));
    return first?.index === 0 ? first : null;
  }
}

function linkAt(index: number, url: string): WebLink {
  return { schema: url.slice(0, url.indexOf(':') + 1), index, lastIndex: index + url.length, text: url, url };
}

/** What ends a sentence, or closes what was opened before the address, is no part of it. */
function withoutEnd(found: string): string {
  let end = found.length;
  for (;;) {
    const last = found[end - 1] ?? '';
    const opening = brackets[last];
    const isOver =
      opening === undefined
        ? /[.,;:!?'*_~…’”»]/.test(last)
        : found.slice(0, end).split(last).length > found.slice(0, end).split(opening).length;
    if (!isOver) return found.slice(0, end);
    end -= 1;
  }
}
