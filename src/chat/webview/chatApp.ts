import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import { applyEvent, isRoundOfCalls, streamingAnswer, visibleTurns } from '../conversation.ts';
import type { Conversation, UserTurn } from '../conversation.ts';
import type { ConversationEvent, Failure, ToolResult } from '../conversationEvent.ts';
import { withEachLine } from '../playground.ts';
import type { HostMessage, Method, Reply, Snapshot, ViewState } from '../protocol.ts';
import { ChatFind } from './chatFind.ts';
import { Composer } from './composer.ts';
import { DraftKeeper, type UnsentDraft } from './draftKeeper.ts';
import { EmptyState } from './emptyState.ts';
import { type ParamsGiven, HostLink, seenOf, type WebviewApi } from './hostLink.ts';
import { iconButton } from './icons.ts';
import { showCodeColours } from './markdown/codeBlock.ts';
import { announcementOf, Notices } from './notices.ts';
import { listenToPage } from './pageEvents.ts';
import { ParameterPanel } from './parameterPanel.ts';
import { ScrollKeeper } from './scrollKeeper.ts';
import { strings } from './strings.ts';
import { TurnList } from './turnList.ts';

/** State that the editor keeps for a view that it destroys when hidden. */
interface SavedState {
  readonly unsent: UnsentDraft;
  readonly top: number;
  readonly isPinned: boolean;
}

/**
 * The chat view: shows the host's state and sends the user's actions. It owns no state; after it has been destroyed and recreated, it
 * requests a snapshot and continues with the next numbered event.
 */
export class ChatApp {
  readonly #api: WebviewApi;
  readonly #link: HostLink;
  readonly #turns: TurnList;
  readonly #composer: Composer;
  readonly #panel: ParameterPanel;
  readonly #empty: EmptyState;
  readonly #list: HTMLElement;
  readonly #scroll: ScrollKeeper;
  readonly #find: ChatFind;
  readonly #drafts: DraftKeeper;
  readonly #notices: Notices;
  readonly #announcer = h('div', { class: 'visually-hidden', role: 'status', attributes: { 'aria-live': 'polite' } });
  #conversation: Conversation | null = null;
  #view: ViewState | undefined;
  #sequence = 0;
  #unsent: UnsentDraft;
  /** The message that the host has not accepted yet. */
  #pending = '';
  #frame = 0;

  constructor(api: WebviewApi) {
    this.#api = api;
    this.#link = new HostLink(
      api,
      (message) => this.#receive(message),
      () => this.#fail({ kind: 'protocol', message: strings.tooBroken, remedy: strings.reload }),
    );
    const { unsent } = (api.getState() ?? {}) as Partial<SavedState>;
    this.#drafts = new DraftKeeper(
      (draft) => this.#link.request('changeDraft', draft),
      (draft) => {
        this.#unsent = draft;
        this.#save();
      },
      unsent,
    );
    this.#turns = new TurnList(this.#turnActions());
    this.#composer = new Composer(this.#composerActions());
    this.#panel = new ParameterPanel(
      async (parameters) => {
        const { failure } = await this.#link.request('setParameters', { parameters });
        if (!failure && this.#notices.own?.message === strings.parameterInvalid) this.#fail(undefined);
        return failure?.message;
      },
      () => this.#togglePanel(false),
      (name) => this.#tell('parameterFromFile', { name }),
      () => this.#tell('choosePreset'),
    );
    this.#notices = new Notices({
      refreshEndpoints: () => this.#tell('refreshEndpoints'),
      chooseEndpoint: () => this.#tell('chooseEndpoint'),
      chooseProfile: () => this.#tell('chooseProfile'),
      adoptProfile: () => this.#tell('adoptProfile'),
      dismissNotice: () => this.#tell('dismissNotice'),
      dismissOwn: () => this.#fail(undefined),
    });
    this.#empty = new EmptyState({
      suggest: ({ title, prompt, isDeed }) =>
        isDeed ? this.#tell('takeSuggestion', { title }) : void this.#send(prompt),
      open: (id) => this.#tell('openConversation', { id }),
      takeRoom: (way) => this.#tell('takeRoom', { way }),
      showAll: () => this.#tell('showHistory'),
    });
    const list = (this.#list = h(
      'main',
      { class: 'messages', label: strings.conversation, attributes: { tabindex: '0' } },
      this.#empty.element,
      this.#turns.element,
    ));
    const jump = iconButton('down', strings.jumpToLatest, () => this.#scroll.jump());
    jump.classList.add('jump');
    document.body.append(
      h(
        'div',
        { class: 'chat' },
        h('header', { class: 'visually-hidden' }, h('h1', {}, strings.title)),
        h('div', { class: 'scroll-area' }, list, jump),
        this.#notices.element,
        this.#panel.element,
        this.#composer.element,
        this.#announcer,
      ),
    );
    this.#scroll = new ScrollKeeper(list, this.#turns.element, jump);
    this.#find = new ChatFind(
      this.#turns.element,
      () => this.#showAll(),
      () => this.#scroll.release(),
    );
    list.before(this.#find.element);
    list.addEventListener('scroll', () => this.#save(), { passive: true });
    this.#listenToPage();
  }

  async start(): Promise<void> {
    const saved = this.#api.getState() as Partial<SavedState> | undefined;
    await this.#resync();
    if (typeof saved?.top === 'number' && typeof saved.isPinned === 'boolean')
      this.#scroll.restore({ top: saved.top, isPinned: saved.isPinned });
  }

  #listenToPage(): void {
    listenToPage({
      openFind: () => this.#find.open(),
      step: (by) => {
        this.#scroll.release();
        if (!this.#turns.step(by)) this.#composer.focus();
      },
      escape: () => {
        if (this.#find.isOpen) this.#find.close();
        else if (!this.#panel.element.hidden) this.#togglePanel(false);
        else if (this.#isStreaming) this.#tell('stop');
      },
      openLink: (url) => this.#tell('openLink', { url }),
    });
    window.addEventListener('blur', () => this.#drafts.flush());
    // When the editor focuses the view, the user wants to type; the view never takes the focus by itself.
    window.addEventListener('focus', () => {
      if (document.activeElement === document.body) this.#composer.focus();
    });
    // Right after layout, reading heights is free.
    const heights = new ResizeObserver(() => this.#scroll.keep());
    heights.observe(this.#turns.element);
    heights.observe(this.#list);
  }

  get #isStreaming(): boolean {
    return (
      this.#view?.tools.isUnderWay === true ||
      (this.#conversation !== null && streamingAnswer(this.#conversation) !== undefined)
    );
  }

  #receive(message: Exclude<HostMessage, Reply>): void {
    switch (message.type) {
      case 'snapshot':
        return this.#replace(message.snapshot);
      case 'view':
        this.#takeView(message.view);
        this.#schedule();
        return;
      case 'event':
        return this.#onEvent(message.conversationId, message.sequence, message.event);
      case 'focusPrompt':
        return this.#composer.focus();
      case 'codeColours':
        return showCodeColours(message.colours);
      case 'find':
        this.#find.open();
        return;
      case 'draft':
        this.#composer.text = message.text;
        this.#composer.focus();
    }
  }

  #onEvent(conversationId: string, sequence: number, event: ConversationEvent): void {
    if (!this.#conversation || conversationId !== this.#conversation.id) return;
    if (sequence <= this.#sequence) return; // Already part of the snapshot, or an event was missed.
    if (sequence !== this.#sequence + 1) {
      void this.#resync();
      return;
    }
    this.#conversation = applyEvent(this.#conversation, event);
    this.#sequence = sequence;
    if (event.type === 'userAdded') this.#pending = '';
    if (event.type === 'userAdded' || event.type === 'answerStarted')
      this.#scroll.toQuestion(true, isRoundOfCalls(this.#conversation));
    const announcement = announcementOf(event, this.#conversation.endpoint);
    if (announcement !== undefined) setText(this.#announcer, announcement);
    this.#schedule();
  }

  async #resync(): Promise<void> {
    const reply = await this.#link.request('ready');
    if (reply.snapshot) this.#replace(reply.snapshot);
    else if (reply.failure) this.#fail(reply.failure);
  }

  #replace(snapshot: Snapshot): void {
    const isOther = snapshot.conversation?.id !== this.#conversation?.id;
    if (isOther || snapshot.sequence >= this.#sequence) {
      this.#conversation = snapshot.conversation;
      this.#sequence = snapshot.sequence;
    }
    const begun = this.#drafts.take(snapshot.draft, snapshot.nowMs);
    if (begun !== undefined) {
      this.#panel.forget();
      this.#composer.restore(begun);
    }
    this.#takeView(snapshot.view);
    this.#notices.set(undefined);
    this.#draw();
    if (isOther) this.#scroll.toQuestion(false);
  }

  #takeView(view: ViewState): void {
    if (this.#view && view.revision <= this.#view.revision) return;
    const told = this.#view?.wait?.failure.message;
    this.#view = view;
    // Announce a wait once, however many retries follow; the countdown is only visible.
    const message = view.wait?.failure.message;
    if (message !== undefined && message !== told) setText(this.#announcer, message);
  }

  /** Draws at most once per frame, however many messages arrived. */
  #schedule(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  /** Draws a few messages per frame, so that the page stays responsive. */
  #showAll(): void {
    if (this.#turns.showEarlier()) requestAnimationFrame(() => this.#showAll());
  }

  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const view = this.#view;
    if (!view) return;
    const conversation = this.#conversation;
    const isEmpty = this.#pending === '' && (!conversation || conversation.turns.length === 0);
    const hadFocus = document.activeElement !== document.body;
    const waitInMs = conversation ? this.#turns.update(conversation, view) : 0;
    this.#turns.showPending(this.#pending);
    setHidden(this.#turns.element, isEmpty);
    this.#find.changed();
    this.#empty.update(view, isEmpty);
    this.#scroll.isIdle = isEmpty;
    this.#panel.update(view.parameterFields, view.parameters);
    this.#composer.update(view, this.#isStreaming, !this.#panel.element.hidden);
    this.#notices.update(view);
    // The focused element was removed, such as an answer replaced by another variant, or hidden, such as a suggestion that began a
    // conversation.
    const active = document.activeElement;
    if (hadFocus && (active === document.body || active?.closest('[hidden]'))) this.#composer.focus();
    // The last drawing was expensive: leave time for other work before drawing the rest.
    if (waitInMs > 0) window.setTimeout(() => this.#schedule(), waitInMs);
  }

  #fail(failure: Failure | undefined): void {
    this.#notices.set(failure);
    if (failure) setText(this.#announcer, failure.message);
    this.#schedule();
  }

  /** Waits for the reply and shows its failure. Returns whether there was none. */
  async #ask<M extends Method>(method: M, ...given: ParamsGiven<M>): Promise<boolean> {
    const { failure } = await this.#link.request(method, ...given);
    if (failure || this.#notices.own) this.#fail(failure);
    return failure === undefined;
  }

  #tell<M extends Method>(method: M, ...given: ParamsGiven<M>): void {
    void this.#ask(method, ...given);
  }

  async #send(text: string, toolResults?: ToolResult[]): Promise<boolean> {
    if (!this.#isStreaming) this.#pending = text;
    this.#draw();
    if (this.#pending !== '') this.#scroll.toQuestion(true);
    const seen = this.#view && seenOf(this.#view);
    const isDone = await this.#askModel('send', { id: this.#drafts.id, text, toolResults, seen });
    this.#pending = '';
    this.#schedule();
    return isDone;
  }

  /** Sends the request only if the parameters are valid and an endpoint is available. */
  async #askModel<M extends Method>(method: M, ...given: ParamsGiven<M>): Promise<boolean> {
    if (!(await this.#panel.isValid())) {
      this.#fail({ kind: 'invalid', message: strings.parameterInvalid, remedy: strings.correctParameter });
      this.#togglePanel(true);
      this.#panel.focusProblem();
      return false;
    }
    const hadEndpoint = this.#view?.endpoint !== undefined;
    const isDone = await this.#ask(method, ...given);
    if (!isDone && !hadEndpoint && this.#view?.endpoint === undefined) this.#notices.set(this.#notices.own, true);
    return isDone;
  }

  #togglePanel(isOpen: boolean): void {
    setHidden(this.#panel.element, !isOpen);
    this.#draw();
    if (isOpen) this.#panel.element.querySelector('textarea')?.focus();
    else this.#composer.focus();
  }

  #previousPrompt(): string | undefined {
    const turns = this.#conversation ? visibleTurns(this.#conversation) : [];
    return turns.findLast((turn): turn is UserTurn => turn.role === 'user' && turn.text !== '')?.text;
  }

  #save(): void {
    this.#api.setState({ ...this.#scroll.position, unsent: this.#unsent } satisfies SavedState);
  }

  #turnActions(): ConstructorParameters<typeof TurnList>[0] {
    return {
      copy: (text) => this.#tell('copy', { text }),
      insert: (text) => this.#tell('insertAtCursor', { text }),
      newFile: (text, language) => this.#tell('newFile', { text, language }),
      apply: (text, language) => this.#tell('applyCode', { text, language }),
      editAndResend: (turnId, text) => this.#askModel('editAndResend', { turnId, text }),
      begunEdit: (turnId) => this.#drafts.editOf(turnId),
      keepEdit: (turnId, text) => this.#drafts.change({ edit: text === undefined ? null : { turnId, text } }),
      begunResults: (answerId) => this.#drafts.resultsOf(answerId),
      keepResults: (answerId, contents) => this.#drafts.change({ toolResults: { answerId, contents } }),
      regenerate: (turnId) => void this.#askModel('regenerate', { turnId }),
      selectVariant: (turnId) => this.#tell('selectVariant', { turnId }),
      selectChoice: (turnId, choice) => this.#tell('selectChoice', { turnId, choice }),
      sendToolResults: (results) => void this.#send('', results),
      runTools: (turnId, isAllowed) => this.#tell('runTools', { turnId, isAllowed }),
      openRun: ({ profileId, runId }) => this.#tell('openRun', { profileId, runId }),
      openSection: (section) => this.#tell('openSection', { section }),
      ask: (text) => void this.#send(text),
      askElsewhere: (turnId) => void this.#askModel('askElsewhere', { turnId }),
      more: (turnId, showsExchange) => this.#tell('moreOfAnswer', { turnId, showsExchange }),
      signIn: () => this.#tell('signIn'),
      setKey: (turnId) => this.#tell('setKey', { turnId }),
      maxTokens: () => {
        const limit = this.#view?.parameters['max_tokens'];
        return typeof limit === 'number' ? limit : undefined;
      },
      contextLength: (name) => this.#view?.endpoints.items.find((item) => item.name === name)?.contextLength,
      redraw: () => this.#schedule(),
      announce: (text) => setText(this.#announcer, text),
      stop: () => this.#tell('stop'),
      retryNow: () => this.#tell('retryNow'),
    };
  }

  #composerActions(): ConstructorParameters<typeof Composer>[0] {
    return {
      send: (text) => this.#drafts.whileSent(() => this.#send(text)),
      stop: () => this.#tell('stop'),
      chooseEndpoint: () => this.#tell('chooseEndpoint'),
      attachContext: (what) => this.#tell('attachContext', what),
      removeAttachment: (index) => this.#tell('removeAttachment', { index }),
      chooseProfile: () => this.#tell('chooseProfile'),
      chooseTools: () => this.#tell('chooseTools'),
      toggleParameters: () => this.#togglePanel(Boolean(this.#panel.element.hidden)),
      separateLines: (isOn) => {
        const { task, parameters = {} } = this.#view ?? {};
        if (task) this.#tell('setParameters', { parameters: withEachLine(task, parameters, isOn) });
      },
      draftChanged: (text) => this.#drafts.change({ text }),
      sendQueued: () => this.#tell('sendQueued'),
      takeBack: (id, edit) => this.#tell('takeBack', { id, edit }),
      previousPrompt: () => this.#previousPrompt(),
      complete: async (text) => (await this.#link.request('complete', { text })).completions ?? [],
    };
  }
}
