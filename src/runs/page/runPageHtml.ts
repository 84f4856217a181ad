import { escapeHtml } from '../../shared/escapeHtml.ts';
import type { PageSubject } from './pageProtocol.ts';

/** What the page of a run or job is made of. */
export interface RunPageParts {
  /** New for each page. */
  nonce: string;
  script: string;
  style: string;
  language: string;
  /** Translated texts; undefined where the editor speaks English. */
  texts: Readonly<Record<string, unknown>> | undefined;
  /** What the page is of, for it to remember at once; undefined where that is not known. */
  subject: PageSubject | undefined;
}

/** One script and one style sheet, both marked with the nonce; nothing else is loaded, sent or run. */
export function runPageHtml({ nonce, script, style, language, texts, subject }: RunPageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const data = (name: string, value: unknown): string =>
    value === undefined ? '' : ` data-${name}="${escapeHtml(JSON.stringify(value))}"`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace</title>
<link nonce="${nonce}" rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body${data('texts', texts)}${data('subject', subject)}><script nonce="${nonce}" src="${escapeHtml(script)}"></script></body>
</html>`;
}
