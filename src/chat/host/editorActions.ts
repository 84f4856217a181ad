import path from 'node:path';
import * as vscode from 'vscode';
import { plainText } from '../../shared/plainText.ts';
import type { ChatEditor, ChosenEndpoint } from '../chatPorts.ts';
import type { Attachment } from '../conversationEvent.ts';
import type { AnswerCode } from '../namedFile.ts';
import type { JsonFile } from '../parameterFile.ts';
import { exchangeScheme } from './chatCommands.ts';
import { droppedAttachments, pickContext, pickJsonFile } from './contextPicker.ts';
import { pickEndpoint } from './endpointPicker.ts';
import { selectedLines } from './selectedLines.ts';

const lastConversationKey = 'millrace.chat.lastConversation';
const chooseProfileCommand = 'millrace.profile.choose';
const signInCommand = 'millrace.profile.signIn';

/** What the chat asks of the editor, done with the editor's own means. */
export class EditorActions implements ChatEditor {
  readonly #memory: vscode.Memento;
  /** Brings the chat to the front. */
  readonly #show: () => Promise<void>;
  readonly showHistory: ChatEditor['showHistory'];
  readonly applyCode: ChatEditor['applyCode'];

  constructor(
    memory: vscode.Memento,
    { show, showHistory, applyCode }: { show(): Promise<void> } & Pick<ChatEditor, 'showHistory' | 'applyCode'>,
  ) {
    this.#memory = memory;
    this.#show = show;
    this.showHistory = showHistory;
    this.applyCode = applyCode;
  }

  async openExternal(url: string): Promise<void> {
    // The editor asks about addresses that the user does not trust yet.
    await vscode.env.openExternal(vscode.Uri.parse(url, true));
  }

  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  async insertAtCursor(text: string): Promise<void> {
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    if (!editor) return this.newFile({ text, language: 'plaintext' });
    await editor.edit((edit) => {
      for (const selection of editor.selections) edit.replace(selection, text);
    });
    await vscode.window.showTextDocument(editor.document, editor.viewColumn);
  }

  async newFile({ text, language, path: name }: AnswerCode): Promise<void> {
    const named = name === undefined ? undefined : await freeUri(name);
    const document = named
      ? await vscode.workspace.openTextDocument(named)
      : await vscode.workspace.openTextDocument({ content: text, language: await idOf(language) });
    if (named) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(named, new vscode.Range(0, 0, 0, 0), text);
      await vscode.workspace.applyEdit(edit);
    }
    await vscode.window.showTextDocument(document);
  }

  selection(): Promise<Attachment | undefined> {
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    if (!editor) return Promise.resolve(undefined);
    const { document, selection } = editor;
    const text = document.getText(selection.isEmpty ? undefined : selection);
    if (text.trim() === '') return Promise.resolve(undefined);
    const label = selectionLabel(editor);
    const language = document.languageId === 'millrace-job' ? 'yaml' : document.languageId;
    return Promise.resolve({ label, language, text });
  }

  get selected(): string | undefined {
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    return editor && !editor.selection.isEmpty ? selectionLabel(editor) : undefined;
  }

  async pickEndpoint(...asked: Parameters<ChatEditor['pickEndpoint']>): Promise<ChosenEndpoint | undefined> {
    const chosen = await pickEndpoint(...asked);
    // The editor gives the focus to its files, whatever had it before. If nothing was picked, the user may have gone there.
    if (chosen) await this.#show();
    return chosen;
  }

  pickContext(dropped?: readonly string[]): Promise<Attachment[]> {
    return dropped ? droppedAttachments(dropped) : pickContext();
  }

  async pick<T extends { label: string; detail: string }>(title: string, items: readonly T[]): Promise<T | undefined> {
    return vscode.window.showQuickPick(items, { title });
  }

  async pickSeveral<T extends { label: string; detail: string }>(
    title: string,
    items: readonly T[],
  ): Promise<T[] | undefined> {
    return vscode.window.showQuickPick(
      items.map((item) => ({ ...item, picked: true })),
      { title, canPickMany: true },
    );
  }

  pickJsonFile(title: string): Promise<JsonFile | undefined> {
    return pickJsonFile(title);
  }

  inform(text: string): void {
    void vscode.window.showInformationMessage(plainText(text));
  }

  async showExchange(conversationId: string, { id, endpoint }: { id: string; endpoint: string }): Promise<void> {
    const uri = vscode.Uri.from({
      scheme: exchangeScheme,
      path: `/${endpoint.replaceAll(/[/\\]/g, '-')}.json`,
      query: `${conversationId}/${id}`,
    });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  }

  async signIn(): Promise<void> {
    await vscode.commands.executeCommand(signInCommand);
  }

  async chooseProfile(): Promise<void> {
    await vscode.commands.executeCommand(chooseProfileCommand);
  }

  recallConversation(): string | undefined {
    return this.#memory.get<string>(lastConversationKey);
  }

  async rememberConversation(id: string | undefined): Promise<void> {
    await this.#memory.update(lastConversationKey, id);
  }
}

function selectionLabel({ document, selection }: vscode.TextEditor): string {
  const name = path.posix.basename(document.uri.path);
  return selection.isEmpty ? name : `${name}:${selectedLines(selection).join('-')}`;
}

/** The address of an unsaved file of this name; undefined if the file exists or would lie outside the workspace. */
async function freeUri(name: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const parts = name.split('/').filter((part) => part !== '');
  if (folder?.scheme !== 'file' || parts.some((part) => part.startsWith('.'))) return undefined;
  const uri = vscode.Uri.joinPath(folder, ...parts);
  const isTaken = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => vscode.workspace.textDocuments.some((document) => document.uri.fsPath === uri.fsPath),
  );
  return isTaken ? undefined : uri.with({ scheme: 'untitled' });
}

async function idOf(language: string): Promise<string> {
  const id = languageIds[language.toLowerCase()] ?? language.toLowerCase();
  return (await vscode.languages.getLanguages()).includes(id) ? id : 'plaintext';
}

/** Names that models write above code, for which the editor has another one. */
const languageIds: Record<string, string> = {
  bash: 'shellscript',
  sh: 'shellscript',
  shell: 'shellscript',
  console: 'shellscript',
  py: 'python',
  pyspark: 'python',
  ts: 'typescript',
  js: 'javascript',
  yml: 'yaml',
  md: 'markdown',
  text: 'plaintext',
  txt: 'plaintext',
};
