import type { EventSourceMessage } from 'eventsource-parser';
import { AppError, isAppError } from '../../shared/errors.ts';
import { cleanText, failureOf, readErrorFields } from '../failure.ts';
import { createEventReader, type EventReader } from '../sse.ts';
import type { Answer } from '../transport.ts';

/** What the two streamed task types have in common. */
interface AnyChunk {
  choices?: { index?: number; finish_reason?: string }[];
}

export interface StreamPlan<C extends AnyChunk> {
  readonly operation: string;
  readonly eventCharacters: number;
  readonly secrets: readonly string[];
  /** Sends the request; the answer's status is success. */
  open(): Promise<Answer>;
  /** The chunk in an event, or undefined where there is none. */
  asChunk(value: unknown): C | undefined;
  /** The same for an answer that came whole. */
  wholeAsChunk(value: unknown): C | undefined;
  /** How many choices the request asked for. */
  readonly choices: number;
  /** The text that a chunk adds to its first choice, which an error keeps. */
  textOf(chunk: C): string;
}

/** The longest beginning of an answer that is kept to explain why it held no event. */
const mostPreviewBytes = 4096;

/**
 * A model's stream as typed chunks (Inference API, Events). It ends normally only when every choice that was begun has
 * its finish_reason. Not an async generator: one promise for each token is what a `for await` costs at least.
 */
export class ChunkStream<C extends AnyChunk> implements AsyncIterableIterator<C> {
  readonly #plan: StreamPlan<C>;
  #answer: Answer | undefined;
  #reader: EventReader | undefined;
  #queue: C[] = [];
  #position = 0;
  #started = false;
  #over = false;
  #done = false;
  #failure: AppError | undefined;
  #pulling: Promise<void> | undefined;
  /** Choices that have begun, and those of them that have ended. */
  readonly #begun = new Set<number>();
  readonly #ended = new Set<number>();
  #text = '';
  #preview = '';

  constructor(plan: StreamPlan<C>) {
    this.#plan = plan;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<C>> {
    const chunk = this.#queue[this.#position];
    if (chunk === undefined) return this.#pull();
    this.#position++;
    return Promise.resolve({ value: chunk, done: false });
  }

  /** Leaving the loop closes the connection. */
  return(): Promise<IteratorResult<C>> {
    this.#finish();
    this.#queue = [];
    this.#position = 0;
    return Promise.resolve({ value: undefined, done: true });
  }

  async #pull(): Promise<IteratorResult<C>> {
    while (this.#position >= this.#queue.length) {
      if (this.#failure) {
        const failure = this.#failure;
        this.#failure = undefined;
        this.#finish();
        throw failure;
      }
      if (this.#over) return { value: undefined, done: true };
      this.#queue = [];
      this.#position = 0;
      // Two calls of next at once share the one read that serves both.
      this.#pulling ??= this.#read().finally(() => {
        this.#pulling = undefined;
      });
      await this.#pulling;
    }
    const value = this.#queue[this.#position++];
    return value === undefined ? { value: undefined, done: true } : { value, done: false };
  }

  async #read(): Promise<void> {
    try {
      if (!this.#started) {
        this.#started = true;
        const answer = await this.#plan.open();
        if (this.#over) {
          answer.close();
          return;
        }
        this.#answer = answer;
        if (/\bjson\b/i.test(answer.contentType)) {
          await this.#readWhole(answer);
          return;
        }
        this.#reader = createEventReader((event) => this.#onEvent(event), this.#plan.eventCharacters);
      }
      const bytes = await this.#answer?.read();
      if (this.#over) return;
      if (bytes) this.#feed(bytes);
      else this.#end();
    } catch (error) {
      if (this.#over) return;
      // A connection that breaks or hangs after the last finish reason has taken nothing from the answer.
      if (this.#complete() && isAppError(error) && (error.kind === 'cutOff' || error.kind === 'timeout')) this.#finish();
      else this.#fail(this.#withText(error));
    }
  }

  #feed(bytes: Uint8Array): void {
    if (this.#begun.size === 0 && this.#preview.length < mostPreviewBytes) {
      this.#preview += new TextDecoder().decode(bytes.subarray(0, mostPreviewBytes));
    }
    this.#reader?.feed(bytes);
    if (this.#reader?.overflowed) {
      throw new AppError('tooLarge', `${this.#plan.operation}: one event of the stream is longer than ${Math.round(this.#plan.eventCharacters / 1_048_576)} MB. The rest was not read.`, {
        operation: this.#plan.operation,
        remedy: 'The server is at fault, or this is not a stream of events; check the endpoint.',
      });
    }
    if (this.#done) this.#settle();
  }

  #end(): void {
    const failed = this.#failure !== undefined;
    this.#reader?.end();
    // What ends in the middle of an event is cut off, whatever its piece looks like.
    if (!failed && this.#failure?.kind === 'protocol') this.#failure = undefined;
    if (!this.#failure) this.#settle();
  }

  /**
   * Every choice that began has ended. Without an end mark it must also be as many as were asked for: servers may send
   * one choice after the other, and a cut between them would look like an end.
   */
  #complete(): boolean {
    const begun = this.#begun.size;
    return begun > 0 && this.#ended.size >= begun && (this.#done || begun >= this.#plan.choices);
  }

  /** The stream is over: complete, or cut off. */
  #settle(): void {
    if (this.#failure) return;
    if (this.#complete()) this.#finish();
    else this.#failure = this.#cutOff();
  }

  #onEvent(event: EventSourceMessage): void {
    const { data } = event;
    if (this.#done || this.#failure) return;
    if (data === '[DONE]') {
      this.#done = true;
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      this.#onText(event);
      return;
    }
    const chunk = this.#plan.asChunk(value);
    if (event.event === 'error' || saysError(value)) this.#failure = this.#streamError(value);
    else if (chunk) this.#add(chunk);
  }

  /** Data that is no JSON: an end mark in another form, a keep-alive, an error in plain text, or nothing we know. */
  #onText(event: EventSourceMessage): void {
    const text = event.data.trim();
    if (text === '[DONE]') this.#done = true;
    else if (event.event === 'error') this.#failure = this.#streamError(text);
    else if (text !== '') {
      this.#failure = new AppError('protocol', `${this.#plan.operation}: an event of the stream is not JSON: ${cleanText(text.slice(0, 200), this.#plan.secrets)} The rest was not read.`, {
        operation: this.#plan.operation,
        partial: this.#partial(),
        remedy: 'Check that the endpoint is one of this task type.',
      });
    }
  }

  #add(chunk: C): void {
    const { choices } = chunk;
    if (choices !== undefined) {
      for (const choice of choices) {
        const index = choice.index ?? 0;
        this.#begun.add(index);
        if (choice.finish_reason !== undefined) this.#ended.add(index);
      }
      this.#text += this.#plan.textOf(chunk);
    }
    this.#queue.push(chunk);
  }

  async #readWhole(answer: Answer): Promise<void> {
    const text = await answer.text();
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new AppError('cutOff', `${this.#plan.operation}: the answer ended before it was complete.`, { operation: this.#plan.operation, cause: error, retryable: true, remedy: 'Try again.' });
    }
    const chunk = this.#plan.wholeAsChunk(value);
    if (chunk?.choices) this.#add(chunk);
    else if (saysError(value)) this.#failure = this.#streamError(value);
    else this.#preview = text.slice(0, mostPreviewBytes);
    this.#settle();
  }

  /** An error object in place of a chunk, or an `error` event (seen on real servers; not in the document). */
  #streamError(value: unknown): AppError {
    const { errorCode, message } = readErrorFields(value);
    const status = Number(errorCode);
    const { operation, secrets } = this.#plan;
    const known = status >= 400 && status < 600 ? failureOf({ operation, status, contentType: '', body: '', secrets }) : undefined;
    const said = message === undefined ? 'without saying why' : `: ${cleanText(message, secrets)}`;
    return new AppError(known?.kind ?? 'server', `${operation}: the server ended the stream with an error${errorCode === undefined ? '' : ` (${cleanText(errorCode, secrets)})`}${said.startsWith(':') ? said : ` ${said}`}${/[.!?]$/.test(said) ? '' : '.'}`, {
      operation,
      errorCode: known ? undefined : errorCode,
      status: known?.status,
      retryable: true,
      partial: this.#partial(),
      remedy: known?.remedy ?? 'What arrived is kept. Try again; a shorter conversation may help.',
    });
  }

  #cutOff(): AppError {
    const { operation, secrets } = this.#plan;
    if (this.#begun.size === 0) {
      const preview = cleanText(this.#preview.slice(0, 300), secrets);
      return new AppError('cutOff', `${operation}: the stream ended without an answer${preview === '' ? '' : `; it held: ${preview}`}${/[.!?]$/.test(preview) ? '' : '.'}`, {
        operation,
        retryable: true,
        remedy: 'Try again; if it happens again, check that the endpoint is one of this task type.',
      });
    }
    return new AppError('cutOff', `${operation}: the answer was cut off: the stream ended without a finish reason.`, { operation, retryable: true, partial: this.#partial(), remedy: 'What arrived is kept. Try again for the whole answer.' });
  }

  #partial(): string | undefined {
    return this.#text === '' ? undefined : this.#text;
  }

  #withText(error: unknown): AppError {
    if (!isAppError(error)) return new AppError('internal', `${this.#plan.operation}: ${error instanceof Error ? error.message : String(error)}`, { operation: this.#plan.operation, cause: error, partial: this.#partial() });
    if (this.#text === '') return error;
    const { kind, message, cause, status, errorCode, retryable, operation, remedy } = error;
    return new AppError(kind, message, { cause, status, errorCode, retryable, operation, remedy, partial: this.#text });
  }

  #fail(error: AppError): void {
    this.#failure ??= error;
    this.#answer?.close();
  }

  #finish(): void {
    this.#over = true;
    this.#answer?.close();
    this.#answer = undefined;
  }
}

/** An error may stand in place of the choices or beside them. */
function saysError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { error, error_code: errorCode, choices, object, type, message } = value as Record<string, unknown>;
  if (error !== undefined && error !== null && error !== false) return true;
  return choices === undefined && (errorCode !== undefined || object === 'error' || type === 'error' || typeof message === 'string');
}
