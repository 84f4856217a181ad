import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';

/** Where the local service of this window's workspace folder keeps its data, and what `/` means to it. */
export interface LocalFolders {
  readonly dataFolder: string;
  readonly root: string;
  /** Whether the root is a folder of the user's; without one it is an empty folder that has yet to be made. */
  readonly hasFolder: boolean;
}

/**
 * The data lies in the extension's own storage, one folder for each workspace folder, so that two windows on one folder share a
 * service and paths of jobs mean that folder's files.
 */
export function localFolders(context: vscode.ExtensionContext): LocalFolders {
  const folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === 'file')?.uri.fsPath;
  const storage = join(context.globalStorageUri.fsPath, 'local');
  const dataFolder = join(storage, folder === undefined ? 'no-folder' : folderName(folder));
  return { dataFolder, root: folder ?? join(dataFolder, 'empty'), hasFolder: folder !== undefined };
}

function folderName(folder: string): string {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return `${
    basename(folder)
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .slice(0, 40) || 'folder'
  }-${digest}`;
}
