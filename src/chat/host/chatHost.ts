import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { systemClock } from '../../shared/clock.ts';
import { fieldsOf } from '../../shared/fields.ts';
import { pageFiles, pageHtml, type PageParts } from '../chatPage.ts';
import { checkParameters, parameterFields } from '../chatParameters.ts';
import type { ChatPorts } from '../chatPorts.ts';
import { ChatService } from '../chatService.ts';
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
import { editorModels, withEditorModels } from './editorModels.ts';
import { FileStorage } from './fileStorage.ts';
import { showHistory } from './historyPicker.ts';
import { pickPreset } from './presetPicker.ts';
import { onDidChangeCodeColours, shownCodeColours } from './themeFile.ts';

/** Arguments that other features may pass to `millrace.chat.attach`. */
const attachSchema = z.object({ attachments: z.array(attachmentSchema) });

/** Arguments that other features may pass to `millrace.chat.ask`: a prompt to review, or a command to send, and texts to send with it. */
const askSchema = z.object({
  prompt: z.string().optional(),
  attachments: z.array(attachmentSchema).optional(),
  isSent: z.boolean().optional(),
});

/** How long to wait until a selection is settled, in milliseconds: while it is being made, it changes with every move. */
const selectionSettledInMs = 300;

/** State key: more room has been offered, in any window. */
const roomKey = 'millrace.chat.roomOffered';

/** Connects the chat to the editor: one service, the view and the tab while they are shown, and the commands. */
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
  #colourReadings = 0;
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

  /** Sends the code colors of the editor's current theme to the views. */
  async #postColours(): Promise<void> {
    const reading = (this.#colourReadings += 1);
    const colours = await shownCodeColours();
    // A theme that takes longer to read must not replace one that was chosen after it.
    if (reading === this.#colourReadings) this.#post({ type: 'codeColours', colours });
  }

  /** Shows the chat in a view that the editor has just created. */
  attach(view: vscode.WebviewView): void {
    this.#view = view;
    view.onDidChangeVisibility(() => this.#clearBadge());
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    this.#connect(view.webview);
    this.#drawView();
    this.#clearBadge();
  }

  /**
   * Shows the chat in a tab, either new or restored from the previous session. There is one tab at a time, since all show the same chat.
   */
  attachTab(tab: vscode.WebviewPanel): void {
    this.#tab?.dispose();
    this.#tab = tab;
    tab.iconPath = vscode.Uri.joinPath(this.#context.extensionUri, 'media', 'millrace.svg');
    tab.onDidChangeViewState(() => this.#clearBadge());
    tab.onDidDispose(() => {
      if (this.#tab !== tab) return;
      this.#tab = undefined;
      this.#drawView();
    });
    this.#connect(tab.webview);
    tab.webview.html = viewHtml(tab.webview, this.#context.extensionUri, 'tab');
    this.#drawView();
    this.#showTitle();
    this.#clearBadge();
  }

  /** Draws the view, which only refers to the tab while there is one, so that the conversation is not on screen twice. */
  #drawView(): void {
    if (!this.#view) return;
    const { webview } = this.#view;
    webview.html = viewHtml(webview, this.#context.extensionUri, this.#tab ? 'besideTab' : 'view');
  }

  #connect(webview: vscode.Webview): void {
    webview.options = webviewOptions(this.#context.extensionUri);
    webview.onDidReceiveMessage(async (message: unknown) => {
      await send(webview, await this.#handler.handle(message));
      // A webview that has just been loaded knows only the default code colors.
      if (fieldsOf(message)?.['method'] === 'ready') void this.#postColours();
      this.#showTitle();
    });
  }

  /** Posts to the tab if there is one, otherwise to the view. */
  #post(message: HostMessage): void {
    const shown = this.#tab ?? this.#view;
    if (shown) void send(shown.webview, message);
  }

  /** Reveals the chat where the user has it: in its tab, otherwise in its view. */
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

  /** Returns the request and the response of the answer that a URI names. */
  exchangeText({ query }: vscode.Uri): Promise<string> {
    const [conversationId = '', answerId = ''] = query.split('/');
    return this.#service.answers.exchangeText(conversationId, answerId);
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
        // Create it first: text typed while the view is being revealed belongs to the new conversation.
        if (!service.asking.hasJustBegun) await service.newConversation();
        return this.show();
      case 'history':
        return showHistory(service, () => this.show(), this.#presentFailure);
      case 'move':
        // Only the user can choose the new place, in the editor's own picker.
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
    await this.#service.snapshot(); // Open the conversation that the view would show.
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
    const { prompt = '', attachments = [], isSent } = askSchema.parse(argument ?? {});
    await this.#service.newConversation({ isChat: true });
    for (const attachment of attachments) this.#service.prompt.attach(attachment);
    // No model is asked unless the user sends the message.
    const isCommand = isSent === true && this.#service.lookUps.isCommand(prompt);
    if (!isCommand) this.#service.prompt.put(prompt);
    await this.show();
    if (isCommand) await this.#service.asking.send(prompt);
  }

  async #copyAnswer(): Promise<void> {
    await this.#service.snapshot(); // Open the conversation that the view would show.
    const text = this.#service.answers.last;
    if (text === undefined)
      void vscode.window.showInformationMessage(vscode.l10n.t('This conversation has no answer to copy.'));
    else await this.#service.editor.copy(text);
  }

  /** Attaches a file from the Explorer, its problems, another feature's attachments, or what the user chooses. */
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
    return (this.#tab ?? this.#view)?.visible === true;
  }

  /** Shows the conversation's title beside the view's title and as the tab's title. */
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

async function send(webview: vscode.Webview, message: unknown): Promise<void> {
  try {
    await webview.postMessage(message);
  } catch {
    // The view or tab was closed meanwhile: nobody needs the message.
  }
}

export function createChatHost(
  context: vscode.ExtensionContext,
  services: ChatServices,
  tools: Pick<ChatPorts, 'tools' | 'lookUps'>,
): ChatHost {
  const { connections, log, presentFailure, applyCode } = services;
  const storage = new FileStorage(path.join(context.globalStorageUri.fsPath, 'chat'));
  const backend = withEditorModels(new ConnectionBackend(connections));
  context.subscriptions.push(backend);
  const service: ChatService = new ChatService({
    backend,
    editorModels,
    editor: new EditorActions(context.workspaceState, {
      show: () => host.show(),
      showHistory: () => showHistory(service, () => host.show(), presentFailure),
      applyCode,
      pickPreset: (current) => pickPreset(context.globalState, current),
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
    suggestions: suggestions(() => service.chooseEndpoint()),
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
    ...tools,
  });
  const host: ChatHost = new ChatHost(context, service, services);
  return host;
}

function suggestions(chooseEndpoint: () => Promise<void>): ChatPorts['suggestions'] {
  return [
    {
      title: vscode.l10n.t('Write a job file'),
      prompt: '/new /jobs/etl.py, every morning at 7:30, 2 retries',
    },
    {
      title: vscode.l10n.t('Use a real model'),
      prompt: vscode.l10n.t('Of a provider, of a server, or of the editor'),
      take: chooseEndpoint,
    },
    {
      title: vscode.l10n.t('Retry a failing task'),
      prompt: '/help retries',
    },
    {
      title: vscode.l10n.t('Pass parameters'),
      prompt: '/help parameters',
    },
  ];
}

/** Returns webview options that allow loading only the extension's own files. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [pageFolder(extensionUri)],
  };
}

/** Returns the HTML of the chat view for this webview, with a new nonce. */
export function viewHtml(webview: vscode.Webview, extensionUri: vscode.Uri, place: PageParts['place']): string {
  const file = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(pageFolder(extensionUri), name)).toString();
  return pageHtml({
    nonce: randomBytes(24).toString('base64url'),
    scripts: pageFiles.scripts.map(file),
    style: file(pageFiles.style),
    language: vscode.l10n.bundle === undefined ? 'en' : vscode.env.language,
    texts: vscode.l10n.bundle,
    place,
  });
}

function pageFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}
