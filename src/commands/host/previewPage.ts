import { escapeHtml } from '../../shared/text.ts';

/** The policy of the page and its frame: only inline styles and pictures. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-src 'self' data: blob:";

/** Returns a page that shows a server's HTML as data in a sandboxed frame: no scripts, no requests, no access to the page around it. */
export function previewPage(title: string, html: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(title)}</title>
<style>html, body { height: 100%; margin: 0; padding: 0 } iframe { border: 0; width: 100%; height: 100%; background: white }</style>
</head>
<body><iframe sandbox title="${escapeHtml(title)}" srcdoc="${escapeHtml(withPolicy(html))}"></iframe></body>
</html>`;
}

/** Adds the policy to the frame's own document, before any of its content. */
function withPolicy(html: string): string {
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">${html}`;
}
