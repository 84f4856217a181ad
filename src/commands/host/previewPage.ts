import { escapeHtml } from '../../shared/escapeHtml.ts';

/** The policy of the page and of the frame in it: styles and pictures that are in the page, and nothing else. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-src 'self' data: blob:";

/** A page that shows HTML of a server as data in a sandboxed frame: no scripts, no requests, no way to the page around it. */
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

/** The frame's own document gets the policy too, before anything of the page is read. */
function withPolicy(html: string): string {
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">${html}`;
}
