import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { escapeHtml } from '../../shared/escapeHtml.ts';

/** What the page may load: two files of the extension's own, and nothing else. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return { enableScripts: true, enableForms: false, enableCommandUris: false, localResourceRoots: [pageFolder(extensionUri)] };
}

/**
 * The page of the chat view. The policy allows one script and one style sheet, both marked with a nonce that is new for
 * each page: no images, no fonts, no connections, no inline code.
 */
export function pageHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = randomBytes(24).toString('base64url');
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(pageFolder(extensionUri), name)).toString();
  const policy = [
    "default-src 'none'", `script-src 'nonce-${nonce}'`, `style-src 'nonce-${nonce}'`,
    "img-src 'none'", "font-src 'none'", "connect-src 'none'", "base-uri 'none'", "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.l10n.bundle === undefined ? 'en' : escapeHtml(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Millrace Chat</title>
<link nonce="${nonce}" rel="stylesheet" href="${file('chat.css')}">
</head>
<body${textsAttribute()}><script nonce="${nonce}" src="${file('chat.js')}"></script></body>
</html>`;
}

/** The translated texts, for the view to use as the host does; nothing where the editor speaks English. */
function textsAttribute(): string {
  const { bundle } = vscode.l10n;
  return bundle === undefined ? '' : ` data-texts="${escapeHtml(JSON.stringify(bundle))}"`;
}

function pageFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}
