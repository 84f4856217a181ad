import { AppError, isAppError } from '../../../shared/errors.ts';
import { isAbsent, isFields } from '../../../shared/fields.ts';
import { EventReader } from '../../../shared/http/eventReader.ts';
import { l10n } from '../../../shared/l10n.ts';
import { redact } from '../../../shared/redact.ts';
import { sentence } from '../../../shared/text.ts';
import { cleanText, failureOf, readErrorFields } from '../failure.ts';
import { brokenJson, checkExtent } from '../response.ts';
import type { OpenResponse } from '../transport.ts';
import type { AnyChunk, StreamPlan } from './streamPlan.ts';

/** An event with a type name; most events have only data. */
interface TypedEvent {
  readonly data: string;
  readonly type: string;
}
type StreamEvent = string | TypedEvent;

/** Maximum number of bytes kept from the start of a response, to explain why it held no event. */
const maxPreviewBytes = 4096;

/**
 * A model's stream as typed chunks (Inference API, Events). It ends normally only when every choice that has begun has its finish_reason.
 * Not an async generator, because `for await` costs at least one promise per token even without one.
 */
export class ChunkStream<C extends AnyChunk> implements AsyncIterableIterator<C> {
  readonly #plan: StreamPlan<C>;
  #response: OpenResponse | undefined;
  /** Credentials of the request, which must not appear in any message. */
  #secrets: readonly string[] = [];
  #reader: EventReader | undefined;
  /** Events that have arrived. Each is parsed only when read, so that they are never all in memory as objects. */
  #events: StreamEvent[] = [];
  #position = 0;
  /** Whether no more events will arrive. */
  #ended = false;
  #over = false;
  #done = false;
  #failure: AppError | undefined;
  #reading: Promise<IteratorResult<C>> | undefined;
  /** False until the first read: nothing has been read yet in the turn in which the connection was opened. */
  #begunReading = false;
  /** Choices that have begun, and those that have ended. */
  readonly #begun = new Set<number>();
  readonly #finished = new Set<number>();
  #lastIndex: number | undefined;
  #hasUsage = false;
  /** A response that did not arrive as a stream. */
  #whole: C | undefined;
  #text = '';
  #preview = '';

  constructor(plan: StreamPlan<C>) {
    this.#plan = plan;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<C>> {
    const chunk = this.#nextChunk();
    return chunk === undefined ? this.#advance() : Promise.resolve({ value: chunk, done: false });
  }

  /** Closes the connection when the loop is left. */
  return(): Promise<IteratorResult<C>> {
    this.#finish();
    return Promise.resolve({ value: undefined, done: true });
  }

  /** Ends, fails or reads on with as few promises as possible: when words arrive one by one, promises dominate the cost. */
  #advance(): Promise<IteratorResult<C>> {
    if (this.#failure) {
      const failure = this.#failure;
      this.#failure = undefined;
      this.#finish();
      return Promise.reject(failure);
    }
    if (this.#over) return Promise.resolve({ value: undefined, done: true });
    // If `next` is called again before the first call has settled, both wait for the same read.
    if (this.#reading) return this.#reading.then(this.#again, this.#again);
    this.#events = [];
    this.#position = 0;
    const read = this.#response === undefined ? this.#open() : this.#response.read();
    this.#reading = read.then(this.#onRead, this.#onReadError);
    return this.#reading;
  }

  readonly #again = (): Promise<IteratorResult<C>> => this.next();

  readonly #onRead = (bytes: Uint8Array | undefined): IteratorResult<C> | Promise<IteratorResult<C>> => {
    this.#reading = undefined;
    if (!this.#over && this.#reader) {
      try {
        if (bytes) this.#feed(bytes);
        else if (this.#begunReading) this.#end();
        this.#begunReading = true;
      } catch (error) {
        return this.#onReadError(error);
      }
    }
    const chunk = this.#nextChunk();
    return chunk === undefined ? this.#advance() : { value: chunk, done: false };
  };

  readonly #onReadError = (error: unknown): Promise<IteratorResult<C>> => {
    this.#reading = undefined;
    if (this.#over) return this.#advance();
    // If the connection breaks or hangs after the last finish reason, the response is still complete.
    if (this.#complete() && isAppError(error) && (error.kind === 'cutOff' || error.kind === 'timeout')) this.#finish();
    else this.#fail(this.#withText(error));
    return this.#advance();
  };

  /** Returns the next chunk among the events that have arrived, or `undefined` if there is none or the stream has ended. */
  #nextChunk(): C | undefined {
    const whole = this.#whole;
    if (whole !== undefined) {
      this.#whole = undefined;
      return whole;
    }
    while (this.#position < this.#events.length && !this.#failure && !this.#done) {
      const event = this.#events[this.#position++];
      const chunk = event === undefined ? undefined : this.#onEvent(event);
      if (chunk !== undefined) return chunk;
    }
    if ((this.#ended || this.#done) && !this.#failure && !this.#over) return this.#settle();
    return undefined;
  }

  async #open(): Promise<undefined> {
    const { response, credentials } = await this.#plan.open();
    if (this.#over) {
      response.close();
      return;
    }
    this.#response = response;
    this.#secrets = credentials.secrets;
    // Servers send events as application/json, and whole answers as events: the body itself decides.
    if (/^[[{]/.test(await response.peek())) await this.#readWhole(response);
    else
      this.#reader = new EventReader((data, type) => {
        this.#plan.onEvent?.(() => redact(data, this.#secrets));
        this.#events.push(type === undefined ? data : { data, type });
      }, this.#plan.eventCharacters);
  }

  #feed(bytes: Uint8Array): void {
    if (this.#begun.size === 0 && this.#preview.length < maxPreviewBytes) {
      this.#preview += new TextDecoder().decode(bytes.subarray(0, maxPreviewBytes));
    }
    this.#reader?.feed(bytes);
    if (this.#reader?.overflowed) {
      throw new AppError(
        'tooLarge',
        l10n.t(
          '{0}: one event of the stream is longer than {1} MB. The rest was not read.',
          this.#plan.operation,
          Math.round(this.#plan.eventCharacters / 1_048_576),
        ),
        {
          operation: this.#plan.operation,
          remedy: l10n.t('The server is at fault, or this is not an event stream. Check the endpoint.'),
        },
      );
    }
  }

  #end(): void {
    this.#reader?.end();
    this.#ended = true;
  }

  /**
   * Returns whether every choice that began has ended. Without an end mark, there must also be as many as requested: servers may send
   * choices one after the other, and a cut between two would look like the end.
   */
  #complete(): boolean {
    const begun = this.#begun.size;
    return begun > 0 && this.#finished.size >= begun && (this.#done || begun >= this.#plan.choices);
  }

  /**
   * Handles the end of the stream, complete or cut off. Some servers never send a finish_reason; then their usage and the end mark show
   * that nothing is missing. @returns the last result still to be delivered
   */
  #settle(): C | undefined {
    if (this.#complete()) this.#finish();
    else if (this.#done && this.#hasUsage && this.#begun.size >= this.#plan.choices) {
      this.#finish();
      return this.#plan.unexplainedEnd;
    } else this.#failure = this.#cutOff();
    return undefined;
  }

  /** Reads an event: returns a chunk; records an end mark or an error. */
  #onEvent(event: StreamEvent): C | undefined {
    if (typeof event === 'object') return this.#onTypedEvent(event);
    if (event === '[DONE]') {
      this.#done = true;
      return undefined;
    }
    const value = parsed(event);
    if (value === undefined) return this.#onText(event);
    if (saysError(value)) return this.#onError(value);
    const chunk = this.#plan.asChunk(value);
    return chunk && this.#note(chunk);
  }

  #onTypedEvent({ data, type }: TypedEvent): C | undefined {
    // If it is not JSON, the text itself is the message.
    return type === 'error' ? this.#onError(parsed(data) ?? data) : this.#onEvent(data);
  }

  #onError(value: unknown): undefined {
    // What follows a complete answer takes nothing from it.
    if (!this.#complete()) this.#failure = this.#streamError(value);
  }

  /** Handles data that is not JSON: another form of end mark, a keep-alive, part of an event that was cut off, or something unknown. */
  #onText(data: string): undefined {
    const text = data.trim();
    const lines = text.split('\n');
    // The last event before the end was cut off.
    const isCut = this.#ended && this.#position === this.#events.length;
    if (text === '[DONE]') this.#done = true;
    else if (lines.length > 1 && parsed(lines[0] ?? '') !== undefined)
      // Events without the blank line between them.
      this.#events.splice(this.#position, 0, ...lines);
    // Before an answer and after it, keep-alives and end marks of any form are harmless.
    else if (text !== '' && !isCut && this.#begun.size > 0 && !this.#complete()) {
      this.#failure = new AppError(
        'protocol',
        l10n.t(
          '{0}: an event of the stream is not JSON: {1} The rest was not read.',
          this.#plan.operation,
          cleanText(text.slice(0, 200), this.#secrets),
        ),
        {
          operation: this.#plan.operation,
          partial: this.#partial(),
          remedy: l10n.t('Check that the endpoint has this task type.'),
        },
      );
    }
  }

  /** Records which choices have begun and ended, and keeps the text for a possible error. */
  #note(chunk: C): C {
    const { choices } = chunk;
    this.#hasUsage ||= this.#plan.usageOf(chunk) !== undefined;
    if (choices === undefined) return chunk;
    for (const choice of choices) {
      const index = choice.index ?? 0;
      if (index !== this.#lastIndex) {
        this.#lastIndex = index;
        this.#begun.add(index);
      }
      if (choice.finish_reason !== undefined) this.#finished.add(index);
    }
    this.#text += this.#plan.textOf(chunk);
    return chunk;
  }

  async #readWhole(response: OpenResponse): Promise<void> {
    const text = await response.text(this.#plan.wholeBytes);
    checkExtent({ operation: this.#plan.operation, mutates: false }, text, this.#plan.wholeValues);
    this.#ended = true;
    const value = parsed(text);
    if (value === undefined) {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      if (parsed(lines[0] ?? '') === undefined)
        throw brokenJson({ operation: this.#plan.operation, mutates: false }, { text, secrets: this.#secrets });
      // JSON lines: each is an event.
      this.#events = lines;
      return;
    }
    const chunk = this.#plan.wholeAsChunk(value);
    if (saysError(value)) this.#failure = this.#streamError(value);
    else if (chunk?.choices) this.#whole = this.#note(chunk);
    this.#preview = text.slice(0, maxPreviewBytes);
  }

  /** Reads an error object in place of a chunk, or an `error` event (sent by real servers; not in the document). */
  #streamError(value: unknown): AppError {
    const { errorCode, message } = readErrorFields(value);
    const status = Number(errorCode);
    const { operation } = this.#plan;
    const secrets = this.#secrets;
    const known =
      status >= 400 && status < 600 ? failureOf({ operation, status, contentType: '', body: '', secrets }) : undefined;
    const code = errorCode === undefined ? '' : ` (${cleanText(errorCode, secrets)})`;
    const text =
      message === undefined
        ? l10n.t('{0}: the server ended the stream with an error{1} without saying why', operation, code)
        : l10n.t(
            '{0}: the server ended the stream with an error{1}: {2}',
            operation,
            code,
            cleanText(message, secrets),
          );
    return new AppError(known?.kind ?? 'server', sentence(text), {
      operation,
      errorCode: known ? undefined : errorCode,
      status: known?.status,
      retryable: true,
      partial: this.#partial(),
      remedy: known?.remedy ?? l10n.t('The text so far is kept. Try again. A shorter conversation may help.'),
    });
  }

  #cutOff(): AppError {
    const { operation } = this.#plan;
    const secrets = this.#secrets;
    if (this.#begun.size === 0) {
      const preview = cleanText(this.#preview.slice(0, 300), secrets);
      const text =
        preview === ''
          ? l10n.t('{0}: the stream ended without an answer', operation)
          : l10n.t('{0}: the stream ended without an answer, only with: {1}', operation, preview);
      return new AppError('cutOff', sentence(text), {
        operation,
        retryable: true,
        remedy: l10n.t('Try again. If it happens again, check that the endpoint has this task type.'),
      });
    }
    return new AppError(
      'cutOff',
      l10n.t('{0}: the answer was cut off: the stream ended without a finish reason.', operation),
      {
        operation,
        retryable: true,
        partial: this.#partial(),
        remedy: l10n.t('The text so far is kept. Try again for the whole answer.'),
      },
    );
  }

  #partial(): string | undefined {
    return this.#text === '' ? undefined : this.#text;
  }

  #withText(error: unknown): AppError {
    if (!isAppError(error))
      return new AppError(
        'internal',
        `${this.#plan.operation}: ${error instanceof Error ? error.message : String(error)}`,
        { operation: this.#plan.operation, cause: error, partial: this.#partial() },
      );
    if (this.#text === '') return error;
    const { kind, message, cause, status, errorCode, retryable, operation, remedy } = error;
    return new AppError(kind, message, { cause, status, errorCode, retryable, operation, remedy, partial: this.#text });
  }

  #fail(error: AppError): void {
    this.#failure ??= error;
    this.#response?.close();
  }

  /** Ends the iteration and drops events that arrived after the last one. */
  #finish(): void {
    this.#over = true;
    this.#events = [];
    this.#position = 0;
    this.#response?.close();
    this.#response = undefined;
  }
}

/** Returns the value of a JSON text, or `undefined` if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether the value holds an error, either in place of the choices or beside them. */
function saysError(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { error, choices, error_code: errorCode, object, type, message, detail } = value;
  if (!isAbsent(error)) return true;
  if (Array.isArray(choices)) return false;
  const saysWhy = typeof message === 'string' && !isAbsent(message);
  return !isAbsent(errorCode) || !isAbsent(detail) || object === 'error' || type === 'error' || saysWhy;
}
