import * as path from 'node:path';
import * as vscode from 'vscode';
import { delay } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import type { OpenFile } from '../ui.ts';

export async function file(uri?: string): Promise<OpenFile | undefined> {
  const document =
    uri === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  return document && openFile(document);
}

export function openFile(document: vscode.TextDocument): OpenFile {
  return {
    uri: document.uri.toString(),
    name: path.posix.basename(document.uri.path),
    text: document.getText(),
    isJobFile: document.languageId === 'millrace-job' || document.fileName.endsWith('.job.json'),
  };
}

export async function replaceText(uri: string, before: string, text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const edit = new vscode.WorkspaceEdit();
  const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, all, text);
  if (document.getText() !== before || !(await vscode.workspace.applyEdit(edit))) {
    throw new AppError(
      'rejected',
      vscode.l10n.t(
        '{0} was not changed, because its content has changed since.',
        path.posix.basename(document.uri.path),
      ),
      { remedy: vscode.l10n.t('Try again, and choose again.') },
    );
  }
  await vscode.window.showTextDocument(document);
}

export async function jobFiles(): Promise<{ uri: string; name: string }[]> {
  const found = await vscode.workspace.findFiles('**/*.job.{yml,yaml}', '**/node_modules/**', 500);
  return found
    .map((uri) => ({ uri: uri.toString(), name: vscode.workspace.asRelativePath(uri) }))
    .sort((left, right) => left.name.localeCompare(right.name));
}

export async function showProblem(uri: string, offset: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const position = document.positionAt(offset);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
  await vscode.commands.executeCommand('workbench.actions.view.problems');
}

/** Reads a file without opening it in the editor, so that no extension processes it. */
export async function readFileText(uri: string): Promise<string | undefined> {
  const parsed = vscode.Uri.parse(uri);
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === parsed.toString());
  if (open) return open.getText();
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(parsed));
  } catch {
    return undefined;
  }
}

export async function save(uri: string): Promise<boolean> {
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
  // The user must choose where to save a new file.
  if (!document || document.isUntitled) return true;
  if (await document.save()) return true;
  // While the editor saves the file by itself, `save` may report a failure: it is saved a moment later.
  for (let waits = 0; document.isDirty && waits < 10; waits += 1) await delay(100);
  return !document.isDirty;
}
