import { escapeHtml } from './text.ts';

/** What a page of the editor is made of. */
export interface WebviewPage {
  /** New for each page. */
  readonly nonce: string;
  readonly title: string;
  /** Addresses of the page's files; its scripts are run in this order. */
  readonly scripts: readonly string[];
  readonly style: string;
  readonly language: string;
  /** What else the page may load and do, as directives of its policy. */
  readonly policy?: readonly string[];
  /** What the page reads of itself, by the name of its `data-` attribute, as JSON; what is undefined is left out. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A page's policy: scripts and one style sheet, all marked with the nonce; nothing else is loaded, sent or run. */
export function webviewPolicy(nonce: string, more: readonly string[] = []): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export function webviewPage(page: WebviewPage): string {
  const { nonce } = page;
  const data = Object.entries(page.data)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` data-${name}="${escapeHtml(JSON.stringify(value))}"`);
  const scripts = page.scripts.map((one) => `<script nonce="${nonce}" src="${escapeHtml(one)}"></script>`);
  return `<!DOCTYPE html>
<html lang="${escapeHtml(page.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${webviewPolicy(nonce, page.policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<link nonce="${nonce}" rel="stylesheet" href="${escapeHtml(page.style)}">
</head>
<body${data.join('')}>${scripts.join('')}</body>
</html>`;
}
