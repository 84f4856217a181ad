import type { RetryWait } from '../api/client/index.ts';
import { join } from '../api/schema/inference/answer.ts';
import type { ChatChunk } from '../api/schema/inference/schemas.ts';
import type { Clock } from '../shared/clock.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { sameJson } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import { applyEvent, streamingAnswer, type Conversation } from './conversation.ts';
import type { AnswerDeltaEvent, AnswerEnd, ConversationEvent, Failure } from './conversationEvent.ts';
import { signInMs, type History } from './history.ts';
import { runSession } from './session.ts';

/** How often streamed text is written to disk, in milliseconds: the most that a crash of the machine can lose. */
const checkpointInMs = 1000;

/** Minimum length of a wait that is shown, in milliseconds. */
const minShownInMs = 1500;

type StartedAnswer = Omit<Extract<ConversationEvent, { type: 'answerStarted' }>, 'type' | 'atMs'>;

/** Starts the request of an answer. */
type OpenAnswer = (signal: AbortSignal, onRetry: (wait: RetryWait) => void) => Promise<AsyncIterable<ChatChunk>>;

export interface NumberedEvent {
  readonly conversationId: string;
  readonly sequence: number;
  readonly event: ConversationEvent;
}

/** One open conversation: its state, its numbered events, its file and the answer being written. */
export class ConversationStore {
  #conversation: Conversation;
  #sequence = 0;
  readonly #history: History;
  readonly #clock: Clock;
  readonly #applied = new Emitter<NumberedEvent>();
  readonly #writeFailed = new Emitter<AppError>();
  /** Text received since the last checkpoint: a file gets one line a second, not sixty. */
  #unsaved: AnswerDeltaEvent | undefined;
  #cancelCheckpoint: (() => void) | undefined;
  #isAnswering = false;
  #hasLoss = false;
  #running: { controller: AbortController; ended: Promise<AnswerEnd> } | undefined;

  #wait: RetryWait | undefined;
  readonly #waitChanged = new Emitter<void>();
  readonly onDidChangeWait: Event<void> = this.#waitChanged.event;
  readonly onDidApply: Event<NumberedEvent> = this.#applied.event;
  /** Fires when the history could not be written, so that what is on screen is not on disk. */
  readonly onDidFailToSave: Event<AppError> = this.#writeFailed.event;

  constructor(conversation: Conversation, history: History, clock: Clock) {
    this.#conversation = conversation;
    this.#history = history;
    this.#clock = clock;
  }

  get conversation(): Conversation {
    return this.#conversation;
  }

  /** Number of the last event that `conversation` contains. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The current wait of the answer for an unhealthy service, if any. */
  get wait(): RetryWait | undefined {
    return this.#wait;
  }

  get isStreaming(): boolean {
    return streamingAnswer(this.#conversation) !== undefined;
  }

  /** Whether another window is writing an answer. */
  get isWrittenElsewhere(): boolean {
    return this.isStreaming && !this.#isAnswering;
  }

  /** Reads changes made by another window. @returns whether there were any */
  async follow(): Promise<boolean> {
    // Events that could not be saved exist only in this window.
    if (this.#isAnswering || this.#hasLoss) return false;
    const { id } = this.#conversation;
    const [before, loaded] = [this.#conversation, await this.#history.load(id, this.#clock.now())];
    // If something changed here meanwhile, the file will soon contain it.
    if (this.#isAnswering || this.#hasLoss || this.#conversation !== before || sameJson(loaded, before)) return false;
    this.#conversation = loaded;
    this.#sequence += 1;
    return true;
  }

  /** Applies the events at once and resolves when they are on disk or their loss has been reported. */
  async record(...events: ConversationEvent[]): Promise<void> {
    for (const event of events) this.#apply(event);
    try {
      await this.#history.append(this.#conversation.id, events);
    } catch (error) {
      this.#reportLoss(error);
    }
  }

  /**
   * Writes an answer below a turn until it ends; resolves with how it ended. `open` starts the request; it is called after the start of the
   * answer is on disk.
   */
  answer(turn: StartedAnswer, open: OpenAnswer, explain?: (error: AppError) => Failure): Promise<AnswerEnd> {
    if (this.isStreaming) {
      return Promise.reject(
        new AppError('invalid', l10n.t('An answer is still in progress.'), {
          remedy: l10n.t('Stop it or wait until it ends.'),
        }),
      );
    }
    const controller = new AbortController();
    const ended = this.#answer(turn, open, controller.signal, explain);
    this.#running = { controller, ended };
    return ended;
  }

  async #answer(
    turn: StartedAnswer,
    open: OpenAnswer,
    signal: AbortSignal,
    explain: ((error: AppError) => Failure) | undefined,
  ): Promise<AnswerEnd> {
    const { id } = turn;
    let isFirst = true;
    let cancelSign: (() => void) | undefined;
    const sign = (): void => {
      this.#history.sign(this.#conversation.id, this.#clock.now());
      cancelSign = this.#clock.schedule(signInMs, sign);
    };
    this.#isAnswering = true;
    await this.record({ type: 'answerStarted', ...turn, atMs: this.#clock.now() });
    // The mark overwrites the tail of an earlier answer, which has been recorded by now.
    sign();
    const end: { status: AnswerEnd; failure?: Failure } = await runSession({
      open: () => open(signal, (wait) => this.#showWait(wait)),
      signal,
      explain,
      clock: this.#clock,
      onPart: (part) => {
        const delta: AnswerDeltaEvent = {
          type: 'answerDelta',
          id,
          ...part,
          ...(isFirst && { atMs: this.#clock.now() }),
        };
        isFirst = false;
        this.#history.note(this.#conversation, delta);
        this.#apply(delta);
        this.#unsaved = this.#unsaved ? { ...this.#unsaved, ...join(this.#unsaved, part) } : delta;
        this.#cancelCheckpoint ??= this.#clock.schedule(checkpointInMs, () => void this.#checkpoint());
      },
    });
    cancelSign?.();
    const rest = this.#takeUnsaved();
    const ended: ConversationEvent = { type: 'answerEnded', id, ...end, atMs: this.#clock.now() };
    this.#apply(ended);
    this.#isAnswering = false;
    try {
      await this.#history.append(this.#conversation.id, [...rest, ended]);
    } catch (error) {
      this.#reportLoss(error);
    }
    return end.status;
  }

  /**
   * Aborts the answer being written and resolves when it has ended.
   * @param reason why, if it was not stopped by the user
   */
  async stop(reason?: AppError): Promise<void> {
    this.#running?.controller.abort(reason);
    await this.#running?.ended;
  }

  /** Ends the wait and tries again now. */
  retryNow(): void {
    this.#wait?.retryNow();
  }

  #showWait(wait: RetryWait): void {
    if (wait.waitUntil - this.#clock.now() < minShownInMs) return;
    this.#wait = wait;
    this.#waitChanged.fire();
    void wait.ended.then(() => {
      if (this.#wait !== wait) return;
      this.#wait = undefined;
      this.#waitChanged.fire();
    });
  }

  dispose(): void {
    this.#waitChanged.dispose();
    this.#running?.controller.abort();
    this.#cancelCheckpoint?.();
    this.#applied.dispose();
    this.#writeFailed.dispose();
  }

  #apply(event: ConversationEvent): void {
    this.#conversation = applyEvent(this.#conversation, event);
    this.#sequence += 1;
    this.#applied.fire({ conversationId: this.#conversation.id, sequence: this.#sequence, event });
  }

  async #checkpoint(): Promise<void> {
    try {
      await this.#history.append(this.#conversation.id, this.#takeUnsaved());
    } catch (error) {
      this.#reportLoss(error);
    }
  }

  #takeUnsaved(): AnswerDeltaEvent[] {
    this.#cancelCheckpoint?.();
    this.#cancelCheckpoint = undefined;
    const unsaved = this.#unsaved;
    this.#unsaved = undefined;
    return unsaved ? [unsaved] : [];
  }

  #reportLoss(error: unknown): void {
    this.#hasLoss = true;
    const { message } = toAppError(error);
    this.#writeFailed.fire(
      new AppError('unavailable', l10n.t('The conversation could not be saved: {0}', message), {
        cause: error,
        remedy: l10n.t(
          'It stays on the screen. Free some disk space or check the permissions of the storage folder, or export the conversation.',
        ),
      }),
    );
  }
}
