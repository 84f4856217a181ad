import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import { ignoredFolders, isThere, localRoot, workspacePath } from './localRoot.ts';

export { userName } from '../../shared/node/userName.ts';

const maxFiles = 1000;

/** Returns the Python files of the folder from which the local service runs its jobs. */
export async function pythonFiles(): Promise<{ path: string; isActive: boolean }[]> {
  const folder = localRoot();
  if (!folder) return [];
  const active = vscode.window.activeTextEditor?.document.uri.toString();
  const found = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, '**/*.py'),
    ignoredFolders,
    maxFiles,
  );
  return found.map((uri) => ({ path: workspacePath(folder, uri), isActive: uri.toString() === active }));
}

/** Returns the Python files and notebooks in that folder by their workspace paths. */
export async function programFiles(): Promise<string[]> {
  const folder = localRoot();
  if (!folder) return [];
  const pattern = new vscode.RelativePattern(folder, '**/*.{py,ipynb,sql,scala,r,R}');
  const found = await vscode.workspace.findFiles(pattern, ignoredFolders, maxFiles);
  return found.map((uri) => workspacePath(folder, uri));
}

/**
 * Reads a file.
 * @throws an error if the file does not exist
 */
export async function readProgram(file: string): Promise<string> {
  const folder = localRoot();
  if (!folder) return '';
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder.uri, file));
  return new TextDecoder().decode(bytes);
}

/** Returns the path by which jobs name a file in that folder, or `undefined` outside of it. */
export function pathOf(uri: string): string | undefined {
  const folder = localRoot();
  const file = vscode.Uri.parse(uri);
  return folder && vscode.workspace.getWorkspaceFolder(file) === folder ? workspacePath(folder, file) : undefined;
}

/** Maximum number of names tried for a new file. */
const maxNames = 100;

/**
 * Creates a file in that folder under this name, or a similar one if it is taken.
 * @returns its path, or `undefined` without a folder
 */
export async function createFile(name: string, content: string): Promise<string | undefined> {
  const folder = localRoot();
  const uri = folder && (await createIn(folder.uri, name, content));
  return uri && workspacePath(folder, uri);
}

/**
 * Creates and shows a job file in the workspace folder, or in the one that the user picks of several, under this name or a similar one if
 * it is taken. Without a folder, the user chooses the location.
 * @returns its URI, or `undefined` if the user canceled
 */
export async function createJobFile(name: string, content: string): Promise<string | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const uri = folders.length === 0 ? await saveAs(name, content) : await createInPicked(folders, name, content);
  if (!uri) return undefined;
  await vscode.window.showTextDocument(uri);
  return uri.toString();
}

async function createInPicked(
  folders: readonly vscode.WorkspaceFolder[],
  name: string,
  content: string,
): Promise<vscode.Uri | undefined> {
  const placeHolder = vscode.l10n.t('Folder for the job file');
  const folder = folders.length === 1 ? folders[0] : await vscode.window.showWorkspaceFolderPick({ placeHolder });
  if (!folder) return undefined;
  const uri = await createIn(folder.uri, name, content);
  if (uri) return uri;
  throw new AppError('unavailable', vscode.l10n.t('Could not write {0} to {1}.', name, folder.name), {
    remedy: vscode.l10n.t('Check that files can be created in that folder.'),
  });
}

async function saveAs(name: string, content: string): Promise<vscode.Uri | undefined> {
  const defaultUri = vscode.Uri.file(path.join(os.homedir(), name));
  const uri = await vscode.window.showSaveDialog({
    defaultUri,
    filters: { [vscode.l10n.t('Job files')]: ['job.yml'] },
  });
  // The dialog already asked whether to replace an existing file.
  if (uri) await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
  return uri;
}

async function createIn(folder: vscode.Uri, name: string, content: string): Promise<vscode.Uri | undefined> {
  const [stem, ending] = splitName(name);
  for (let number = 1; number <= maxNames; number++) {
    const uri = vscode.Uri.joinPath(folder, number === 1 ? name : `${stem}-${number}${ending}`);
    if (await isThere(uri)) continue;
    const edit = new vscode.WorkspaceEdit();
    // The editor itself refuses if such a file was created in the meantime.
    edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(content) });
    if (await vscode.workspace.applyEdit(edit)) return uri;
  }
  return undefined;
}

/** Splits a name from its extension, which for a job file is more than the part after the last dot. */
function splitName(name: string): [string, string] {
  const { name: stem, ext } = path.parse(name);
  return stem.endsWith('.job') ? [stem.slice(0, -'.job'.length), `.job${ext}`] : [stem, ext];
}
