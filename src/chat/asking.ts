import type { ChatChunk } from '../api/schema/inference/schemas.ts';
import { AppError, describeError, toAppError } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import { paragraphs } from '../shared/text.ts';
import { answerFailure } from './answerFailure.ts';
import type { ChatPorts } from './chatPorts.ts';
import { requestOf } from './chatRequest.ts';
import { type Answer, pathTo, shownChoice, type Turn, type UserTurn, visibleTurns } from './conversation.ts';
import type { AnswerEnd, ToolResult } from './conversationEvent.ts';
import type { ConversationStore } from './conversationStore.ts';
import { type Draft, nextOf } from './draft.ts';
import { isAction, isLookUp, lookUpAuthor } from './lookUps.ts';
import type { OpenConversations } from './openConversations.ts';
import { acceptedParameters } from './playground.ts';
import type { Prompt } from './prompt.ts';
import type { SeenEndpoint } from './protocol.ts';
import type { Recipient } from './recipient.ts';
import type { ToolCalls } from './toolCalls.ts';

/** Time within which a user is unlikely to send a first message and then start another conversation before there is an answer. */
const justBegunInMs = 150;

/** Sends the user's messages one after the other and requests an answer to each. */
export class Asking {
  readonly #ports: ChatPorts;
  readonly #conversations: OpenConversations;
  readonly #recipient: Recipient;
  readonly #prompt: Prompt;
  readonly #begun = new Emitter<void>();
  readonly #finished = new Emitter<{ conversationId: string; status: AnswerEnd }>();
  readonly #failed = new Emitter<unknown>();
  /** Conversations whose turn is being saved and whose request has not begun. */
  readonly #asking = new Set<string>();

  /** Fires when the conversation on screen has begun. */
  readonly onDidBegin: Event<void> = this.#begun.event;
  readonly onDidFinishAnswer: Event<{ conversationId: string; status: AnswerEnd }> = this.#finished.event;
  /** Fires when a queued message could not be sent. */
  readonly onDidFail: Event<unknown> = this.#failed.event;

  readonly #toolCalls: ToolCalls;
  /** Raw events of the latest answers, for showing the exchange. */
  readonly events = new StreamEvents();

  constructor(
    ports: ChatPorts,
    conversations: OpenConversations,
    recipient: Recipient,
    prompt: Prompt,
    toolCalls: ToolCalls,
  ) {
    [this.#ports, this.#conversations, this.#recipient] = [ports, conversations, recipient];
    [this.#prompt, this.#toolCalls] = [prompt, toolCalls];
  }

  /**
   * Saves the user's turn, then requests the answer. Resolves when the request has been sent, or when the message is queued behind the
   * current answer.
   * @param to the conversation on screen when the user sent the message, if it may have changed. A message that cannot be sent there goes
   * back into that conversation's draft, with a notice
   * @param seen the endpoint on screen at that moment, which is asked whatever has been chosen since
   */
  async send(text: string, toolResults: ToolResult[] = [], to?: string, seen?: SeenEndpoint): Promise<void> {
    await this.#conversations.open();
    const id = this.#conversations.meant(to);
    try {
      await this.#recipient.useSeen(id, seen);
      await this.#send(id, text, toolResults);
    } catch (error) {
      if (id === this.#conversations.currentId) throw error;
      const { text: since } = this.#ports.drafts.get(id);
      if (!since.includes(text)) this.#prompt.change({ text: paragraphs(text, since) }, id);
      const { kind, message, remedy } = toAppError(error);
      const title = this.#conversations.get(id)?.conversation.title ?? text;
      this.#failed.fire(new AppError(kind, `${title}: ${message}`, { remedy }));
    }
  }

  async #send(id: string, text: string, toolResults: ToolResult[]): Promise<void> {
    const { drafts, lookUps } = this.#ports;
    const { text: begun, attachments: given, queue, toolResults: typed } = drafts.get(id);
    // The button of a command below an answer leaves what is being typed alone.
    const isTyped = !lookUps.isCommand(text) || begun.trim() === text.trim();
    const attachments = isTyped ? given : [];
    if (text.trim() === '' && attachments.length === 0 && toolResults.length === 0) {
      throw new AppError('invalid', l10n.t('There is nothing to send.'), { remedy: l10n.t('Enter a message first.') });
    }
    const isLeft = id !== this.#conversations.currentId;
    const store = this.#conversations.get(id) ?? (isLeft ? await this.#conversations.begin(text, id) : undefined);
    const endpoint = this.#recipient.require(store, text);
    refuseElsewhere(store);
    if (this.#isBusy(id)) {
      // What an action does was shown for the state before the current answer.
      if (toolResults.length > 0 || isAction(store?.conversation, text)) throw busy();
      const turns = store ? visibleTurns(store.conversation) : [];
      const afterId = turns.findLast(({ role }) => role === 'user')?.id;
      const queued = { id: this.#ports.newId(), text, attachments, afterId, endpoint };
      this.#prompt.change({ ...(isTyped && { text: '', attachments: [] }), queue: [...queue, queued] }, id);
      await drafts.flush();
      if (this.#ports.whileAnswering() === 'stop') await this.sendQueued(queued.id, store);
      return;
    }
    if (!isTyped) return this.#sendNow(id, endpoint, { text, attachments, toolResults: [] });
    const sent = Promise.withResolvers<void>();
    drafts.after(sent.promise);
    this.#prompt.change({ text: '', attachments: [], toolResults: undefined }, id);
    try {
      await this.#sendNow(id, endpoint, { text, attachments, toolResults });
      sent.resolve();
    } catch (error) {
      sent.resolve();
      const draft = drafts.get(id);
      this.#prompt.change(
        { text: paragraphs(text, draft.text), attachments: [...attachments, ...draft.attachments], toolResults: typed },
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
    return this.#asking.has(id) || this.#conversations.get(id)?.isStreaming === true || this.#toolCalls.isUnderWay(id);
  }

  /**
   * Whether the conversation has just begun. A busy editor may deliver the New Chat command after a message that was sent later; the
   * conversation on screen is then the new one.
   */
  get hasJustBegun(): boolean {
    const store = this.#current;
    const [first] = store?.conversation.turns ?? [];
    return store?.isStreaming === true && this.#ports.clock.now() - (first?.createdAtMs ?? 0) < justBegunInMs;
  }

  /** Sends a queued message now, by default the first one, and stops any answer being written. */
  async sendQueued(queuedId?: string, store = this.#current): Promise<void> {
    if (!store) return;
    this.#recipient.requireProfile(store);
    refuseElsewhere(store);
    this.#toolCalls.stop(store.conversation.id);
    if (store.isStreaming) await store.stop();
    // If the answer ended on its own just now, the message has already been sent.
    if (!this.#isBusy(store.conversation.id)) {
      const { queue } = this.#ports.drafts.get(store.conversation.id);
      await this.#sendNext(store, queuedId === undefined ? queue[0] : queue.find(({ id }) => id === queuedId));
    }
  }

  async #sendNext(store: ConversationStore, next: Draft['queue'][number] | undefined): Promise<void> {
    const { id } = store.conversation;
    const queue = this.#ports.drafts.get(id).queue.filter((message) => message !== next);
    if (!next || this.#recipient.otherProfile(store.conversation)) return;
    const endpoint = next.endpoint ?? this.#recipient.requireEndpoint(store, next.text);
    const sent = Promise.withResolvers<void>();
    this.#ports.drafts.after(sent.promise);
    this.#prompt.change({ queue }, id);
    await this.#sendNow(id, endpoint, { ...next, toolResults: [] }).finally(() => sent.resolve());
  }

  /** Sends an edited version of a user's turn; the old branch is kept as a variant. */
  async editAndResend(turnId: string, text: string): Promise<void> {
    const { store, turn } = this.requireTurn(turnId);
    if (turn.role !== 'user') throw new AppError('invalid', l10n.t('Only your own messages can be edited.'));
    if (text.trim() === '')
      throw new AppError('invalid', l10n.t('There is nothing to send.'), { remedy: l10n.t('Enter a message first.') });
    const endpoint = this.#recipient.require(store, text);
    if (this.#isBusy(store.conversation.id)) throw busy();
    const { parentId, attachments, toolResults } = turn;
    await this.#ask(store, endpoint, { parentId, text, attachments, toolResults });
    this.#prompt.change({ edit: undefined }, store.conversation.id);
  }

  /** Requests another answer to the same turn and stops the current one; the old answer is kept as a variant. */
  async regenerate(turnId: string): Promise<void> {
    const { store, turn } = this.requireTurn(turnId);
    const parentId = turn.role === 'user' ? turn.id : turn.parentId;
    if (parentId === null) throw new AppError('internal', l10n.t('This answer has no question.'));
    const question = store.conversation.turns.find(({ id }) => id === parentId);
    const endpoint = this.#recipient.require(store, question?.role === 'user' ? question.text : '');
    refuseElsewhere(store);
    if (turn.role === 'assistant' && turn.status === 'streaming') await store.stop();
    if (this.#isBusy(store.conversation.id)) throw busy();
    this.#answer(store, endpoint, parentId);
  }

  /** Lets the user replace the API key of an answer's model server, then asks again. */
  async setKey(turnId: string): Promise<void> {
    const { turn } = this.requireTurn(turnId);
    if (turn.role === 'assistant' && (await this.#ports.editor.setModelKey(turn.endpoint)))
      await this.regenerate(turnId);
  }

  async stop(): Promise<void> {
    refuseElsewhere(this.#current);
    this.#toolCalls.stop(this.#conversations.currentId);
    await this.#current?.stop();
  }

  /** Ends the wait before the next attempt at a failed service. */
  retryNow(): void {
    this.#current?.retryNow();
  }

  /** Returns a turn of the conversation on screen. Throws if it is no longer part of it. */
  requireTurn(turnId: string): { store: ConversationStore; turn: Turn } {
    const store = this.#current;
    const turn = store?.conversation.turns.find((candidate) => candidate.id === turnId);
    if (!store || !turn)
      throw new AppError('notFound', l10n.t('This message is no longer part of the conversation.'), {
        remedy: l10n.t('Open the conversation again.'),
      });
    return { store, turn };
  }

  async #ask(
    store: ConversationStore,
    endpoint: string,
    turn: Pick<UserTurn, 'parentId' | 'text' | 'attachments' | 'toolResults'>,
  ): Promise<void> {
    const id = this.#ports.newId();
    await store.record({ type: 'userAdded', id, ...turn, atMs: this.#ports.clock.now() });
    this.#answer(store, endpoint, id);
  }

  #answer(store: ConversationStore, endpoint: string, parentId: string): void {
    const { conversation } = store;
    const { task } = conversation;
    const question = conversation.turns.find(({ id }) => id === parentId);
    if (question?.role === 'user' && isLookUp(this.#ports, question, endpoint, task)) {
      this.#lookUp(store, question);
      return;
    }
    const parameters = acceptedParameters(conversation.parameters, this.#ports.parameterFields(task));
    const offered = task ? [] : this.#toolCalls.offeredFor(conversation.tools, endpoint);
    const request = requestOf(task, pathTo(conversation, parentId), parameters, offered);
    const answerId = this.#ports.newId();
    const { profile } = this.#ports.backend;
    this.#follow(
      store,
      answerId,
      store.answer(
        { id: answerId, parentId, endpoint, parameters, offersTools: offered.map(({ function: { name } }) => name) },
        (signal, onRetry) =>
          this.#ports.backend.chat(endpoint, request, { signal, onRetry, onEvent: this.events.record(answerId) }),
        (error) => answerFailure(error, { endpoint, profile }),
      ),
    );
  }

  /** Answers a command, or a text to an endpoint that is no model. */
  #lookUp(store: ConversationStore, question: UserTurn): void {
    const id = this.#ports.newId();
    const started = { id, parentId: question.id, endpoint: lookUpAuthor, isLookUp: true };
    const answered = store.answer(started, async (signal) => {
      const last = store.conversation.turns.find((turn) => turn.id === question.parentId);
      const before =
        last?.role === 'assistant' && last.isLookUp
          ? { markdown: shownChoice(last)?.text ?? '', links: last.links }
          : undefined;
      const { lookUps, editorModels: models } = this.#ports;
      const { markdown, links = [] } = await lookUps.answer({ ...question, before, models }, signal);
      if (links.length > 0) await store.record({ type: 'linksAdded', id, links: [...links] });
      return wholeAnswer(markdown);
    });
    this.#follow(store, id, answered);
  }

  #follow(store: ConversationStore, answerId: string, answered: Promise<AnswerEnd>): void {
    answered.then(
      (status) => {
        this.#finished.fire({ conversationId: store.conversation.id, status });
        if (status === 'done') this.#goOn(store, answerId).catch((error: unknown) => this.#failed.fire(error));
      },
      (error: unknown) => this.#ports.log.error(`An answer could not be written down: ${describeError(error)}`),
    );
  }

  /** Runs the functions that an answer calls if the user need not be asked; otherwise sends the next queued message. */
  async #goOn(store: ConversationStore, answerId: string): Promise<void> {
    const answer = store.conversation.turns.find(({ id }) => id === answerId);
    if (answer?.role === 'assistant' && this.#toolCalls.needsWord(store.conversation, answer)) return;
    if (answer?.role === 'assistant' && this.#toolCalls.mayRunUnasked(store.conversation, answer))
      await this.#runTools(store, answer, false);
    else await this.#sendNext(store, nextOf(this.#ports.drafts.get(store.conversation.id), store.conversation));
  }

  /**
   * Runs the functions that an answer calls, and sends the results to the model.
   * @param isAllowed whether to run calls that change something; the others always run
   */
  async runTools(turnId: string, isAllowed: boolean): Promise<void> {
    const { store, turn } = this.requireTurn(turnId);
    if (turn.role !== 'assistant') throw new AppError('invalid', l10n.t('Only an answer can call functions.'));
    await this.#runTools(store, turn, isAllowed);
  }

  async #runTools(store: ConversationStore, answer: Answer, isAllowed: boolean): Promise<void> {
    const { id } = store.conversation;
    this.#recipient.requireProfile(store);
    this.#toolCalls.requireCalls(store.conversation, answer);
    if (this.#isBusy(id)) throw busy();
    const toolResults = await this.#toolCalls.run(store.conversation, answer, isAllowed);
    const tools = isAllowed ? this.#toolCalls.allowed(store.conversation, answer) : undefined;
    if (tools) await store.record({ type: 'toolsChosen', tools });
    if (!toolResults) return;
    // If the user has switched profiles meanwhile, the new profile's models must not learn of these jobs.
    this.#recipient.requireProfile(store);
    await this.#ask(store, answer.endpoint, { parentId: answer.id, text: '', attachments: [], toolResults });
  }

  async #begin(firstText: string): Promise<ConversationStore> {
    const store = await this.#conversations.begin(firstText);
    this.#begun.fire();
    return store;
  }

  get #current(): ConversationStore | undefined {
    return this.#conversations.current;
  }

  dispose(): void {
    for (const emitter of [this.#begun, this.#finished, this.#failed]) emitter.dispose();
  }
}

/** Throws if another window is writing in the conversation: if two windows wrote, each would know only half of it. */
function refuseElsewhere(store: ConversationStore | undefined): void {
  if (store?.isWrittenElsewhere === true)
    throw new AppError(
      'invalid',
      l10n.t('Another window is writing an answer in this conversation, so nothing was done.'),
      {
        remedy: l10n.t('Wait until it ends, which is shown here too, or stop it there.'),
      },
    );
}

function busy(): AppError {
  return new AppError('invalid', l10n.t('An answer is still in progress, so nothing was sent.'), {
    remedy: l10n.t('Stop it or wait until it ends.'),
  });
}

async function* wholeAnswer(content: string): AsyncGenerator<ChatChunk> {
  yield { choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
}

const maxAnswers = 20;
const maxCharacters = 200_000;

interface Kept {
  readonly events: string[];
  size: number;
  leftOut: number;
}

/** Raw events of the latest answers, for viewing a response; kept while the window is open. */
export class StreamEvents {
  readonly #answers = new Map<string, Kept>();

  /**
   * Starts recording the events of an answer.
   * @returns the function to call for each event
   */
  record(answerId: string): (data: () => string) => void {
    const kept: Kept = { events: [], size: 0, leftOut: 0 };
    this.#answers.set(answerId, kept);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
    return (data) => {
      const text = kept.size < maxCharacters ? data() : '';
      kept.size += text.length;
      if (text === '' || kept.size > maxCharacters) kept.leftOut += 1;
      else kept.events.push(text);
    };
  }

  /** Returns the events of an answer, or `undefined` if none are stored. */
  of(answerId: string): { events: readonly string[]; left_out?: number } | undefined {
    const { events = [], leftOut = 0 } = this.#answers.get(answerId) ?? {};
    return events.length === 0 ? undefined : { events, ...(leftOut > 0 && { left_out: leftOut }) };
  }
}
