import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { systemClock } from '../../shared/clock.ts';
import { fieldsOf } from '../../shared/fields.ts';
import { pageFiles, pageHtml } from '../chatPage.ts';
import { checkParameters, parameterFields } from '../chatParameters.ts';
import { ChatService } from '../chatService.ts';
import type { ChatTools } from '../chatTools.ts';
import { attachmentSchema } from '../conversationEvent.ts';
import { Drafts } from '../drafts.ts';
import { History } from '../history.ts';
import type { HostMessage } from '../protocol.ts';
import { RequestHandler } from '../requestHandler.ts';
import { type ChatCommand, type ChatServices, chatTabType, chatViewId } from './chatCommands.ts';
import { ConnectionBackend } from './connectionBackend.ts';
import { fileAttachment, problemAttachment } from './contextPicker.ts';
import { deleteConversation, exportConversation, renameConversation } from './conversationCommands.ts';
import { EditorActions } from './editorActions.ts';
import { FileStorage } from './fileStorage.ts';
import { showHistory } from './historyPicker.ts';
import { onDidChangeCodeColours, shownCodeColours } from './themeFile.ts';

/** What another feature may hand over with `millrace.chat.attach`. */
const attachSchema = z.object({ attachments: z.array(attachmentSchema) });

/** What another feature may hand over with `millrace.chat.ask`: a prompt to look at and texts to send with it. */
const askSchema = z.object({ prompt: z.string().optional(), attachments: z.array(attachmentSchema).optional() });

/** A selection that is still being made changes with every move. */
const selectionSettledInMs = 300;

/** That more room was offered, in any window. */
const roomKey = 'millrace.chat.roomOffered';

/** The chat's part in the editor: one service, the view and the tab that show it while they are there, and the commands. */
export class ChatHost {
  readonly #context: vscode.ExtensionContext;
  readonly #service: ChatService;
  readonly #handler: RequestHandler;
  readonly #presentFailure: ChatServices['presentFailure'];
  readonly #selections: vscode.Disposable;
  #selecting: NodeJS.Timeout | undefined;
  #view: vscode.WebviewView | undefined;
  #tab: vscode.WebviewPanel | undefined;
  #unseenAnswers = 0;
  readonly #following = onDidChangeCodeColours(() => this.#postColours());

  constructor(context: vscode.ExtensionContext, service: ChatService, { log, presentFailure }: ChatServices) {
    this.#context = context;
    this.#service = service;
    this.#presentFailure = presentFailure;
    this.#handler = new RequestHandler(service, log);
    service.onDidPost((message) => {
      this.#post(message);
      if (message.type === 'snapshot' || message.type === 'event') this.#showTitle();
    });
    service.asking.onDidFinishAnswer(() => this.#countUnseen());
    this.#selections = vscode.window.onDidChangeTextEditorSelection(() => {
      clearTimeout(this.#selecting);
      this.#selecting = setTimeout(() => service.timely.selectionChanged(), selectionSettledInMs);
    });
  }

  /** Gives code the colours that the editor's theme has now. */
  async #postColours(): Promise<void> {
    this.#post({ type: 'codeColours', colours: await shownCodeColours() });
  }

  /** Shows the chat in a view that the editor has just made. */
  attach(view: vscode.WebviewView): void {
    this.#view = view;
    view.onDidChangeVisibility(() => this.#clearBadge());
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    this.#connect(view.webview, false);
    this.#clearBadge();
  }

  /** Shows it in a tab, a new one or one of the window before. There is one at a time: it is the same chat. */
  attachTab(tab: vscode.WebviewPanel): void {
    this.#tab?.dispose();
    this.#tab = tab;
    tab.iconPath = vscode.Uri.joinPath(this.#context.extensionUri, 'media', 'millrace.svg');
    tab.onDidChangeViewState(() => this.#clearBadge());
    tab.onDidDispose(() => {
      if (this.#tab === tab) this.#tab = undefined;
    });
    this.#connect(tab.webview, true);
    this.#showTitle();
    this.#clearBadge();
  }

  #connect(webview: vscode.Webview, isTab: boolean): void {
    const { extensionUri } = this.#context;
    webview.options = webviewOptions(extensionUri);
    webview.onDidReceiveMessage(async (message: unknown) => {
      await send(webview, await this.#handler.handle(message));
      if (isReady(message)) void this.#postColours();
      this.#showTitle();
    });
    webview.html = viewHtml(webview, extensionUri, isTab);
  }

  /** What takes the focus goes to one of both, the rest to both. */
  #post(message: HostMessage): void {
    const isOfOne = message.type === 'focusPrompt' || message.type === 'find';
    const shown = isOfOne && this.#tab ? [this.#tab] : [this.#view, this.#tab];
    for (const one of shown) if (one) void send(one.webview, message);
  }

  /** Brings the chat to where the user has it: its tab, or else its view. */
  async show(): Promise<void> {
    if (this.#tab) this.#tab.reveal();
    else await vscode.commands.executeCommand(`${chatViewId}.focus`);
  }

  #openInTab(): void {
    if (this.#tab) this.#tab.reveal();
    else
      this.attachTab(
        vscode.window.createWebviewPanel(
          chatTabType,
          vscode.l10n.t('Chat'),
          vscode.ViewColumn.Active,
          webviewOptions(this.#context.extensionUri),
        ),
      );
  }

  /** The request and the response of the answer that an address names. */
  exchangeText({ query }: vscode.Uri): Promise<string> {
    const [conversationId = '', answerId = ''] = query.split('/');
    return this.#service.exchangeText(conversationId, answerId);
  }

  async close(): Promise<void> {
    this.#selections.dispose();
    clearTimeout(this.#selecting);
    this.#following.dispose();
    await this.#service.close();
  }

  async run(command: ChatCommand, argument: unknown): Promise<void> {
    const service = this.#service;
    switch (command) {
      case 'new':
        // First: what is typed while the view is brought to the front belongs to the new one.
        if (!service.asking.hasJustBegun) await service.newConversation();
        return this.show();
      case 'history':
        return showHistory(service, () => this.show(), this.#presentFailure);
      case 'move':
        // The editor lets the user choose where; an extension cannot choose for them.
        await vscode.commands.executeCommand('workbench.action.moveFocusedView', chatViewId);
        return;
      case 'openInTab':
        return this.#openInTab();
      case 'stop':
        return service.asking.stop();
      case 'attachSelection':
        await service.prompt.attachSelection();
        return this.show();
      case 'attach':
        await this.#attach(argument);
        return this.show();
      case 'find':
        await this.show();
        return this.#post({ type: 'find' });
      case 'copyAnswer':
        return this.#copyAnswer();
      case 'ask':
        return this.#ask(argument);
      default:
        return this.#runOnCurrent(command);
    }
  }

  async #runOnCurrent(command: 'rename' | 'delete' | 'export'): Promise<void> {
    await this.#service.snapshot(); // Opens what the view would show.
    const conversation = this.#service.currentConversation;
    if (!conversation) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('No conversation is open. Choose one from the chat history first.'),
      );
      return;
    }
    if (command === 'rename') await renameConversation(this.#service, conversation.id, conversation.title);
    else if (command === 'delete')
      await deleteConversation(this.#service, conversation.id, conversation.title, this.#presentFailure);
    else await exportConversation(conversation);
  }

  async #ask(argument: unknown): Promise<void> {
    const { prompt, attachments = [] } = askSchema.parse(argument ?? {});
    await this.#service.newConversation({ isChat: true });
    for (const attachment of attachments) this.#service.prompt.attach(attachment);
    this.#service.prompt.put(prompt ?? '');
    await this.show();
  }

  async #copyAnswer(): Promise<void> {
    await this.#service.snapshot(); // Opens what the view would show.
    const text = this.#service.lastAnswer;
    if (text === undefined)
      void vscode.window.showInformationMessage(vscode.l10n.t('This conversation has no answer to copy.'));
    else await this.#service.editor.copy(text);
  }

  /** A file of the explorer, problems of one, what another feature hands over, or what the user chooses. */
  async #attach(argument: unknown): Promise<void> {
    const { prompt } = this.#service;
    const given = attachSchema.safeParse(argument);
    const { uri, diagnostics = [] } = (argument ?? {}) as { uri?: vscode.Uri; diagnostics?: vscode.Diagnostic[] };
    if (given.success) for (const attachment of given.data.attachments) prompt.attach(attachment);
    else if (argument instanceof vscode.Uri) prompt.attach(await fileAttachment(argument));
    else if (uri) for (const problem of diagnostics) prompt.attach(await problemAttachment(uri, problem));
    else await prompt.attachContext();
  }

  #countUnseen(): void {
    if (!this.#view || this.#isSeen) return;
    this.#unseenAnswers += 1;
    const tooltip =
      this.#unseenAnswers === 1 ? vscode.l10n.t('1 new answer') : vscode.l10n.t('{0} new answers', this.#unseenAnswers);
    this.#view.badge = { value: this.#unseenAnswers, tooltip };
  }

  get #isSeen(): boolean {
    return this.#view?.visible === true || this.#tab?.visible === true;
  }

  /** The conversation's title stands beside the view's, and is the tab's. */
  #showTitle(): void {
    const title = this.#service.currentConversation?.title;
    if (this.#view && this.#view.description !== title) this.#view.description = title;
    if (this.#tab) this.#tab.title = title || vscode.l10n.t('Chat');
  }

  #clearBadge(): void {
    if (!this.#isSeen) return;
    this.#unseenAnswers = 0;
    if (this.#view) this.#view.badge = undefined;
  }
}

/** The page has just been loaded, and knows no colours of code but the default ones. */
function isReady(message: unknown): boolean {
  return fieldsOf(message)?.['method'] === 'ready';
}

async function send(webview: vscode.Webview, message: unknown): Promise<void> {
  try {
    await webview.postMessage(message);
  } catch {
    // The view or the tab was closed meanwhile: nobody waits for the message any more.
  }
}

export function createChatHost(context: vscode.ExtensionContext, services: ChatServices, tools: ChatTools): ChatHost {
  const { connections, log, presentFailure, applyCode } = services;
  const storage = new FileStorage(path.join(context.globalStorageUri.fsPath, 'chat'));
  const service: ChatService = new ChatService({
    backend: new ConnectionBackend(connections),
    editor: new EditorActions(context.workspaceState, {
      show: () => host.show(),
      showHistory: () => showHistory(service, () => host.show(), presentFailure),
      applyCode,
    }),
    history: new History(storage, log, { id: process.pid, isAlive: services.isProcessAlive }),
    drafts: new Drafts(storage, systemClock, log),
    whileAnswering: () =>
      vscode.workspace.getConfiguration('millrace').get('chat.whileAnswering') === 'stop' ? 'stop' : 'queue',
    clock: systemClock,
    log,
    newId: () => randomUUID(),
    parameterFields,
    checkParameters,
    suggestions: suggestions(),
    room: {
      get isOffered() {
        return context.globalState.get(roomKey) !== true;
      },
      take: async (way) => {
        await context.globalState.update(roomKey, true);
        if (way === 'tab') await host.run('openInTab', undefined);
        if (way === 'sideBar') await host.run('move', undefined);
      },
    },
    tools,
    offersTools: () => vscode.workspace.getConfiguration('millrace').get('chat.offerTools') === true,
    setOffersTools: async (isOn) =>
      vscode.workspace.getConfiguration('millrace').update('chat.offerTools', isOn, vscode.ConfigurationTarget.Global),
  });
  const host: ChatHost = new ChatHost(context, service, services);
  return host;
}

function suggestions(): { title: string; prompt: string }[] {
  return [
    {
      title: vscode.l10n.t('Write a job file'),
      prompt: vscode.l10n.t('Write a job file that runs a Python file every morning at 07:30.'),
    },
    {
      title: vscode.l10n.t('Use a real model'),
      prompt: vscode.l10n.t('How do I use a real language model?'),
    },
    {
      title: vscode.l10n.t('Retry a failing task'),
      prompt: vscode.l10n.t('How do retries work, and which fields set them?'),
    },
    {
      title: vscode.l10n.t('Pass parameters'),
      prompt: vscode.l10n.t('How do I pass parameters to a notebook task and read them there?'),
    },
  ];
}

/** What the page may load: files of the extension's own, and nothing else. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [pageFolder(extensionUri)],
  };
}

/** The page of the chat view, for this webview, with a nonce of its own. */
export function viewHtml(webview: vscode.Webview, extensionUri: vscode.Uri, isTab = false): string {
  const file = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(pageFolder(extensionUri), name)).toString();
  return pageHtml({
    nonce: randomBytes(24).toString('base64url'),
    scripts: pageFiles.scripts.map(file),
    style: file(pageFiles.style),
    language: vscode.l10n.bundle === undefined ? 'en' : vscode.env.language,
    texts: vscode.l10n.bundle,
    isTab,
  });
}

function pageFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}
