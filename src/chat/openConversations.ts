import { type AppError, describeError } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { DisposableStore } from '../shared/lifecycle.ts';
import type { ChatPorts } from './chatPorts.ts';
import { emptyConversation, titleOf } from './conversation.ts';
import type { ConversationEvent } from './conversationEvent.ts';
import { ConversationStore, type NumberedEvent } from './conversationStore.ts';
import { draftExtension, hasWords, type Draft } from './draft.ts';
import { unreadExtension, type ConversationSummary } from './history.ts';

/** Maximum delay before changes by another window are shown here, in milliseconds. */
const followInMs = 250;

/** The parts of a draft that the conversation has once it has begun. */
const notBegun = { endpoint: undefined, task: undefined, parameters: undefined, tools: undefined };

/** The conversations in memory and the one on screen. */
export class OpenConversations {
  readonly #ports: ChatPorts;
  readonly #stores = new Map<string, ConversationStore>();
  readonly #disposables = new DisposableStore();
  readonly #applied = this.#disposables.add(new Emitter<NumberedEvent>());
  readonly #changed = this.#disposables.add(new Emitter<void>());
  readonly #failed = this.#disposables.add(new Emitter<unknown>());
  readonly #replaced = this.#disposables.add(new Emitter<void>());
  /** Ids of deleted conversations. */
  readonly #deleted = new Set<string>();
  /** What another window may have changed and must be read again. */
  readonly #toFollow = new Set<'marks' | 'draft' | 'answers'>();
  #cancelFollow: (() => void) | undefined;
  #currentId: string;
  #opened: Promise<void> | undefined;
  #recent: ConversationSummary[] = [];

  /** Fires when something happened in the conversation on screen. */
  readonly onDidApply: Event<NumberedEvent> = this.#applied.event;
  /** Fires when the state around the conversation on screen has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  /** Fires when the conversation on screen was replaced by another window's version. */
  readonly onDidReplace: Event<void> = this.#replaced.event;
  /** Fires when something could not be read or written. */
  readonly onDidFail: Event<unknown> = this.#failed.event;

  constructor(ports: ChatPorts) {
    this.#ports = ports;
    this.#currentId = ports.newId();
  }

  /** Id of the conversation on screen, even if it has not begun. */
  get currentId(): string {
    return this.#currentId;
  }

  /** The conversation on screen; `undefined` if it has not begun. */
  get current(): ConversationStore | undefined {
    return this.#stores.get(this.#currentId);
  }

  get draft(): Draft {
    return this.#ports.drafts.get(this.#currentId);
  }

  /** Earlier conversations, most recently changed first. */
  get recent(): readonly ConversationSummary[] {
    return this.#recent;
  }

  get(id: string): ConversationStore | undefined {
    return this.#stores.get(id);
  }

  isUnread(id: string): boolean {
    return this.#recent.some((summary) => summary.id === id && summary.isUnread);
  }

  /** Handles the end of an answer, which is unread if another conversation is on screen. */
  async answered(id: string): Promise<void> {
    // Changes by other windows were not read while the answer was being written.
    if (id === this.#currentId) this.#followSoon('answers');
    else await this.#mark(id, true);
  }

  async #mark(id: string, isUnread: boolean): Promise<void> {
    try {
      await this.#ports.history.markUnread(id, isUnread);
    } catch (error) {
      this.#ports.log.debug(`Conversation ${id} could not be marked: ${describeError(error)}`);
    }
    await this.refreshRecent();
    this.#changed.fire();
  }

  /** Watches for other windows, which may show the same conversation, write in it, and mark answers in others as read. */
  #watch(): void {
    this.#disposables.add({
      dispose: this.#ports.history.watch((name) => {
        if (name.endsWith(unreadExtension)) this.#followSoon('marks');
        else if (name.startsWith(`${this.#currentId}.`))
          this.#followSoon(name.includes(draftExtension) ? 'draft' : 'answers');
      }),
    });
  }

  #followSoon(what: 'marks' | 'draft' | 'answers', waitInMs = followInMs): void {
    this.#toFollow.add(what);
    this.#cancelFollow ??= this.#ports.clock.schedule(waitInMs, () => void this.#follow());
  }

  async #follow(): Promise<void> {
    const { current: store } = this;
    const [what, id] = [new Set(this.#toFollow), this.#currentId];
    this.#cancelFollow = undefined;
    this.#toFollow.clear();
    try {
      if (what.has('marks')) {
        await this.refreshRecent();
        if (store && this.isUnread(id)) await this.#mark(id, false);
      }
      const isOther = (what.has('draft') && (await this.#ports.drafts.follow(id))) || what.has('marks');
      const isReplaced = what.has('answers') && (await store?.follow()) === true && store === this.current;
      if (isReplaced) this.#replaced.fire();
      else if (isOther) this.#changed.fire();
    } catch (error) {
      this.#ports.log.debug(`A conversation could not be read again: ${describeError(error)}`);
    }
    // A window that has crashed no longer changes any file, so check again later.
    if (store?.isWrittenElsewhere === true && store === this.current && !this.#disposables.isDisposed)
      this.#followSoon('answers', 4 * followInMs);
  }

  /** Opens the conversation that this window showed last; runs once. */
  open(): Promise<void> {
    return (this.#opened ??= this.#openLast());
  }

  /** Reads a conversation without showing it. */
  async load(id: string): Promise<ConversationStore> {
    const { history, clock } = this.#ports;
    return (
      this.#stores.get(id) ?? this.#keep(new ConversationStore(await history.load(id, clock.now()), history, clock))
    );
  }

  /** Shows a conversation from the history. */
  async show(id: string): Promise<void> {
    await Promise.all([this.load(id), this.#ports.drafts.load(id)]);
    await this.leave();
    this.#currentId = id;
    if (this.isUnread(id)) await this.#mark(id, false);
    await this.#ports.editor.rememberConversation(id);
    // It may have changed since it was read.
    this.#followSoon('answers');
  }

  /** Shows a conversation that has not begun. */
  async showNew(draft: Partial<Draft>): Promise<void> {
    await this.leave();
    // A conversation that has not begun is already new: keep it, so that text being typed into it stays visible.
    if (this.current) this.#currentId = this.#ports.newId();
    const { drafts } = this.#ports;
    if (drafts.has(this.#currentId) || Object.keys(draft).length > 0)
      void drafts.change(this.#currentId, { ...notBegun, ...draft });
    await this.#ports.editor.rememberConversation(this.#currentId);
    await this.refreshRecent();
  }

  /** Makes a conversation with a draft exist, so that the draft can be found again. */
  async leave(): Promise<void> {
    const { draft } = this;
    if (this.current || !hasWords(draft)) return;
    await this.begin(draft.text || (draft.attachments[0]?.label ?? ''));
    await this.#ports.drafts.flush();
  }

  /**
   * Returns the id of the conversation that a view refers to. If it no longer exists, or was left before it began, a new one is created.
   */
  meant(id = this.#currentId): string {
    const isOpen = id === this.#currentId || this.#stores.has(id);
    return isOpen || (this.#ports.drafts.has(id) && !this.#deleted.has(id)) ? id : this.#ports.newId();
  }

  /** Begins a conversation, by default the one on screen. */
  async begin(firstText: string, id = this.#currentId): Promise<ConversationStore> {
    const { clock, drafts, history, backend, editor } = this.#ports;
    const atMs = clock.now();
    const { endpoint, task, parameters = {}, tools } = drafts.get(id);
    const { profile } = backend;
    const store = this.#keep(new ConversationStore(emptyConversation(id, atMs), history, clock));
    const events: ConversationEvent[] = [
      { type: 'created', id, title: titleOf(firstText), profile: { id: profile.id, name: profile.name }, atMs },
    ];
    if (endpoint !== undefined) events.push({ type: 'endpointChosen', endpoint, task, atMs });
    if (Object.keys(parameters).length > 0) events.push({ type: 'parametersChanged', parameters, atMs });
    if (tools) events.push({ type: 'toolsChosen', tools });
    await store.record(...events);
    void drafts.change(id, notBegun);
    if (id === this.#currentId) await editor.rememberConversation(id);
    return store;
  }

  async delete(id: string): Promise<void> {
    const store = this.#stores.get(id);
    await store?.stop();
    await this.#ports.history.delete(id);
    this.#deleted.add(id);
    store?.dispose();
    this.#stores.delete(id);
    // The draft is kept in case the deletion is undone.
    if (id === this.#currentId) this.#currentId = this.#ports.newId();
    await this.refreshRecent();
  }

  async refreshRecent(): Promise<void> {
    try {
      this.#recent = (await this.#ports.history.list()).filter((summary) => summary.hasContent);
    } catch (error) {
      this.#ports.log.warn(`The conversations could not be listed: ${describeError(error)}`);
      this.#failed.fire(error);
    }
  }

  /** Ends every answer and resolves when everything received is on disk. */
  async close(reason: AppError): Promise<void> {
    await Promise.allSettled([...this.#stores.values()].map((store) => store.stop(reason)));
    await this.#ports.drafts.flush();
    await this.#ports.history.settled();
  }

  dispose(): void {
    this.#cancelFollow?.();
    for (const store of this.#stores.values()) store.dispose();
    this.#stores.clear();
    this.#disposables.dispose();
  }

  #keep(store: ConversationStore): ConversationStore {
    const { id } = store.conversation;
    const existing = this.#stores.get(id);
    if (existing) return existing; // Loaded twice concurrently: the first one wins.
    this.#stores.set(id, store);
    store.onDidApply((event) => {
      if (event.conversationId === this.#currentId) this.#applied.fire(event);
    });
    store.onDidChangeWait(() => {
      if (store === this.current) this.#changed.fire();
    });
    store.onDidFailToSave((error) => {
      this.#ports.log.error(describeError(error));
      this.#failed.fire(error);
    });
    return store;
  }

  async #openLast(): Promise<void> {
    const { editor, history, drafts, log, clock } = this.#ports;
    await Promise.all([history.purge(clock.now()), drafts.purge(clock.now())]).catch((error: unknown) =>
      log.warn(`Deleted conversations could not be removed: ${describeError(error)}`),
    );
    this.#watch();
    await this.refreshRecent();
    const id = editor.recallConversation();
    if (id === undefined) return;
    await drafts.load(id);
    if (!this.#recent.some((summary) => summary.id === id)) {
      // The conversation never began, but it has a draft.
      if (hasWords(drafts.get(id))) this.#currentId = id;
      return;
    }
    try {
      await this.load(id);
      this.#currentId = id;
      this.#followSoon('answers');
    } catch (error) {
      log.warn(`The last conversation could not be opened: ${describeError(error)}`);
      this.#failed.fire(error);
    }
  }
}
