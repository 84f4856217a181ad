import { escapeHtml } from '../shared/escapeHtml.ts';

/** What the page of the chat view is made of. */
export interface PageParts {
  /** New for each page. */
  nonce: string;
  /** Addresses of the page's two files. */
  script: string;
  style: string;
  language: string;
  /** Translated texts for the view to use as the host does; undefined where the editor speaks English. */
  texts: Readonly<Record<string, unknown>> | undefined;
}

/**
 * What the page may load and do: one script and one style sheet, both marked with the nonce, and a worker from a text that
 * the script itself holds (code is coloured there). No images, no fonts, no connections, no inline code.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'worker-src blob:',
    "img-src 'none'",
    "font-src 'none'",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The page of the chat view. */
export function pageHtml({ nonce, script, style, language, texts }: PageParts): string {
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace Chat</title>
<link nonce="${nonce}" rel="stylesheet" href="${escapeHtml(style)}">
</head>
<body${texts === undefined ? '' : ` data-texts="${escapeHtml(JSON.stringify(texts))}"`}><script nonce="${nonce}" src="${escapeHtml(script)}"></script></body>
</html>`;
}
