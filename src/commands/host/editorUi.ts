import * as path from 'node:path';
import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import { plainText } from '../../shared/plainText.ts';
import type { InputOptions, OpenFile, PickItem, Programs, Ui } from '../ui.ts';
import { previewHtml } from './htmlPreview.ts';
import { writeExport } from './writeExport.ts';

export interface EditorUiOptions {
  programs: Programs;
  openRun: Ui['openRun'];
  compareOutputs: Ui['compareOutputs'];
  showRunOutput(profileId: string, runId: string): Promise<void>;
  /** Holds the texts of comparisons; the editor asks for them by URI. */
  comparisons: vscode.TextDocumentContentProvider & { add(text: string, name: string): vscode.Uri };
}

/** The commands' questions and answers through the editor. */
export function createEditorUi(options: EditorUiOptions): Ui {
  return {
    pick,
    pickMany,
    input,
    info: async (message, ...actions) => vscode.window.showInformationMessage(plainText(message), ...actions),
    warn: async (message, ...actions) => vscode.window.showWarningMessage(plainText(message), ...actions),
    confirm: async (message, detail, action) =>
      (await vscode.window.showWarningMessage(message, { modal: true, detail }, action)) === action,
    decide: async (message, detail, actions) =>
      vscode.window.showWarningMessage(message, { modal: true, detail }, ...actions),
    progress,
    file,
    jobFiles,
    pythonFiles: () => options.programs.pythonFiles(),
    createFile: (name, content) => options.programs.createFile(name, content),
    showProblem,
    async openUntitled(languageId, text) {
      const document = await vscode.workspace.openTextDocument({ language: languageId, content: text });
      await vscode.window.showTextDocument(document);
    },
    replaceText,
    async compare(leftUri, rightText, title) {
      const left = vscode.Uri.parse(leftUri);
      const right = options.comparisons.add(rightText, path.basename(left.path));
      await vscode.commands.executeCommand('vscode.diff', right, left, title);
    },
    openRun: options.openRun,
    compareOutputs: options.compareOutputs,
    showRunOutput: options.showRunOutput,
    async chooseFolder(title) {
      const folders = await vscode.window.showOpenDialog({
        title,
        openLabel: vscode.l10n.t('Export Here'),
        canSelectFiles: false,
        canSelectFolders: true,
        canSelectMany: false,
        defaultUri: vscode.workspace.workspaceFolders?.[0]?.uri,
      });
      return folders?.[0]?.fsPath;
    },
    writeExport,
    previewHtml: async (title, html) => previewHtml(title, html),
    openExternal: async (url) => void (await vscode.env.openExternal(vscode.Uri.parse(url, true))),
    copy: async (text) => vscode.env.clipboard.writeText(text),
    askChat: async (prompt, attachments) =>
      vscode.commands.executeCommand('millrace.chat.ask', { prompt, attachments }),
    attachToChat: async (attachments) => vscode.commands.executeCommand('millrace.chat.attach', { attachments }),
    get workspaceTrusted() {
      return vscode.workspace.isTrusted;
    },
  };
}

async function pick<T>(title: string, placeholder: string, items: readonly PickItem<T>[]): Promise<T | undefined> {
  const choices = items.map((item) => ({
    label: item.label,
    description: item.description,
    detail: item.detail,
    item,
    kind: item.separator ? vscode.QuickPickItemKind.Separator : vscode.QuickPickItemKind.Default,
  }));
  const choice = await vscode.window.showQuickPick(choices, {
    title,
    placeHolder: placeholder,
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  return choice?.item.value;
}

async function pickMany<T>(
  title: string,
  placeholder: string,
  items: readonly (PickItem<T> & { picked?: boolean })[],
): Promise<T[] | undefined> {
  const choices = items.map((item) => ({
    label: item.label,
    description: item.description,
    picked: item.picked,
    item,
    kind: item.separator ? vscode.QuickPickItemKind.Separator : vscode.QuickPickItemKind.Default,
  }));
  const chosen = await vscode.window.showQuickPick(choices, {
    title,
    placeHolder: placeholder,
    canPickMany: true,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return chosen?.map(({ item }) => item.value);
}

async function input(options: InputOptions): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: options.title,
    prompt: options.prompt,
    value: options.value,
    placeHolder: options.placeholder,
    password: options.password,
    ignoreFocusOut: true,
    validateInput: options.validate && ((value) => options.validate?.(value)),
  });
}

/** What is done within this time shows no progress: a message that comes and goes is only noise. */
const quietInMs = 600;

/**
 * The editor shows three messages in a second and no more, so that the progress of quick steps would take the place of what is told
 * when they are done.
 */
async function progress<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const running = task(abort.signal);
  const ended = running.then(
    () => true,
    () => true,
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const quiet = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), quietInMs)));
  const isDone = await Promise.race([ended, quiet]);
  clearTimeout(timer);
  if (!isDone) {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: plainText(title), cancellable: true },
      async (_progress, token) => {
        const subscription = token.onCancellationRequested(() => abort.abort());
        await ended;
        subscription.dispose();
      },
    );
  }
  return running;
}

async function file(uri?: string): Promise<OpenFile | undefined> {
  const document =
    uri === undefined
      ? vscode.window.activeTextEditor?.document
      : await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  return (
    document && {
      uri: document.uri.toString(),
      name: path.posix.basename(document.uri.path),
      text: document.getText(),
      isJobFile: document.languageId === 'millrace-job',
    }
  );
}

async function replaceText(uri: string, before: string, text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const edit = new vscode.WorkspaceEdit();
  const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, all, text);
  if (document.getText() !== before || !(await vscode.workspace.applyEdit(edit))) {
    throw new AppError(
      'rejected',
      vscode.l10n.t('{0} was not changed: it says something else by now.', path.posix.basename(document.uri.path)),
      { remedy: vscode.l10n.t('Deploy it again, and choose again.') },
    );
  }
  await vscode.window.showTextDocument(document);
}

async function jobFiles(): Promise<{ uri: string; name: string }[]> {
  const found = await vscode.workspace.findFiles('**/*.job.{yml,yaml}', '**/node_modules/**', 500);
  return found
    .map((uri) => ({ uri: uri.toString(), name: vscode.workspace.asRelativePath(uri) }))
    .sort((left, right) => left.name.localeCompare(right.name));
}

async function showProblem(uri: string, offset: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const position = document.positionAt(offset);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(position, position) });
  await vscode.commands.executeCommand('workbench.actions.view.problems');
}
