import * as vscode from 'vscode';
import { escapeHtml } from '../../shared/escapeHtml.ts';

/**
 * Shows HTML that came from a server: no scripts, no requests, no links that do anything. The page is put into a
 * sandboxed frame as data, so that nothing in it reaches the editor.
 */
export function previewHtml(title: string, html: string): void {
  const panel = vscode.window.createWebviewPanel('millrace.preview', title, vscode.ViewColumn.Active, { enableScripts: false, enableForms: false, enableCommandUris: false, localResourceRoots: [] });
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-src 'self' data: blob:";
  panel.webview.html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(title)}</title>
<style>html, body { height: 100%; margin: 0; padding: 0 } iframe { border: 0; width: 100%; height: 100%; background: white }</style>
</head>
<body><iframe sandbox title="${escapeHtml(title)}" srcdoc="${escapeHtml(withPolicy(html, policy))}"></iframe></body>
</html>`;
}

/** The frame's own document gets the policy too, before anything of the page is read. */
function withPolicy(html: string, policy: string): string {
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">${html}`;
}
