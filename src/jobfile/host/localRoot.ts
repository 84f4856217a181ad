import * as vscode from 'vscode';
import type { FileReference } from '../services/jobFileService.ts';

/** Folders whose files are not the user's programs and notebooks. */
export const ignoredFolders = '**/{node_modules,.git,.venv,venv,__pycache__,.ipynb_checkpoints,site-packages}/**';

/** Returns the folder that is `/` for the local service: the first workspace folder on this machine. */
export function localRoot(): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
}

/** Returns whether messages must name the folder. */
export function severalFolders(): boolean {
  return (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
}

/** Returns the file in the folder that a job file names, or `undefined` if it does not exist. */
export async function fileOf(
  folder: Pick<vscode.WorkspaceFolder, 'uri'>,
  { candidates }: FileReference,
): Promise<vscode.Uri | undefined> {
  const uris = candidates.map((path) => vscode.Uri.joinPath(folder.uri, path));
  const found = await Promise.all(uris.map(isThere));
  return uris.find((_uri, index) => found[index]);
}

/** Returns the path by which jobs name a file of the folder. */
export function workspacePath(folder: vscode.WorkspaceFolder, uri: vscode.Uri): string {
  return uri.path.slice(folder.uri.path.replace(/(?<!\/)\/$/, '').length);
}

export async function isThere(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    // The editor reports a missing file only by throwing.
    return false;
  }
}
