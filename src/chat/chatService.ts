import { AppError, describeError } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import { DisposableStore } from '../shared/lifecycle.ts';
import { answerFailure } from './answerFailure.ts';
import type { ChatPorts } from './chatPorts.ts';
import { buildChatRequest } from './chatRequest.ts';
import { pathTo, shownChoice, visibleTurns, type Conversation, type Turn, type UserTurn } from './conversation.ts';
import type { AnswerEnd, Failure, Parameters, ToolResult } from './conversationEvent.ts';
import type { ConversationStore } from './conversationStore.ts';
import { splitThoughts } from './conversationThoughts.ts';
import type { Draft } from './draft.ts';
import { EndpointCatalog } from './endpointCatalog.ts';
import type { ConversationSummary } from './history.ts';
import { OpenConversations } from './openConversations.ts';
import { Prompt } from './prompt.ts';
import type { HostMessage, Snapshot, ViewState } from './protocol.ts';
import { Recipient } from './recipient.ts';
import { closed, toFailure } from './session.ts';
import { viewStateOf } from './viewState.ts';

/**
 * The chat behind the view: owns the conversations and their streams, whether or not a view exists. Without an editor and
 * without a disk of its own; both come through `ChatPorts`.
 */
export class ChatService {
  readonly #ports: ChatPorts;
  readonly #disposables = new DisposableStore();
  readonly #messages = this.#disposables.add(new Emitter<HostMessage>());
  readonly #finished = this.#disposables.add(new Emitter<{ conversationId: string; status: AnswerEnd }>());
  readonly #catalog: EndpointCatalog;
  readonly #conversations: OpenConversations;
  readonly #recipient: Recipient;
  /** What is being written to be sent. */
  readonly prompt: Prompt;
  #notice: Failure | undefined;
  #revision = 0;
  /** Conversations whose turn is being saved; its request has not begun. */
  readonly #asking = new Set<string>();

  /** What a view has to be told; nobody needs to listen. */
  readonly onDidPost: Event<HostMessage> = this.#messages.event;
  readonly onDidFinishAnswer: Event<{ conversationId: string; status: AnswerEnd }> = this.#finished.event;

  constructor(ports: ChatPorts) {
    this.#ports = ports;
    this.#catalog = this.#disposables.add(new EndpointCatalog(ports.backend, ports.clock));
    this.#conversations = this.#disposables.add(new OpenConversations(ports));
    this.#recipient = new Recipient(ports, this.#conversations, this.#catalog);
    this.prompt = this.#disposables.add(new Prompt(ports, this.#conversations));
    this.prompt.onDidChange(() => this.#postView());
    this.prompt.onDidPost((message) => this.#messages.fire(message));
    this.#conversations.onDidApply((event) => this.#messages.fire({ type: 'event', ...event }));
    this.#conversations.onDidChange(() => this.#postView());
    this.#conversations.onDidFail((error) => {
      this.#notice = toFailure(error);
      this.#postView();
    });
    this.#disposables.add(this.#catalog.onDidChange(() => this.#postView()));
    this.#disposables.add(
      ports.backend.onDidChangeProfile(() => {
        if (!this.#current) this.prompt.change({ endpoint: undefined });
        void this.#catalog.refresh();
      }),
    );
  }

  /** The whole state for a view that has just appeared; opens the conversation this window showed last. */
  async snapshot(): Promise<Snapshot> {
    await this.#conversations.open();
    void this.#catalog.ensureLoaded();
    return this.#snapshot();
  }

  /**
   * Saves the user's turn, then asks. Resolves when the request is on its way, or when the message waits behind the answer that is
   * being written.
   */
  async send(text: string, toolResults: ToolResult[] = []): Promise<void> {
    await this.#conversations.open();
    const id = this.#conversations.currentId;
    const { attachments } = this.#conversations.draft;
    if (text.trim() === '' && attachments.length === 0 && toolResults.length === 0) {
      throw new AppError('invalid', l10n.t('There is nothing to send.'), { remedy: l10n.t('Type a message first.') });
    }
    const endpoint = this.#recipient.require(this.#current);
    if (this.#isBusy(id)) {
      if (toolResults.length > 0) throw busy();
      this.prompt.change({
        text: '',
        attachments: [],
        queue: [...this.#conversations.draft.queue, { id: this.#ports.newId(), text, attachments }],
      });
      if (this.#ports.whileAnswering() === 'stop') await this.sendQueued();
      return;
    }
    const { toolResults: typed } = this.#conversations.draft;
    this.prompt.change({ text: '', attachments: [], toolResults: undefined });
    try {
      await this.#sendNow(id, endpoint, { text, attachments, toolResults });
    } catch (error) {
      this.prompt.change(
        { attachments: [...attachments, ...this.#conversations.draft.attachments], toolResults: typed },
        id,
      );
      throw error;
    }
  }

  async #sendNow(
    id: string,
    endpoint: string,
    message: Pick<UserTurn, 'text' | 'attachments' | 'toolResults'>,
  ): Promise<void> {
    this.#asking.add(id);
    try {
      const store = this.#conversations.get(id) ?? (await this.#begin(message.text));
      const parentId = visibleTurns(store.conversation).at(-1)?.id ?? null;
      const { text, attachments, toolResults } = message;
      await this.#ask(store, endpoint, { parentId, text, attachments, toolResults });
    } finally {
      this.#asking.delete(id);
    }
  }

  #isBusy(id: string): boolean {
    return this.#asking.has(id) || this.isWriting(id);
  }

  /** The first message that waits is sent now; an answer that is being written is stopped for it. */
  async sendQueued(): Promise<void> {
    const store = this.#current;
    if (!store) return;
    this.#recipient.requireProfile(store);
    if (store.isStreaming) await store.stop();
    // Where the answer ended by itself in that moment, the message is already on its way.
    if (!this.#isBusy(store.conversation.id)) await this.#sendNext(store);
  }

  async #sendNext(store: ConversationStore): Promise<void> {
    const { id } = store.conversation;
    const [next, ...queue] = this.#ports.drafts.get(id).queue;
    if (!next || this.#recipient.otherProfile(store.conversation)) return;
    const endpoint = this.#recipient.requireEndpoint(store);
    this.prompt.change({ queue }, id);
    await this.#sendNow(id, endpoint, { ...next, toolResults: [] });
  }

  /** Asks again with other words; the old branch is kept as a variant. */
  async editAndResend(turnId: string, text: string): Promise<void> {
    const { store, turn } = this.#requireTurn(turnId);
    if (turn.role !== 'user') throw new AppError('invalid', l10n.t('Only your own messages can be edited.'));
    if (text.trim() === '')
      throw new AppError('invalid', l10n.t('There is nothing to send.'), { remedy: l10n.t('Type a message first.') });
    const endpoint = this.#recipient.require(store);
    if (store.isStreaming) throw busy();
    this.prompt.change({ edit: undefined });
    await this.#ask(store, endpoint, {
      parentId: turn.parentId,
      text,
      attachments: turn.attachments,
      toolResults: turn.toolResults,
    });
  }

  /** Asks for another answer to the same turn, in place of one that is being written; the old one is kept as a variant. */
  async regenerate(turnId: string): Promise<void> {
    const { store, turn } = this.#requireTurn(turnId);
    const parentId = turn.role === 'user' ? turn.id : turn.parentId;
    if (parentId === null) throw new AppError('internal', l10n.t('This answer has no question.'));
    const endpoint = this.#recipient.require(store);
    if (turn.role === 'assistant' && turn.status === 'streaming') await store.stop();
    if (store.isStreaming) throw busy();
    this.#answer(store, endpoint, parentId);
  }

  /** Asks an endpoint that the user chooses for another answer. */
  async askElsewhere(turnId: string): Promise<void> {
    const name = await this.#pickEndpoint();
    if (name === undefined) return;
    await this.selectEndpoint(name);
    await this.regenerate(turnId);
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
    const store = this.#current;
    if (store) await store.record({ type: 'endpointChosen', endpoint, atMs: this.#ports.clock.now() });
    else this.prompt.change({ endpoint });
    this.#postView();
  }

  /** Goes on with the service of the current profile, where the conversation was held with another. */
  async adoptProfile(): Promise<void> {
    const { id, name } = this.#ports.backend.profile;
    await this.#current?.record({ type: 'profileChosen', profile: { id, name }, atMs: this.#ports.clock.now() });
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
    const store = this.#current;
    if (store) await store.record({ type: 'parametersChanged', parameters, atMs: this.#ports.clock.now() });
    else this.prompt.change({ parameters });
    this.#postView();
  }

  refreshEndpoints(): Promise<void> {
    return this.#catalog.refresh({ start: true });
  }

  /** Lets the user choose the endpoint of the conversation; the service is asked for its list, started where need be. */
  async chooseEndpoint(): Promise<void> {
    const name = await this.#pickEndpoint();
    if (name !== undefined) await this.selectEndpoint(name);
  }

  #pickEndpoint(): Promise<string | undefined> {
    const items = this.#catalog.refreshToChoose().then(() => this.#catalog.state.items);
    return this.#ports.editor.pickEndpoint(items, this.#recipient.endpointOf(this.#current));
  }

  /** An empty conversation that keeps endpoint and parameters; its file begins with its first turn. */
  async newConversation(): Promise<void> {
    await this.#conversations.open();
    const kept = this.#kept();
    await this.#showNew(kept);
  }

  /** What a new conversation takes over from the one on screen. */
  #kept(): Pick<Partial<Draft>, 'endpoint' | 'parameters'> {
    const conversation = this.#current?.conversation;
    const { endpoint, parameters = {} } = conversation ?? this.#conversations.draft;
    const isOther = conversation !== undefined && this.#recipient.otherProfile(conversation) !== undefined;
    return {
      ...(endpoint !== undefined && !isOther && { endpoint }),
      ...(Object.keys(parameters).length > 0 && { parameters }),
    };
  }

  async #showNew(kept: Partial<Draft>): Promise<void> {
    await this.#conversations.showNew(kept);
    this.#postSnapshot();
    this.#messages.fire({ type: 'focusPrompt' });
  }

  async openConversation(id: string): Promise<void> {
    await this.#conversations.show(id);
    this.#postSnapshot();
  }

  async renameConversation(id: string, title: string): Promise<void> {
    const store = await this.#conversations.load(id);
    await store.record({ type: 'renamed', title: title.trim().slice(0, 200), atMs: this.#ports.clock.now() });
    await this.#conversations.refreshRecent();
    this.#postView();
  }

  /** Stops what it writes and takes it off the list; `restoreConversation` undoes it. */
  async deleteConversation(id: string): Promise<void> {
    const isShown = id === this.#conversations.currentId;
    const kept = this.#kept();
    await this.#conversations.delete(id);
    if (isShown) await this.#showNew(kept);
    this.#postView();
  }

  async restoreConversation(id: string): Promise<void> {
    await this.#ports.history.restore(id);
    // Somebody who has gone on elsewhere is not taken away from there.
    if (!this.#current && this.#conversations.draft.text === '') await this.openConversation(id);
    await this.#conversations.refreshRecent();
    this.#postView();
  }

  listConversations(): Promise<ConversationSummary[]> {
    return this.#ports.history.list();
  }

  /** Everything that was said in a conversation, for a search. */
  wordsOf(id: string): Promise<string> {
    return this.#ports.history.words(id);
  }

  isWriting(id: string): boolean {
    return this.#conversations.get(id)?.isStreaming === true;
  }

  /** The text of the last answer on screen that has one, without what was thought before it. */
  get lastAnswer(): string | undefined {
    const turns = this.#current ? visibleTurns(this.#current.conversation) : [];
    const texts = turns.map((turn) =>
      turn.role === 'assistant' ? splitThoughts(shownChoice(turn)?.text ?? '').text : '',
    );
    return texts.findLast((text) => text !== '');
  }

  get currentConversation(): Conversation | undefined {
    return this.#current?.conversation;
  }

  dismissNotice(): void {
    this.#notice = undefined;
    this.#postView();
  }

  get editor(): ChatPorts['editor'] {
    return this.#ports.editor;
  }

  /** Ends every stream and resolves when what they brought is on disk. */
  async close(): Promise<void> {
    await this.#conversations.close(closed());
    this.dispose();
  }

  dispose(): void {
    this.#disposables.dispose();
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
    const { profile } = this.#ports.backend;
    store
      .answer(
        { id: this.#ports.newId(), parentId, endpoint },
        (signal, onRetry) => this.#ports.backend.chat(endpoint, request, { signal, onRetry }),
        (error) => answerFailure(error, { endpoint, profile }),
      )
      .then(
        (status) => {
          this.#finished.fire({ conversationId, status });
          // A service that was not running runs now, and knows the models of this machine.
          if (status !== 'done') return;
          void this.#catalog.complete();
          this.#sendNext(store).catch((error: unknown) => {
            this.#notice = toFailure(error);
            this.#postView();
          });
        },
        (error: unknown) => this.#ports.log.error(`An answer could not be written down: ${describeError(error)}`),
      );
  }

  async #begin(firstText: string): Promise<ConversationStore> {
    const store = await this.#conversations.begin(firstText);
    this.#postSnapshot();
    return store;
  }

  get #current(): ConversationStore | undefined {
    return this.#conversations.current;
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
    this.#revision += 1;
    return viewStateOf(this.#ports, this.#conversations, this.#recipient, {
      revision: this.#revision,
      endpoints: this.#catalog.state,
      notice: this.#notice,
    });
  }

  #snapshot(): Snapshot {
    const store = this.#current;
    const { text, edit, toolResults } = this.#conversations.draft;
    return {
      sequence: store?.sequence ?? 0,
      conversation: store?.conversation ?? null,
      draft: { id: this.#conversations.currentId, text, edit, toolResults },
      view: this.#viewState(),
    };
  }

  #postView(): void {
    this.#messages.fire({ type: 'view', view: this.#viewState() });
  }

  #postSnapshot(): void {
    this.#messages.fire({ type: 'snapshot', snapshot: this.#snapshot() });
  }
}

function busy(): AppError {
  return new AppError('invalid', l10n.t('An answer is still being written; nothing was sent.'), {
    remedy: l10n.t('Stop it or wait for its end.'),
  });
}
