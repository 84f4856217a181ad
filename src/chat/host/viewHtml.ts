import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageFiles, pageHtml } from '../chatPage.ts';

/** What the page may load: files of the extension's own, and nothing else. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [pageFolder(extensionUri)],
  };
}

/** The page of the chat view, for this webview, with a nonce of its own. */
export function viewHtml(webview: vscode.Webview, extensionUri: vscode.Uri, isTab = false): string {
  const file = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(pageFolder(extensionUri), name)).toString();
  return pageHtml({
    nonce: randomBytes(24).toString('base64url'),
    scripts: pageFiles.scripts.map(file),
    style: file(pageFiles.style),
    language: vscode.l10n.bundle === undefined ? 'en' : vscode.env.language,
    texts: vscode.l10n.bundle,
    isTab,
  });
}

function pageFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}
