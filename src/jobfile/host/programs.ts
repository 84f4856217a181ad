import * as path from 'node:path';
import * as vscode from 'vscode';
import { ignoredFolders, isThere, localRoot, workspacePath } from './localRoot.ts';

const mostFiles = 1000;

/** The Python files of the folder that jobs of the local service take theirs from. */
export async function pythonFiles(): Promise<{ path: string; isActive: boolean }[]> {
  const folder = localRoot();
  if (!folder) return [];
  const active = vscode.window.activeTextEditor?.document.uri.toString();
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, '**/*.py'),
    ignoredFolders,
    mostFiles,
  );
  return found.map((uri) => ({ path: workspacePath(folder, uri), isActive: uri.toString() === active }));
}

/** Names that are tried before a folder is taken for full of them. */
const maxNames = 100;

/** Makes a file there, under this name or one like it that is not taken. @returns its path, or undefined without a folder */
export async function createFile(name: string, content: string): Promise<string | undefined> {
  const folder = localRoot();
  if (!folder) return undefined;
  const { name: stem, ext } = path.parse(name);
  for (let number = 1; number <= maxNames; number++) {
    const uri = vscode.Uri.joinPath(folder.uri, number === 1 ? name : `${stem}-${number}${ext}`);
    if (await isThere(uri)) continue;
    const edit = new vscode.WorkspaceEdit();
    // The editor itself refuses where a file of this name has come meanwhile.
    edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(content) });
    if (await vscode.workspace.applyEdit(edit)) return workspacePath(folder, uri);
  }
  return undefined;
}
