import MarkdownIt from 'markdown-it';
import { safeHtml } from './safeHtml.ts';

const markdown = new MarkdownIt({ html: false, linkify: false });

/** A markdown cell as HTML that makes no request and runs nothing; images are kept only where their data is in them. */
export function renderMarkdown(text: string): string {
  return safeHtml(markdown.render(text));
}
