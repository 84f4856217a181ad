import * as vscode from 'vscode';
import { isolated } from '../../shared/isolated.ts';
import { plainText } from '../../shared/plainText.ts';
import type { InputOptions, PickItem, ProgramFiles, Ui } from '../ui.ts';
import type { ComparedTexts } from './comparedTexts.ts';
import { comparisonsOf } from './comparisons.ts';
import { file, jobFiles, replaceText, save, showProblem, readFileText } from './editorFiles.ts';
import { previewHtml } from './htmlPreview.ts';
import { activeFile, listWorkspaceFiles, readWorkspaceText, workspaceFile } from './workspaceTexts.ts';
import { writeExport } from './writeExport.ts';

export interface EditorUiOptions {
  readonly programs: ProgramFiles;
  readonly openRun: Ui['openRun'];
  readonly openJob: Ui['openJob'];
  readonly compareOutputs: Ui['compareOutputs'];
  readonly showRunOutput: Ui['showRunOutput'];
  readonly comparisons: Pick<ComparedTexts, 'add'>;
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
    workspaceFiles: listWorkspaceFiles,
    workspaceText: readWorkspaceText,
    workspaceFile,
    activeFile,
    pythonFiles: () => options.programs.pythonFiles(),
    programFiles: () => options.programs.programFiles(),
    readProgram: (file) => options.programs.readProgram(file),
    createFile: (name, content) => options.programs.createFile(name, content),
    createJobFile: (name, content) => options.programs.createJobFile(name, content),
    textOf: readFileText,
    async openFile(uri) {
      await vscode.window.showTextDocument(vscode.Uri.parse(uri));
    },
    save,
    showProblem,
    async openUntitled(languageId, text) {
      const document = await vscode.workspace.openTextDocument({ language: languageId, content: text });
      await vscode.window.showTextDocument(document);
    },
    replaceText,
    ...comparisonsOf(options.comparisons),
    openRun: options.openRun,
    openJob: options.openJob,
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
  const choice = await vscode.window.showQuickPick(items.map(choiceOf), pickOptions(title, placeholder));
  return choice?.item.value;
}

async function pickMany<T>(
  title: string,
  placeholder: string,
  items: readonly (PickItem<T> & { picked?: boolean })[],
): Promise<T[] | undefined> {
  const chosen = await vscode.window.showQuickPick(
    items.map((item) => ({ ...choiceOf(item), picked: item.picked })),
    { ...pickOptions(title, placeholder), canPickMany: true },
  );
  return chosen?.map(({ item }) => item.value);
}

function choiceOf<T>(item: PickItem<T>) {
  const { Separator, Default } = vscode.QuickPickItemKind;
  const { label, description, detail } = item;
  return { label: isolated(label), description, detail, item, kind: item.separator ? Separator : Default };
}

function pickOptions(title: string, placeHolder: string): vscode.QuickPickOptions {
  return { title, placeHolder, matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true };
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
