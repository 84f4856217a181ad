import { AppError } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import { DisposableStore } from '../shared/lifecycle.ts';
import { Answers } from './answers.ts';
import { Asking } from './asking.ts';
import type { ChatPorts, ChosenEndpoint } from './chatPorts.ts';
import type { Conversation } from './conversation.ts';
import type { Failure, Parameters } from './conversationEvent.ts';
import type { ConversationStore } from './conversationStore.ts';
import type { Draft } from './draft.ts';
import { EndpointCatalog } from './endpointCatalog.ts';
import type { ConversationSummary } from './history.ts';
import { OpenConversations } from './openConversations.ts';
import { type FileParameter, pickParameter } from './parameterFile.ts';
import { Prompt } from './prompt.ts';
import type { HostMessage, Snapshot, ViewState } from './protocol.ts';
import { Recipient } from './recipient.ts';
import { closed, toFailure } from './session.ts';
import { TimelySuggestions } from './timelySuggestions.ts';
import { ToolCalls } from './toolCalls.ts';
import { viewStateOf } from './viewState.ts';

/**
 * The chat behind the view: owns the conversations and their streams, whether or not a view exists. It does not access the editor or the
 * disk directly; both come through `ChatPorts`.
 */
export class ChatService {
  readonly #ports: ChatPorts;
  readonly #disposables = new DisposableStore();
  readonly #messages = this.#disposables.add(new Emitter<HostMessage>());
  readonly #catalog: EndpointCatalog;
  readonly #conversations: OpenConversations;
  readonly #recipient: Recipient;
  readonly editor: ChatPorts['editor'];
  readonly tools: ChatPorts['tools'];
  readonly lookUps: ChatPorts['lookUps'];
  /** The message being composed. */
  readonly prompt: Prompt;
  /** Sends the message and requests the answer. */
  readonly asking: Asking;
  readonly #toolCalls: ToolCalls;
  readonly answers: Answers;
  /** Suggestions in an empty conversation. */
  readonly timely: TimelySuggestions;
  #notice: Failure | undefined;
  #revision = 0;
  /** The last request for a new conversation. */
  #opening: Promise<void> | undefined;

  /** Fires with messages for a view; it needs no listener. */
  readonly onDidPost: Event<HostMessage> = this.#messages.event;

  constructor(ports: ChatPorts) {
    this.#ports = ports;
    [this.editor, this.tools, this.lookUps] = [ports.editor, ports.tools, ports.lookUps];
    this.#catalog = this.#disposables.add(new EndpointCatalog(ports.backend));
    const conversations = (this.#conversations = this.#disposables.add(new OpenConversations(ports)));
    this.#recipient = new Recipient(ports, conversations, this.#catalog);
    this.prompt = this.#disposables.add(new Prompt(ports, conversations));
    this.prompt.onDidChange(() => this.#postView());
    this.prompt.onDidPost((message) => this.#messages.fire(message));
    conversations.onDidApply((event) => this.#messages.fire({ type: 'event', ...event }));
    conversations.onDidChange(() => this.#postView());
    conversations.onDidReplace(() => this.#postSnapshot());
    conversations.onDidFail((error) => this.#notify(error));
    this.#toolCalls = this.#disposables.add(new ToolCalls(ports));
    this.#toolCalls.onDidChange(() => this.#postView());
    this.asking = this.#disposables.add(
      new Asking(ports, conversations, this.#recipient, this.prompt, this.#toolCalls),
    );
    this.answers = new Answers(ports, conversations, this.#recipient, this.asking, this.#toolCalls);
    this.asking.onDidBegin(() => this.#postSnapshot());
    this.asking.onDidFail((error) => this.#notify(error));
    // A service that was not running before is running now and knows the models of this machine.
    this.asking.onDidFinishAnswer(({ conversationId, status }) => {
      void conversations.answered(conversationId);
      if (status === 'done') void this.#catalog.complete();
      // The user may have to confirm its calls.
      this.#postView();
    });
    this.#disposables.add(this.#catalog.onDidChange(() => this.#postView()));
    this.#disposables.add(
      ports.backend.onDidChangeProfile(() => {
        if (!this.#current) this.prompt.change({ endpoint: undefined, task: undefined });
        void this.#catalog.refresh();
        this.#suggest();
      }),
    );
    this.timely = this.#disposables.add(new TimelySuggestions(ports, this.prompt));
    this.timely.onDidChange(() => this.#postView());
    this.#disposables.add(ports.tools.onDidChangeSuggestions(() => this.#suggest()));
  }

  /** Returns the whole state for a view that has just appeared; opens the conversation that this window showed last. */
  async snapshot(): Promise<Snapshot> {
    await this.#conversations.open();
    void this.#catalog.ensureLoaded();
    this.#suggest();
    return this.#snapshot();
  }

  /** Requests another answer from an endpoint that the user chooses. */
  async askElsewhere(turnId: string): Promise<void> {
    const task = this.#current?.conversation.task;
    const chosen = await this.#recipient.pick(this.#current, (item) => item.task === task);
    if (!chosen) return;
    await this.selectEndpoint({ ...chosen, task: this.#current?.conversation.task });
    await this.asking.regenerate(turnId);
  }

  async selectVariant(turnId: string): Promise<void> {
    const { store } = this.asking.requireTurn(turnId);
    await store.record({ type: 'variantSelected', id: turnId });
    this.#postView(); // The queue and the calls that can be answered depend on the branch.
  }

  async selectChoice(turnId: string, choice: number): Promise<void> {
    const { store } = this.asking.requireTurn(turnId);
    await store.record({ type: 'choiceSelected', id: turnId, choice });
  }

  /** Selects the endpoint. An endpoint with another task begins a new conversation. */
  async selectEndpoint({ name: endpoint, task }: ChosenEndpoint): Promise<void> {
    // A choice right after a new conversation was requested is meant for that one.
    await this.#opening?.catch(() => undefined);
    const store = this.#current;
    const current = this.#recipient.chosen(store);
    if (endpoint === current?.name && task === current.task) return;
    if (store && store.conversation.turns.length > 0 && store.conversation.task !== task)
      return this.#showNew({ ...this.#kept(), endpoint, task });
    if (store) await store.record({ type: 'endpointChosen', endpoint, task, atMs: this.#ports.clock.now() });
    else this.prompt.change({ endpoint, task });
    this.#postView();
  }

  /** Continues the conversation with the current profile. */
  async adoptProfile(): Promise<void> {
    const { id, name } = this.#ports.backend.profile;
    await this.#current?.record({ type: 'profileChosen', profile: { id, name }, atMs: this.#ports.clock.now() });
    this.#postView();
  }

  async setParameters(given: Parameters): Promise<void> {
    const store = this.#current;
    const { task, parameters: before = {} } = store?.conversation ?? this.#conversations.draft;
    const fields = this.#ports.parameterFields(task);
    const known = new Set(fields.map((field) => field.name));
    const unknown = Object.keys(given).find((name) => !known.has(name));
    if (unknown !== undefined)
      throw new AppError(
        'invalid',
        l10n.t('"{0}" is not a parameter of this request, so nothing was changed.', unknown),
      );
    const failure = this.#ports.checkParameters(given, task);
    if (failure) throw new AppError('invalid', failure.message, { remedy: failure.remedy });
    // Parameters of other tasks are not on the form and remain unchanged.
    const others = Object.entries(before).filter(([name]) => !known.has(name));
    const parameters = { ...Object.fromEntries(others), ...given };
    if (store) await store.record({ type: 'parametersChanged', parameters, atMs: this.#ports.clock.now() });
    else this.prompt.change({ parameters });
    this.#postView();
  }

  /** Sets a parameter from a file that the user chooses; for functions, the user also chooses which ones. */
  async parameterFromFile(name: FileParameter): Promise<void> {
    const chosen = await pickParameter(name, this.#ports.editor);
    if (chosen === undefined) return;
    const { task, parameters = {} } = this.#current?.conversation ?? this.#conversations.draft;
    // Parameters of other tasks are not passed on; they remain unchanged.
    const names = this.#ports.parameterFields(task).flatMap((field) => (field.name === name ? [] : field.name));
    const rest = Object.fromEntries(Object.entries(parameters).filter(([key]) => names.includes(key)));
    const isNone = Array.isArray(chosen) && chosen.length === 0;
    await this.setParameters({ ...rest, ...(!isNone && { [name]: chosen }) });
  }

  async takeRoom(way: 'tab' | 'sideBar' | 'none'): Promise<void> {
    await this.#ports.room.take(way);
    this.#postView();
  }

  /** Lets the user choose the functions that the endpoint may call in the conversation on screen. */
  async chooseTools(): Promise<void> {
    const { currentId: id, current, draft } = this.#conversations;
    const chosen = (current?.conversation ?? draft).tools;
    const tools = await this.#toolCalls.choose(chosen, this.#recipient.endpointOf(current));
    const begun = tools && this.#conversations.get(id)?.record({ type: 'toolsChosen', tools });
    if (tools) await (begun ?? this.#ports.drafts.change(id, { tools }));
    this.#postView();
  }

  refreshEndpoints(): Promise<void> {
    return this.#catalog.refresh({ start: true });
  }

  /** Lets the user choose the endpoint of the conversation. Requests the list from the service, which is started if necessary. */
  async chooseEndpoint(): Promise<void> {
    const chosen = await this.#recipient.pick(this.#current, () => true);
    if (chosen) await this.selectEndpoint(chosen);
    if (chosen) this.#messages.fire({ type: 'focusPrompt' });
  }

  /** Opens an empty conversation that keeps endpoint and parameters. Its file is created with its first turn. */
  newConversation(options: { isChat?: boolean } = {}): Promise<void> {
    this.#opening = this.#openNew(options);
    return this.#opening;
  }

  async #openNew({ isChat = false }: { isChat?: boolean }): Promise<void> {
    await this.#conversations.open();
    const kept = this.#kept();
    await this.#showNew(isChat && kept.task ? {} : kept);
  }

  /** Returns what a new conversation takes over from the one on screen. */
  #kept(): Pick<Partial<Draft>, 'endpoint' | 'task' | 'parameters'> {
    const conversation = this.#current?.conversation;
    const { endpoint, task, parameters = {} } = conversation ?? this.#conversations.draft;
    const isOther = conversation !== undefined && this.#recipient.otherProfile(conversation) !== undefined;
    return {
      ...(endpoint !== undefined && !isOther && { endpoint, ...(task && { task }) }),
      ...(Object.keys(parameters).length > 0 && { parameters }),
    };
  }

  async #showNew(kept: Partial<Draft>): Promise<void> {
    await this.#conversations.showNew(kept);
    this.#suggest();
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

  /** Stops the answers of a conversation and removes it from the list; `restoreConversation` undoes that. */
  async deleteConversation(id: string): Promise<void> {
    const isShown = id === this.#conversations.currentId;
    const kept = this.#kept();
    await this.#conversations.delete(id);
    if (isShown) await this.#showNew(kept);
    this.#postView();
  }

  async restoreConversation(id: string): Promise<void> {
    await this.#ports.history.restore(id);
    // If the user has opened another conversation, keep it on screen.
    if (!this.#current && this.#conversations.draft.text === '') await this.openConversation(id);
    await this.#conversations.refreshRecent();
    this.#postView();
  }

  listConversations(): Promise<ConversationSummary[]> {
    return this.#ports.history.list();
  }

  /** Returns the text of all messages in a conversation, for searching. */
  wordsOf(id: string): Promise<string> {
    return this.#ports.history.words(id);
  }

  /** Returns whether its last answer arrived while another conversation was on screen. */
  isUnread(id: string): boolean {
    return this.#conversations.isUnread(id);
  }

  isWriting(id: string): boolean {
    return this.#conversations.get(id)?.isStreaming === true;
  }

  get currentConversation(): Conversation | undefined {
    return this.#current?.conversation;
  }

  dismissNotice(): void {
    this.#notice = undefined;
    this.#postView();
  }

  /** Ends every stream and resolves when everything received is on disk. */
  async close(): Promise<void> {
    await this.#conversations.close(closed());
    this.dispose();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  get #current(): ConversationStore | undefined {
    return this.#conversations.current;
  }

  /** Updates the suggestions of an empty view. */
  #suggest(): void {
    if (!this.#current) this.timely.look();
  }

  #notify(error: unknown): void {
    this.#notice = toFailure(error);
    this.#postView();
  }

  #viewState(): ViewState {
    this.#revision += 1;
    return viewStateOf(this.#ports, this.#conversations, this.#recipient, this.#toolCalls, {
      revision: this.#revision,
      endpoints: this.#catalog.state,
      notice: this.#notice,
      suggestions: this.timely.shown,
    });
  }

  #snapshot(): Snapshot {
    const store = this.#current;
    const { text, edit, toolResults, atMs = 0 } = this.#conversations.draft;
    return {
      sequence: store?.sequence ?? 0,
      conversation: store?.conversation ?? null,
      // Sending clears the draft, which is then as recent as the last message.
      draft: {
        id: this.#conversations.currentId,
        text,
        edit,
        toolResults,
        atMs: Math.max(
          atMs,
          ...(store?.conversation.turns ?? []).map((turn) => (turn.role === 'user' ? turn.createdAtMs : 0)),
        ),
      },
      nowMs: this.#ports.clock.now(),
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
