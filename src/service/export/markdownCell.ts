import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../../shared/text.ts';
import { safeHtml } from './safeHtml.ts';

const markdown = new MarkdownIt({ html: false, linkify: false });

/** A longer text is nothing that a person wrote. */
const maxMarkdownLength = 200_000;

/** A markdown cell as HTML that makes no request and runs nothing; images are kept only if their data is in them. */
export function renderMarkdown(text: string): string {
  return text.length > maxMarkdownLength ? markdownAsWritten(text) : safeHtml(markdown.render(text)).html;
}

/** A markdown cell that is not rendered. */
export function markdownAsWritten(text: string): string {
  return `<pre>${escapeHtml(text)}</pre>`;
}
