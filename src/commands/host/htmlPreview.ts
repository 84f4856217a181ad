import * as vscode from 'vscode';
import { previewPage } from './previewPage.ts';

/**
 * Shows HTML that came from a server: no scripts, no requests, no links that do anything. The page is put into a
 * sandboxed frame as data, so that nothing in it reaches the editor.
 */
export function previewHtml(title: string, html: string): void {
  const panel = vscode.window.createWebviewPanel('millrace.preview', title, vscode.ViewColumn.Active, {
    enableScripts: false,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [],
  });
  panel.webview.html = previewPage(title, html);
}
