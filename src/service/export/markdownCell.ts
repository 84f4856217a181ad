import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../../shared/text.ts';
import { safeHtml } from './safeHtml.ts';

const markdown = new MarkdownIt({ html: false, linkify: false });
// By default, a host in Punycode is shown in its own letters, which may look like another host.
markdown.normalizeLinkText = (url) => url;

/** Maximum length of a rendered text; no person writes a longer one. */
const maxMarkdownLength = 200_000;

/** Renders a markdown cell as HTML that makes no request and runs nothing. Images are kept only if their data is inline. */
export function renderMarkdown(text: string): string {
  return text.length > maxMarkdownLength ? markdownAsWritten(text) : safeHtml(markdown.render(text)).html;
}

/** Shows a markdown cell as source. */
export function markdownAsWritten(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>`;
}
