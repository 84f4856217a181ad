import { AppError, describeError } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import { DisposableStore } from '../shared/lifecycle.ts';
import type { ChatPorts } from './chatPorts.ts';
import { buildChatRequest } from './chatRequest.ts';
import { emptyConversation, pathTo, titleOf, visibleTurns, type Turn, type UserTurn } from './conversation.ts';
import type { AnswerEnd, Attachment, Failure, Parameters, ToolResult } from './conversationEvent.ts';
import { ConversationStore } from './conversationStore.ts';
import { EndpointCatalog } from './endpointCatalog.ts';
import type { ConversationSummary } from './history.ts';
import type { HostMessage, Snapshot, ViewState } from './protocol.ts';
import { closed, toFailure } from './session.ts';

/** How many earlier conversations an empty view offers. */
const recentCount = 4;

/**
 * The chat behind the view: owns the conversations and their streams, whether or not a view exists. Without an editor and
 * without a disk of its own; both come through `ChatPorts`.
 */
export class ChatService {
  readonly #ports: ChatPorts;
  readonly #stores = new Map<string, ConversationStore>();
  readonly #disposables = new DisposableStore();
  readonly #messages = new Emitter<HostMessage>();
  readonly #finished = new Emitter<{ conversationId: string; status: AnswerEnd }>();
  readonly #catalog: EndpointCatalog;
  #currentId: string | undefined;
  /** What a conversation that does not exist yet will start with. */
  #draft: { endpoint?: string; parameters: Parameters } = { parameters: {} };
  #attachments: Attachment[] = [];
  #recent: ConversationSummary[] = [];
  #notice: Failure | undefined;
  #opened: Promise<void> | undefined;
  #revision = 0;
  /** A turn is being saved; its request has not begun. */
  #isAsking = false;

  /** What a view has to be told; nobody needs to listen. */
  readonly onDidPost: Event<HostMessage> = this.#messages.event;
  readonly onDidFinishAnswer: Event<{ conversationId: string; status: AnswerEnd }> = this.#finished.event;

  constructor(ports: ChatPorts) {
    this.#ports = ports;
    this.#catalog = this.#disposables.add(new EndpointCatalog(ports.backend, ports.clock));
    this.#disposables.add(this.#catalog.onDidChange(() => this.#postView()));
    this.#disposables.add(
      ports.backend.onDidChangeProfile(() => {
        this.#draft.endpoint = undefined;
        void this.#catalog.refresh();
      }),
    );
  }

  /** The whole state for a view that has just appeared; opens the conversation this window showed last. */
  async snapshot(): Promise<Snapshot> {
    await (this.#opened ??= this.#openLast());
    void this.#catalog.ensureLoaded();
    const store = this.#current;
    return { sequence: store?.sequence ?? 0, conversation: store?.conversation ?? null, view: this.#viewState() };
  }

  /** Saves the user's turn, then asks. Resolves when the request is on its way. */
  async send(text: string, toolResults: ToolResult[] = []): Promise<void> {
    if (text.trim() === '' && this.#attachments.length === 0 && toolResults.length === 0) {
      throw new AppError('invalid', l10n.t('There is nothing to send.'), { remedy: l10n.t('Type a message first.') });
    }
    const endpoint = this.#requireEndpoint();
    if (this.#isAsking || this.#current?.isStreaming) throw busy();
    this.#isAsking = true;
    try {
      await this.#send(endpoint, text, toolResults);
    } finally {
      this.#isAsking = false;
    }
  }

  async #send(endpoint: string, text: string, toolResults: ToolResult[]): Promise<void> {
    const store = this.#current ?? (await this.#create(text));
    const attachments = this.#attachments;
    this.#attachments = [];
    const parentId = visibleTurns(store.conversation).at(-1)?.id ?? null;
    await this.#ask(store, endpoint, { parentId, text, attachments, toolResults });
  }

  /** Asks again with other words; the old branch is kept as a variant. */
  async editAndResend(turnId: string, text: string): Promise<void> {
    const { store, turn } = this.#requireTurn(turnId);
    if (turn.role !== 'user') throw new AppError('invalid', l10n.t('Only your own messages can be edited.'));
    if (text.trim() === '')
      throw new AppError('invalid', l10n.t('There is nothing to send.'), { remedy: l10n.t('Type a message first.') });
    const endpoint = this.#requireEndpoint();
    if (store.isStreaming) throw busy();
    await this.#ask(store, endpoint, {
      parentId: turn.parentId,
      text,
      attachments: turn.attachments,
      toolResults: turn.toolResults,
    });
  }

  /** Asks for another answer to the same turn; the old one is kept as a variant. */
  regenerate(turnId: string): void {
    const { store, turn } = this.#requireTurn(turnId);
    const parentId = turn.role === 'user' ? turn.id : turn.parentId;
    if (parentId === null) throw new AppError('internal', l10n.t('This answer has no question.'));
    const endpoint = this.#requireEndpoint();
    if (store.isStreaming) throw busy();
    this.#answer(store, endpoint, parentId);
  }

  async stop(): Promise<void> {
    await this.#current?.stop();
  }

  /** Asks a service that is not well again at once. */
  retryNow(): void {
    this.#current?.retryNow();
  }

  async selectVariant(turnId: string): Promise<void> {
    const { store } = this.#requireTurn(turnId);
    await store.record({ type: 'variantSelected', id: turnId });
  }

  async selectChoice(turnId: string, choice: number): Promise<void> {
    const { store } = this.#requireTurn(turnId);
    await store.record({ type: 'choiceSelected', id: turnId, choice });
  }

  async selectEndpoint(endpoint: string): Promise<void> {
    this.#draft.endpoint = endpoint;
    const store = this.#current;
    if (store) await store.record({ type: 'endpointChosen', endpoint, atMs: this.#ports.clock.now() });
    this.#postView();
  }

  async setParameters(parameters: Parameters): Promise<void> {
    const known = new Set(this.#ports.parameterFields.map((field) => field.name));
    const unknown = Object.keys(parameters).find((name) => !known.has(name));
    if (unknown !== undefined)
      throw new AppError(
        'invalid',
        l10n.t('"{0}" is not a parameter of a chat request; nothing was changed.', unknown),
      );
    const failure = this.#ports.checkParameters(parameters);
    if (failure) throw new AppError('invalid', failure.message, { remedy: failure.remedy });
    this.#draft.parameters = parameters;
    const store = this.#current;
    if (store) await store.record({ type: 'parametersChanged', parameters, atMs: this.#ports.clock.now() });
    this.#postView();
  }

  refreshEndpoints(): Promise<void> {
    return this.#catalog.refresh({ start: true });
  }

  /** Somebody is about to choose an endpoint: the list is brought up to date. */
  endpointsOpened(): Promise<void> {
    return this.#catalog.refreshToChoose();
  }

  async nameEndpoint(): Promise<void> {
    const name = (await this.#ports.editor.askEndpointName(this.#endpoint))?.trim();
    if (name) await this.selectEndpoint(name);
    else this.#postView(); // The picker in the view shows "Another endpoint…" and has to go back.
  }

  /** An empty conversation that keeps endpoint and parameters; its file begins with its first turn. */
  async newConversation(): Promise<void> {
    const conversation = this.#current?.conversation;
    if (conversation) this.#draft = { endpoint: conversation.endpoint, parameters: conversation.parameters };
    this.#currentId = undefined;
    await this.#ports.editor.rememberConversation(undefined);
    await this.#refreshRecent();
    this.#postSnapshot();
    this.#messages.fire({ type: 'focusPrompt' });
  }

  async openConversation(id: string): Promise<void> {
    await this.#load(id);
    this.#currentId = id;
    await this.#ports.editor.rememberConversation(id);
    this.#postSnapshot();
  }

  async renameConversation(id: string, title: string): Promise<void> {
    const store = await this.#load(id);
    await store.record({ type: 'renamed', title: title.trim().slice(0, 200), atMs: this.#ports.clock.now() });
    await this.#refreshRecent();
    this.#postView();
  }

  /** Stops what it writes and takes it off the list; `restoreConversation` undoes it. */
  async deleteConversation(id: string): Promise<void> {
    const store = this.#stores.get(id);
    await store?.stop();
    await this.#ports.history.delete(id);
    store?.dispose();
    this.#stores.delete(id);
    if (this.#currentId === id) await this.newConversation();
    else await this.#refreshRecent();
    this.#postView();
  }

  async restoreConversation(id: string): Promise<void> {
    await this.#ports.history.restore(id);
    await this.openConversation(id);
    await this.#refreshRecent();
    this.#postView();
  }

  listConversations(): Promise<ConversationSummary[]> {
    return this.#ports.history.list();
  }

  get currentConversation(): ConversationStore['conversation'] | undefined {
    return this.#current?.conversation;
  }

  attach(attachment: Attachment): void {
    this.#attachments = [...this.#attachments, attachment];
    this.#postView();
    this.#messages.fire({ type: 'focusPrompt' });
  }

  async attachSelection(): Promise<void> {
    const attachment = await this.#ports.editor.selection();
    if (!attachment)
      throw new AppError('invalid', l10n.t('There is no text to attach.'), {
        remedy: l10n.t('Open a file or select some text in an editor first.'),
      });
    this.attach(attachment);
  }

  removeAttachment(index: number): void {
    this.#attachments = this.#attachments.filter((_, position) => position !== index);
    this.#postView();
  }

  dismissNotice(): void {
    this.#notice = undefined;
    this.#postView();
  }

  /** Puts text into the prompt without sending it. */
  draft(text: string): void {
    this.#messages.fire({ type: 'draft', text });
  }

  get editor(): ChatPorts['editor'] {
    return this.#ports.editor;
  }

  /** Ends every stream and resolves when what they brought is on disk. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#stores.values()].map((store) => store.stop(closed())));
    await this.#ports.history.settled();
    this.dispose();
  }

  dispose(): void {
    for (const store of this.#stores.values()) store.dispose();
    this.#stores.clear();
    this.#disposables.dispose();
    this.#messages.dispose();
    this.#finished.dispose();
  }

  async #ask(
    store: ConversationStore,
    endpoint: string,
    turn: Pick<UserTurn, 'parentId' | 'text' | 'attachments' | 'toolResults'>,
  ): Promise<void> {
    const id = this.#ports.newId();
    await store.record({ type: 'userAdded', id, ...turn, atMs: this.#ports.clock.now() });
    this.#postView();
    this.#answer(store, endpoint, id);
  }

  #answer(store: ConversationStore, endpoint: string, parentId: string): void {
    const { conversation } = store;
    const request = { stream: true, ...buildChatRequest(pathTo(conversation, parentId), conversation.parameters) };
    const conversationId = conversation.id;
    store
      .answer({ id: this.#ports.newId(), parentId, endpoint }, (signal, onRetry) =>
        this.#ports.backend.chat(endpoint, request, { signal, onRetry }),
      )
      .then(
        (status) => {
          this.#finished.fire({ conversationId, status });
          // A service that was not running runs now, and knows the models of this machine.
          if (status === 'done') void this.#catalog.complete();
        },
        (error: unknown) => this.#ports.log.error(`An answer could not be written down: ${describeError(error)}`),
      );
  }

  async #create(firstText: string): Promise<ConversationStore> {
    const { clock, editor, newId } = this.#ports;
    const id = newId();
    const atMs = clock.now();
    const store = this.#keep(new ConversationStore(emptyConversation(id, atMs), this.#ports.history, clock));
    this.#currentId = id;
    await store.record({ type: 'created', id, title: titleOf(firstText), atMs });
    if (this.#draft.endpoint !== undefined)
      await store.record({ type: 'endpointChosen', endpoint: this.#draft.endpoint, atMs });
    if (Object.keys(this.#draft.parameters).length > 0) {
      await store.record({ type: 'parametersChanged', parameters: this.#draft.parameters, atMs });
    }
    await editor.rememberConversation(id);
    this.#postSnapshot();
    return store;
  }

  async #load(id: string): Promise<ConversationStore> {
    return (
      this.#stores.get(id) ??
      this.#keep(new ConversationStore(await this.#ports.history.load(id), this.#ports.history, this.#ports.clock))
    );
  }

  #keep(store: ConversationStore): ConversationStore {
    const existing = this.#stores.get(store.conversation.id);
    if (existing) return existing; // Loaded twice at once; the first one wins.
    this.#stores.set(store.conversation.id, store);
    store.onDidApply((event) => {
      if (event.conversationId === this.#currentId) this.#messages.fire({ type: 'event', ...event });
    });
    store.onDidChangeWait(() => {
      if (store === this.#current) this.#postView();
    });
    store.onDidFailToSave((error) => {
      this.#ports.log.error(describeError(error));
      this.#notice = toFailure(error);
      this.#postView();
    });
    return store;
  }

  async #openLast(): Promise<void> {
    const { editor, history, log, clock } = this.#ports;
    await history
      .purge(clock.now())
      .catch((error: unknown) => log.warn(`Deleted conversations could not be removed: ${describeError(error)}`));
    await this.#refreshRecent();
    const id = editor.recallConversation();
    if (id === undefined || !this.#recent.some((summary) => summary.id === id)) return;
    try {
      await this.#load(id);
      this.#currentId = id;
    } catch (error) {
      log.warn(`The last conversation could not be opened: ${describeError(error)}`);
      this.#notice = toFailure(error);
    }
  }

  async #refreshRecent(): Promise<void> {
    try {
      this.#recent = (await this.#ports.history.list()).filter((summary) => summary.hasTurns);
    } catch (error) {
      this.#ports.log.warn(`The conversations could not be listed: ${describeError(error)}`);
      this.#notice = toFailure(error);
    }
  }

  get #current(): ConversationStore | undefined {
    return this.#currentId === undefined ? undefined : this.#stores.get(this.#currentId);
  }

  get #endpoint(): string | undefined {
    const chosen = this.#current?.conversation.endpoint ?? this.#draft.endpoint;
    return chosen ?? this.#catalog.state.items[0]?.name;
  }

  #requireEndpoint(): string {
    const endpoint = this.#endpoint;
    if (endpoint !== undefined) return endpoint;
    const { failure } = this.#catalog.state;
    throw new AppError(
      'invalid',
      failure
        ? l10n.t('No endpoint is chosen, and the list could not be had: {0}', failure.message)
        : l10n.t('No endpoint is chosen; nothing was sent.'),
      {
        remedy: failure?.remedy ?? l10n.t('Choose an endpoint below the prompt.'),
      },
    );
  }

  #requireTurn(turnId: string): { store: ConversationStore; turn: Turn } {
    const store = this.#current;
    const turn = store?.conversation.turns.find((candidate) => candidate.id === turnId);
    if (!store || !turn)
      throw new AppError('notFound', l10n.t('This message is not part of the conversation any more.'), {
        remedy: l10n.t('Open the conversation again.'),
      });
    return { store, turn };
  }

  #viewState(): ViewState {
    const { backend, parameterFields, suggestions } = this.#ports;
    const { id: _id, ...profile } = backend.profile;
    this.#revision += 1;
    const wait = this.#current?.wait;
    return {
      revision: this.#revision,
      profile,
      endpoints: this.#catalog.state,
      endpoint: this.#endpoint,
      parameterFields: [...parameterFields],
      parameters: this.#current?.conversation.parameters ?? this.#draft.parameters,
      attachments: this.#attachments,
      recent: this.#recent.slice(0, recentCount).map(({ id, title, updatedAtMs }) => ({ id, title, updatedAtMs })),
      suggestions,
      notice: this.#notice,
      wait: wait && { failure: toFailure(wait.reason), waitUntilMs: wait.waitUntil, giveUpAtMs: wait.giveUpAt },
    };
  }

  #postView(): void {
    this.#messages.fire({ type: 'view', view: this.#viewState() });
  }

  #postSnapshot(): void {
    const store = this.#current;
    const snapshot = {
      sequence: store?.sequence ?? 0,
      conversation: store?.conversation ?? null,
      view: this.#viewState(),
    };
    this.#messages.fire({ type: 'snapshot', snapshot });
  }
}

function busy(): AppError {
  return new AppError('invalid', l10n.t('An answer is still being written; nothing was sent.'), {
    remedy: l10n.t('Stop it or wait for its end.'),
  });
}
