import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { externalLink } from '../../externalLink.ts';

export type { Env, Token };

/** Deeper nesting than anybody writes is a way to exhaust the stack; what is inside stays text. */
const deepestNesting = 40;

/**
 * Markdown without raw HTML. Bare addresses become links only with their scheme ("job.py" is a file, not a site in Paraguay),
 * and no link to anything but http and https is a link at all.
 */
const markdown = new MarkdownIt({ html: false, linkify: true, maxNesting: deepestNesting });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.linkify.add('ftp:', null).add('mailto:', null).add('//', null);
markdown.validateLink = (url) => externalLink(url) !== undefined;

export function parseMarkdown(source: string, env: Env = {}): Token[] {
  return markdown.parse(source, env);
}
