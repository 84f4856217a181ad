import * as vscode from 'vscode';

/** What of the language a user can turn off: `millrace.jobFile.…`. */
type Switch = 'format' | 'inlayHints';

export function isOn(name: Switch, file: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration('millrace.jobFile', file).get(name, true);
}
