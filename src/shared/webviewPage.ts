import { escapeHtml } from './text.ts';

/** The parts of a webview's page. */
export interface WebviewPage {
  /** New for each page. */
  readonly nonce: string;
  readonly title: string;
  /** Addresses of the page's scripts, in execution order. */
  readonly scripts: readonly string[];
  readonly style: string;
  readonly language: string;
  /** Further directives of the page's policy. */
  readonly policy?: readonly string[];
  /** Data of the page as JSON, by the name of its `data-` attribute; `undefined` is left out. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns a page's policy: scripts and one style sheet, all with the nonce; nothing else is loaded, sent or run. */
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
