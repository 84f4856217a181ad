import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { AppError } from '../../shared/errors.ts';
import { isolated } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { plainText } from '../../shared/text.ts';
import type { InputOptions, PickItem, ProgramFiles, Ui } from '../ui.ts';
import { file, jobFiles, readFileText, replaceText, save, showProblem } from './editorFiles.ts';
import { previewPage } from './previewPage.ts';
import { activeFile, listWorkspaceFiles, readWorkspaceText, workspaceFile } from './workspaceTexts.ts';

export interface EditorUiOptions {
  readonly programs: ProgramFiles;
  readonly openRun: Ui['openRun'];
  readonly openJob: Ui['openJob'];
  readonly compareOutputs: Ui['compareOutputs'];
  readonly showRunOutput: Ui['showRunOutput'];
  readonly comparisons: Pick<ComparedTexts, 'add'>;
}

/** Creates the commands' user interface on top of the editor. */
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
    pathOf: (uri) => options.programs.pathOf(uri),
    userName: () => options.programs.userName(),
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
    askChat: async (prompt, attachments, isSent) =>
      vscode.commands.executeCommand('millrace.chat.ask', { prompt, attachments, isSent }),
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

/** Shorter tasks show no progress: a message that flashes up is only noise. */
const quietInMs = 600;

/**
 * Runs a task with progress. The editor shows at most three messages per second, so the progress of quick steps would displace the message
 * of their result.
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

/**
 * Shows HTML that came from a server without scripts, requests or working links. The page is put into a sandboxed frame as data, so that it
 * cannot reach the editor.
 */
export function previewHtml(title: string, html: string): void {
  const panel = vscode.window.createWebviewPanel('millrace.preview', title, vscode.ViewColumn.Active, {
    enableScripts: false,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [],
  });
  panel.webview.html = previewPage(title, html);
}

type Comparisons = Pick<Ui, 'compare' | 'previewText' | 'review' | 'settleReview' | 'compareTexts'>;

/** Creates side-by-side comparisons in the editor, with the old text on the left. */
function comparisonsOf(texts: Pick<ComparedTexts, 'add'>): Comparisons {
  const reviews = new Reviews();
  return {
    async compare(leftUri, rightText, title) {
      const left = vscode.Uri.parse(leftUri);
      const right = texts.add(rightText, path.basename(left.path));
      await vscode.commands.executeCommand('vscode.diff', right, left, title);
    },
    async previewText(uri, text, title) {
      const now = vscode.Uri.parse(uri);
      const after = texts.add(text, path.posix.basename(now.path));
      await vscode.commands.executeCommand('vscode.diff', now, after, title, { preview: true });
      return () => closeComparison(after);
    },
    async review(uri, text, title, message, actions) {
      const now = vscode.Uri.parse(uri);
      const after = texts.add(text, path.posix.basename(now.path), '/review');
      return reviews.ask([now, after], title, message, actions);
    },
    async settleReview(uri, isWanted) {
      reviews.settle(uri, isWanted);
    },
    async compareTexts(left, right, title) {
      const [before, after] = [left, right].map((text) => texts.add(text, 'run.txt'));
      await vscode.commands.executeCommand('vscode.diff', before, after, title);
    },
  };
}

/**
 * Writes an exported view. Never overwrites a file: a taken name gets a number.
 * @returns the path of the written file
 * @throws AppError `unavailable` if it could not be written; no partial file is left
 */
export async function writeExport(folder: string, name: string, content: string): Promise<string> {
  const { name: base, ext } = path.parse(path.basename(name));
  for (let count = 1; count < 1000; count += 1) {
    const target = path.join(folder, count === 1 ? `${base}${ext}` : `${base} (${count})${ext}`);
    try {
      // Exclusive creation also refuses to follow an existing link.
      const handle = await open(target, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o644);
      try {
        await handle.writeFile(content, 'utf8');
        await handle.close();
      } catch (error) {
        // A partial page could be mistaken for a complete one.
        await handle.close().catch(() => undefined);
        await rm(target, { force: true });
        throw error;
      }
      return target;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new AppError(
        'unavailable',
        l10n.t('Could not write {0}: {1}. The export is incomplete.', target, (error as Error).message),
        {
          cause: error,
          remedy: l10n.t('Free some disk space or choose another folder, then export again.'),
        },
      );
    }
  }
  throw new AppError(
    'unavailable',
    l10n.t('{0} already has 1,000 files named like {1}, so nothing was written.', folder, name),
    { remedy: l10n.t('Choose another folder.') },
  );
}

type Settle = (answer: string | undefined) => void;

/** Proposed changes that wait for a decision: from their message, from the buttons in the diff title, or by closing the tab. */
export class Reviews {
  /** Keyed by the URI of the proposed text: settles with the first action, or with none. */
  readonly #waiting = new Map<string, { readonly action: string | undefined; readonly settle: Settle }>();

  async ask(
    [now, after]: readonly [vscode.Uri, vscode.Uri],
    title: string,
    message: string,
    actions: readonly string[],
  ): Promise<string | undefined> {
    const key = after.toString();
    await vscode.commands.executeCommand('vscode.diff', now, after, title, { preview: false });
    const closed: vscode.Disposable[] = [];
    try {
      return await new Promise<string | undefined>((settle) => {
        this.#waiting.set(key, { action: actions[0], settle });
        closed.push(
          vscode.window.tabGroups.onDidChangeTabs((event) => {
            if (event.closed.some((tab) => isOf(tab, key))) settle(undefined);
          }),
        );
        const discard = vscode.l10n.t('Discard');
        void vscode.window.showInformationMessage(plainText(message), ...actions, discard).then((answer) => {
          // If the message is dismissed, the buttons in the title remain.
          if (answer === undefined) return;
          // The message stays visible after a decision in the title or by closing the tab.
          if (this.#waiting.get(key)?.settle === settle) settle(answer === discard ? undefined : answer);
          else if (answer !== discard)
            void vscode.window.showInformationMessage(
              vscode.l10n.t('This change was already applied or discarded, so nothing was done.'),
            );
        });
      });
    } finally {
      this.#waiting.delete(key);
      for (const each of closed) each.dispose();
      await closeComparison(after);
    }
  }

  /** Handles a button in the title of a comparison. */
  settle(uri: string | undefined, isWanted: boolean): void {
    const waiting = uri === undefined ? undefined : this.#waiting.get(uri);
    waiting?.settle(isWanted ? waiting.action : undefined);
  }
}

/** Closes the tabs that compare this text with another. */
async function closeComparison(modified: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(tabs.filter((tab) => isOf(tab, modified.toString())));
}

function isOf({ input }: vscode.Tab, modified: string): boolean {
  return input instanceof vscode.TabInputTextDiff && input.modified.toString() === modified;
}

/** Texts for comparisons, kept while their tab may be open. */
export class ComparedTexts implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #count = 0;

  /**
   * Adds a text.
   * @param folder folder above the name in the URI, on which the menus of the diff title depend
   */
  add(text: string, name: string, folder = ''): vscode.Uri {
    this.#count += 1;
    const uri = vscode.Uri.from({ scheme: 'millrace-compare', path: `${folder}/${this.#count}/${name}` });
    this.#texts.set(uri.toString(), text);
    // Drop the oldest text: old comparisons are rarely reopened, and the texts must not accumulate.
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > 20 && oldest !== undefined) this.#texts.delete(oldest);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? vscode.l10n.t('This comparison is no longer available. Compare again.');
  }
}
