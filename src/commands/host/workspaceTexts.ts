import { realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { TextDecoder } from 'node:util';
import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import { sizeText } from '../../shared/text.ts';
import type { WorkspaceFile } from '../ui.ts';
import { openFile } from './editorFiles.ts';

const maxFiles = 500;
const maxBytes = 200_000;
const notListed = '**/{node_modules,__pycache__,dist,out,.*}/**';

/** Returns the workspace paths of files, without hidden ones and those of tools; at most 500. */
export async function listWorkspaceFiles(folder: string): Promise<string[]> {
  const within = partsOf(folder).join('/');
  const found = await vscode.workspace.findFiles(within === '' ? '**/*' : `${within}/**/*`, notListed, maxFiles);
  return found
    .map((uri) => vscode.workspace.asRelativePath(uri))
    .filter((name) => !path.posix.basename(name).startsWith('.'))
    .sort();
}

/**
 * Reads a workspace file from disk.
 * @throws AppError if the path leads out of the workspace, is hidden, or is not a text of at most 200 kB
 */
export async function readWorkspaceText(name: string): Promise<string> {
  const uri = await locate(name);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  if (text.includes('\0')) throw new AppError('invalid', vscode.l10n.t('{0} is not a text file.', name));
  return text;
}

/** Returns the active editor's file if it is in the workspace. */
export async function activeFile(): Promise<WorkspaceFile | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  if (!active || !vscode.workspace.getWorkspaceFolder(active)) return undefined;
  return workspaceFile(vscode.workspace.asRelativePath(active));
}

/** Returns the file as the editor has it, including unsaved changes. */
export async function workspaceFile(path: string): Promise<WorkspaceFile> {
  await readWorkspaceText(path);
  const document = await vscode.workspace.openTextDocument(await locate(path));
  return { ...openFile(document), path, isDirty: document.isDirty };
}

async function locate(name: string): Promise<vscode.Uri> {
  const parts = partsOf(name);
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    // In a workspace with several folders, a path starts with the name of its folder.
    const own = parts[0] === folder.name && vscode.workspace.workspaceFolders?.length !== 1 ? parts.slice(1) : parts;
    const uri = vscode.Uri.joinPath(folder.uri, ...own);
    const stat = await vscode.workspace.fs.stat(uri).then(undefined, () => undefined);
    if (!stat || stat.type === vscode.FileType.Directory) continue;
    await requireInside(folder.uri, uri, name);
    if (stat.size > maxBytes)
      throw new AppError('tooLarge', vscode.l10n.t('{0} has {1}, too much to read.', name, sizeText(stat.size)));
    return uri;
  }
  throw new AppError('notFound', vscode.l10n.t('There is no file {0} in the workspace.', name));
}

function partsOf(name: string): string[] {
  const parts = name.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
  const hidden = parts.find((part) => part.startsWith('.'));
  if (hidden !== undefined || /^[A-Za-z]:/.test(name))
    throw new AppError('invalid', vscode.l10n.t('{0} is hidden or outside of the workspace.', name));
  return parts;
}

/** Checks that a file is inside the workspace, since a link may point anywhere. */
async function requireInside(folder: vscode.Uri, file: vscode.Uri, name: string): Promise<void> {
  if (folder.scheme !== 'file') return;
  const [root, real] = await Promise.all([realpath(folder.fsPath), realpath(file.fsPath)]);
  if (path.relative(root, real).startsWith('..') || path.isAbsolute(path.relative(root, real)))
    throw new AppError('invalid', vscode.l10n.t('{0} is hidden or outside of the workspace.', name));
}
