import path from 'node:path';
import * as vscode from 'vscode';
import { plainText } from '../../shared/text.ts';
import { playgroundTaskOf } from '../chatParameters.ts';
import type { ChatEditor, ChosenEndpoint } from '../chatPorts.ts';
import type { Attachment } from '../conversationEvent.ts';
import type { AnswerCode } from '../namedFile.ts';
import type { Endpoint } from '../protocol.ts';
import { exchangeScheme } from './chatCommands.ts';
import {
  completeContext,
  droppedAttachments,
  namedContext,
  pickContext,
  pickTextFile,
  selectedLines,
} from './contextPicker.ts';

const lastConversationKey = 'millrace.chat.lastConversation';
const chooseProfileCommand = 'millrace.profile.choose';
const signInCommand = 'millrace.profile.signIn';

/** Implements `ChatEditor` with the editor's API. */
export class EditorActions implements ChatEditor {
  readonly #memory: vscode.Memento;
  /** Reveals the chat. */
  readonly #show: () => Promise<void>;
  readonly showHistory: ChatEditor['showHistory'];
  readonly applyCode: ChatEditor['applyCode'];
  readonly pickPreset: ChatEditor['pickPreset'];

  constructor(
    memory: vscode.Memento,
    actions: { show(): Promise<void> } & Pick<ChatEditor, 'showHistory' | 'applyCode' | 'pickPreset'>,
  ) {
    this.#memory = memory;
    this.#show = actions.show;
    this.showHistory = actions.showHistory;
    this.applyCode = actions.applyCode;
    this.pickPreset = actions.pickPreset;
  }

  async openExternal(url: string): Promise<void> {
    // The editor asks for confirmation of URLs that the user does not trust yet.
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

  async pickEndpoint(...asked: Parameters<ChatEditor['pickEndpoint']>): ReturnType<ChatEditor['pickEndpoint']> {
    const chosen = await pickEndpoint(...asked);
    // The editor's picker leaves the focus on the file editor. If nothing was picked, the user may have gone there on purpose.
    if (chosen && chosen !== 'addModel') await this.#show();
    return chosen;
  }

  async addModel(): Promise<string | undefined> {
    const endpoint = await vscode.commands.executeCommand<string | undefined>('millrace.endpoint.addModel');
    await this.#show();
    return endpoint;
  }

  async setModelKey(endpoint: string): Promise<boolean> {
    return (
      (await vscode.commands.executeCommand<boolean | undefined>('millrace.endpoint.setKey', { endpoint })) === true
    );
  }

  pickContext(dropped?: readonly string[]): Promise<Attachment[]> {
    return dropped ? droppedAttachments(dropped) : pickContext();
  }

  readonly completeContext = completeContext;
  readonly namedContext = namedContext;

  async pick<T extends { label: string; detail: string }>(title: string, items: readonly T[]): Promise<T | undefined> {
    return vscode.window.showQuickPick(items, { title });
  }

  async pickSeveral<T extends { label: string; detail: string; picked?: boolean }>(
    title: string,
    items: readonly T[],
  ): Promise<T[] | undefined> {
    return vscode.window.showQuickPick(
      items.map((item) => ({ picked: true, ...item })),
      { title, canPickMany: true },
    );
  }

  readonly pickTextFile = pickTextFile;

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

/** Returns the URI of an unsaved file with this name, or `undefined` if the file exists or would be outside the workspace. */
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

/** Language names that models write above code and that have another id in the editor. */
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

type EndpointItem = vscode.QuickPickItem & Pick<Endpoint, 'task'> & { isCurrent?: boolean };

/** Lets the user pick an endpoint or enter the name of another. The picker opens at once and is filled when the list arrives. */
export async function pickEndpoint(
  endpoints: Promise<readonly Endpoint[]>,
  current: ChosenEndpoint | undefined,
  canAdd: boolean,
): ReturnType<ChatEditor['pickEndpoint']> {
  const picker = vscode.window.createQuickPick<EndpointItem>();
  picker.title = vscode.l10n.t('Endpoint of This Conversation');
  picker.placeholder = vscode.l10n.t('Choose an endpoint to chat with, or one to try completions or embeddings');
  picker.matchOnDescription = picker.matchOnDetail = picker.busy = true;
  const accepted = new Promise<EndpointItem | undefined>((resolve) => {
    // Nothing is selected until the list has arrived.
    picker.onDidAccept(() => picker.selectedItems[0] && resolve(picker.selectedItems[0]));
    picker.onDidHide(() => resolve(undefined));
  });
  picker.show();
  try {
    const add: EndpointItem = { label: vscode.l10n.t('Add Model…'), iconPath: new vscode.ThemeIcon('add') };
    const another: EndpointItem = { label: vscode.l10n.t('Another endpoint…') };
    const items = endpointItems(await endpoints, current);
    picker.items = [...items, separator(''), ...(canAdd ? [add] : []), another];
    picker.activeItems = items.filter(({ isCurrent }) => isCurrent);
    picker.busy = false;
    const picked = await accepted;
    if (picked === add) return 'addModel';
    return picked === another ? await askEndpoint(current) : picked && { name: picked.label, task: picked.task };
  } finally {
    picker.dispose();
  }
}

/** Groups the endpoints by task, since the view depends on it. */
function endpointItems(endpoints: readonly Endpoint[], current: ChosenEndpoint | undefined): EndpointItem[] {
  const isKnown = !current || endpoints.some((endpoint) => isSame(endpoint, current));
  const all = isKnown ? endpoints : [{ ...current, server: vscode.l10n.t('not in the list') }, ...endpoints];
  const groups = [
    [undefined, vscode.l10n.t('Chat')],
    ['completion', vscode.l10n.t('Completions')],
    ['embedding', vscode.l10n.t('Embeddings')],
  ] as const;
  return groups.flatMap(([task, title]) => {
    const items = all.filter((endpoint) => endpoint.task === task).map((endpoint) => itemOf(endpoint, current));
    return items.length > 0 ? [separator(title), ...items] : [];
  });
}

/** Compares name and task: one name may have two tasks in a profile's settings. */
function isSame(endpoint: Endpoint, current: ChosenEndpoint): boolean {
  return endpoint.name === current.name && endpoint.task === current.task;
}

function itemOf(endpoint: Endpoint, current: ChosenEndpoint | undefined): EndpointItem {
  const { name, server, detail, task } = endpoint;
  const isCurrent = current !== undefined && isSame(endpoint, current);
  return {
    label: name,
    description: isCurrent ? `${server}, ${vscode.l10n.t('current')}` : server,
    detail,
    task,
    isCurrent,
  };
}

function separator(label: string): EndpointItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Lets the user enter the name of an endpoint, with its task as in a profile's settings: `name:embedding`. */
async function askEndpoint(current: ChosenEndpoint | undefined): Promise<ChosenEndpoint | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Endpoint of This Conversation'),
    prompt: vscode.l10n.t(
      'Name of an endpoint of the current profile; name:completion or name:embedding for another task',
    ),
    value: current?.task ? `${current.name}:${current.task}` : current?.name,
    validateInput: (typed) => (typed.trim() === '' ? vscode.l10n.t('Enter the name of an endpoint.') : undefined),
  });
  const { name, task } =
    /^(?<name>.*?)(?::(?<task>chat|completion|embedding))?$/.exec(text?.trim() ?? '')?.groups ?? {};
  return name ? { name, task: playgroundTaskOf(task) } : undefined;
}
