import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';

/** Folders of the local service for this window's workspace folder: its data, and the meaning of `/`. */
export interface LocalFolders {
  readonly dataFolder: string;
  readonly root: string;
  /** Whether the root is a folder of the user. Otherwise it is an empty folder that does not exist yet. */
  readonly hasFolder: boolean;
}

/**
 * Returns the folders. The data lies in the extension's storage, per workspace folder, so that two windows on one folder share a service
 * and job paths mean that folder's files.
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
