import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChatResponse } from '../../../api/schema/inference/schemas.ts';
import type { Clock } from '../../../shared/clock.ts';
import { AppError } from '../../../shared/errors.ts';
import { isAbsent, isFields } from '../../../shared/fields.ts';
import { causesOf } from '../../../shared/http/causes.ts';
import { IdleWatch } from '../../../shared/http/idleWatch.ts';
import { Pieces, retryAfterInMs as readRetryAfter } from '../../../shared/http/pieces.ts';
import { parseJson, stringifyJson } from '../../../shared/json.ts';
import { findExcess } from '../../../shared/jsonExtent.ts';
import { sentence } from '../../../shared/text.ts';
import { yieldIfLarge } from '../../base/requestWithoutNulls.ts';
import { upstreamFailure } from '../modelErrors.ts';
import { inModelThread, upstreamTasks } from '../modelTasks.ts';
import type { UpstreamFetch } from './patientFetch.ts';
import { readChat } from './received.ts';
import { readEvents, readLines } from './upstreamEvents.ts';

export interface UpstreamConnectionOptions {
  /** Name for people, such as `Ollama at http://127.0.0.1:11434/v1`. */
  readonly label: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly fetch: UpstreamFetch;
  readonly clock: Clock;
  /** How long nothing may arrive. */
  readonly idleLimitInMs: number;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly idleLimitInMs?: number;
}

export interface StreamOptions {
  readonly format?: 'events' | 'lines';
  /** Called when the server marks the end with `[DONE]`. */
  readonly onMark?: () => void;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** How long events are read before other requests get a turn. */
const sliceInMs = 20;
/** Maximum size of a whole answer. Longer answers are streamed. */
const maxBodyBytes = 16 * 1024 * 1024;
/** Maximum size of the vectors of a batch, which are parsed on a thread. */
const maxVectorBytes = 128 * 1024 * 1024;
/**
 * Maximum sizes to parse here, between other requests: a chunk, a list of models, an ordinary answer. Larger answers are parsed on a
 * thread.
 */
const readHere = { maxValues: 10_000, maxDepth: 200 };

/** Sends requests to one model server. Aborting a request, or leaving its stream, closes its socket. */
export class UpstreamConnection {
  readonly #options: UpstreamConnectionOptions;

  constructor(options: UpstreamConnectionOptions) {
    this.#options = options;
  }

  get label(): string {
    return this.#options.label;
  }

  /** @param path below the base URL, or, if it starts with `//`, an absolute path on the server */
  async getJson(path: string, options: RequestOptions = {}): Promise<JsonObject> {
    return await this.#exchange('GET', path, undefined, options, (response, watch) => this.#readJson(response, watch));
  }

  async postJson(path: string, body: object, options: RequestOptions = {}): Promise<JsonObject> {
    return await this.#exchange('POST', path, body, options, (response, watch) => this.#readJson(response, watch));
  }

  /** Requests a whole chat answer. */
  async postChat(path: string, body: object, options: RequestOptions = {}): Promise<ChatResponse> {
    return await this.#exchange('POST', path, body, options, async (response, watch) => {
      const text = await this.#readText(response.body, watch);
      const excess = findExcess(text, readHere);
      await yieldIfLarge(text);
      const answer =
        excess === undefined
          ? readChat(this.#parse(text), this.label)
          : await inModelThread(
              upstreamTasks.readChat,
              { text, label: this.label },
              { signal: options.signal, refusal: () => this.#tooLarge(excess) },
            );
      this.#throwEmbedded(answer);
      await yieldIfLarge(text);
      return answer;
    });
  }

  /** Returns the body of an answer unparsed, for answers that are parsed on a thread. */
  async postBytes(path: string, body: object, options: RequestOptions = {}): Promise<Uint8Array> {
    return await this.#exchange('POST', path, body, options, (response, watch) =>
      this.#readAll(response.body, watch, maxVectorBytes),
    );
  }

  /**
   * Yields the objects of a streamed answer, up to `[DONE]` or the end of the body. The caller decides whether the answer was complete. A
   * server that answers with one JSON object yields that object.
   */
  async *postStream(
    path: string,
    body: object,
    options: RequestOptions & StreamOptions = {},
  ): AsyncGenerator<JsonObject> {
    const watch = new Watch(this.#options.clock, options.idleLimitInMs ?? this.#options.idleLimitInMs, options.signal);
    try {
      const response = await this.#send('POST', path, body, watch);
      const { body: stream } = response;
      if (!stream) throw upstreamFailure('protocol', `${this.label} answered without a body.`);
      const watched = stream.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) => {
            watch.touch();
            controller.enqueue(chunk);
          },
        }),
      );
      if ((response.headers.get('content-type') ?? '').includes('application/json') && options.format !== 'lines') {
        yield this.#parse(await this.#readText(watched, watch));
        return;
      }
      let sliceStart = performance.now();
      for await (const { text, isError } of options.format === 'lines' ? readLines(watched) : readEvents(watched)) {
        if (text.trim() === '[DONE]') {
          options.onMark?.();
          return;
        }
        if (text.trim() === '') continue;
        const value = this.#parse(text);
        this.#throwEmbedded(isError && isAbsent(value['error']) ? { error: value } : value);
        yield value;
        if (performance.now() - sliceStart > sliceInMs) {
          // Buffered events arrive without a pause, and not each of them becomes one for the client.
          await nextTurn();
          sliceStart = performance.now();
        }
      }
    } catch (error) {
      throw this.#explain(error, watch);
    } finally {
      // Even if the reader left the loop: the socket is closed and the server stops generating.
      watch.end();
    }
  }

  async #exchange<T>(
    method: 'GET' | 'POST',
    path: string,
    body: object | undefined,
    options: RequestOptions,
    read: (response: Response, watch: Watch) => Promise<T>,
  ): Promise<T> {
    const watch = new Watch(this.#options.clock, options.idleLimitInMs ?? this.#options.idleLimitInMs, options.signal);
    try {
      return await read(await this.#send(method, path, body, watch), watch);
    } catch (error) {
      throw this.#explain(error, watch);
    } finally {
      watch.end();
    }
  }

  async #send(method: 'GET' | 'POST', path: string, body: object | undefined, watch: Watch): Promise<Response> {
    const { baseUrl, apiKey, fetch: send } = this.#options;
    const url = path.startsWith('//') ? new URL(baseUrl).origin + path.slice(1) : `${baseUrl}${path}`;
    const response = await send(url, {
      method,
      // A redirect could carry the key to another host.
      redirect: 'manual',
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body && { 'content-type': 'application/json' }),
        ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      },
      ...(body && { body: stringifyJson(body) }),
      signal: watch.signal,
    });
    watch.touch();
    if (!response.ok) throw await this.#refusal(response, watch);
    return response;
  }

  async #readJson(response: Response, watch: Watch): Promise<JsonObject> {
    const value = this.#parse(await this.#readText(response.body, watch));
    this.#throwEmbedded(value);
    return value;
  }

  async #readText(body: ReadableStream<Uint8Array> | null, watch: Watch): Promise<string> {
    const text = new TextDecoder().decode(await this.#readAll(body, watch));
    await yieldIfLarge(text);
    return text;
  }

  async #readAll(
    body: ReadableStream<Uint8Array> | null,
    watch: Watch,
    maxBytes: number = maxBodyBytes,
  ): Promise<Uint8Array> {
    const pieces = new Pieces();
    for await (const piece of body ?? []) {
      watch.touch();
      pieces.add(piece);
      if (pieces.size > maxBytes)
        throw upstreamFailure(
          'protocol',
          `${this.label} sent an answer of more than ${maxBytes / 1024 / 1024} MB, which is more than is read. Ask for less at once, or for a stream.`,
        );
    }
    return pieces.bytes();
  }

  /** Reads the beginning of a body, and never the rest. */
  async #readBeginning(body: ReadableStream<Uint8Array> | null, watch: Watch, maxBytes: number): Promise<Uint8Array> {
    const pieces = new Pieces();
    for await (const piece of body ?? []) {
      watch.touch();
      pieces.add(piece);
      if (pieces.size >= maxBytes) break;
    }
    return pieces.bytes().subarray(0, maxBytes);
  }

  #tooLarge(excess: string): AppError {
    return upstreamFailure('protocol', `${this.label} sent an answer with ${excess}, which is too much to be read.`);
  }

  #parse(text: string): JsonObject {
    const excess = findExcess(text, readHere);
    if (excess !== undefined) throw this.#tooLarge(excess);
    try {
      const value = parseJson(text);
      if (isFields(value)) return value;
    } catch (error) {
      throw upstreamFailure('protocol', `${this.label} sent something that is not JSON: ${text.slice(0, 120)}`, {
        cause: error,
      });
    }
    throw upstreamFailure('protocol', `${this.label} sent something that is not an object: ${text.slice(0, 120)}`);
  }

  /** Throws errors that come with status 200 or in the middle of a stream. */
  #throwEmbedded(value: JsonObject): void {
    if (isAbsent(value['error']) || !isAbsent(value['choices'])) return;
    const code = typeof value['error'] === 'object' ? Number((value['error'] as JsonObject)['code']) : Number.NaN;
    throw this.#failure(
      Number.isInteger(code) && code >= 400 && code < 600 ? code : 500,
      messageOf(value) ?? 'an error without a text',
    );
  }

  async #refusal(response: Response, watch: Watch): Promise<AppError> {
    const text = new TextDecoder().decode(await this.#readBeginning(response.body, watch, maxErrorBytes));
    let message: string | undefined;
    try {
      if (findExcess(text, readHere) === undefined) message = messageOf(parseJson(text));
    } catch {
      // Not JSON: the text itself is the message.
    }
    return this.#failure(
      response.status,
      message ?? (text.trim().slice(0, 300) || response.statusText),
      response.headers.get('retry-after') ?? undefined,
    );
  }

  #failure(status: number, said: string, retryAfter?: string): AppError {
    const { apiKey } = this.#options;
    // Servers may repeat the key that they reject.
    const message = apiKey ? said.replaceAll(apiKey, '•••') : said;
    const text = `${this.label} answered ${status}: ${sentence(message)}`;
    const retryAfterInMs = readRetryAfter(retryAfter, this.#options.clock.now());
    if ([400, 413, 500].includes(status) && contextExceeded.test(message)) {
      return new AppError('tooLarge', `${text} Shorten the prompt or lower max_tokens.`, {
        status: 400,
        errorCode: 'INVALID_PARAMETER_VALUE',
      });
    }
    if (status >= 300 && status < 400)
      return upstreamFailure('protocol', `${text} A redirect is not followed; correct the upstream's baseUrl.`);
    if (status === 401 || status === 403)
      return upstreamFailure(
        'forbidden',
        `${text} Check the API key of this upstream; the profile's token is not the matter.`,
      );
    if (status === 404) return upstreamFailure('notFound', text);
    if (status === 429) return upstreamFailure('rateLimited', text, { retryAfterInMs });
    // A server that is still loading its model answers 503.
    if (status >= 500) return upstreamFailure('server', text, { isBusy: status === 503, retryAfterInMs });
    return upstreamFailure('rejected', text);
  }

  #explain(error: unknown, watch: Watch): unknown {
    if (watch.timedOut)
      return upstreamFailure(
        'timeout',
        `${this.label} sent nothing for ${watch.limitInMs / 1000} s; the request was given up. Raise timeoutInSeconds of the upstream if it needs longer.`,
        { cause: error },
      );
    if (watch.aborted) return new AppError('aborted', 'Stopped.', { cause: error });
    if (error instanceof AppError) return error;
    const reason = error instanceof Error ? reasonOf(error) : String(error);
    if (watch.answered)
      return upstreamFailure('cutOff', `${this.label} broke off its answer (${reason}).`, { cause: error });
    return upstreamFailure(
      'network',
      `${this.label} cannot be reached (${reason}). Start it, or correct its baseUrl.`,
      { cause: error },
    );
  }
}

/** Error messages are sentences; a longer body is a page or a trace. */
const maxErrorBytes = 64 * 1024;

const contextExceeded =
  /context (?:length|size|window)|maximum context|context_length|exceed_context|available context|n_ctx|too many tokens/i;

/** Returns the message of an error body in any of the usual forms. */
function messageOf(value: unknown): string | undefined {
  if (!isFields(value)) return undefined;
  const { error, message, detail } = value;
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null) return messageOf({ message: (error as JsonObject)['message'] });
  if (typeof message === 'string') return message;
  if (typeof detail === 'string') return detail;
  return detail === undefined ? undefined : JSON.stringify(detail).slice(0, 300);
}

/** Returns the message of the innermost cause. */
function reasonOf(error: Error): string {
  const { code, message } = causesOf(error).at(-1) ?? {};
  return typeof code === 'string' ? code : typeof message === 'string' ? message : error.message;
}

/** Combines the caller's signal and an idle limit into one signal for a request. */
class Watch {
  readonly limitInMs: number;
  readonly #controller = new AbortController();
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#signal?.reason);
  readonly #idle: IdleWatch;
  timedOut = false;
  answered = false;

  constructor(clock: Clock, limitInMs: number, signal: AbortSignal | undefined) {
    this.limitInMs = limitInMs;
    this.#signal = signal;
    if (signal?.aborted === true) this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#idle = new IdleWatch(clock, () => {
      this.timedOut = true;
      this.#controller.abort();
    });
    this.#idle.wait(limitInMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#signal?.aborted === true;
  }

  touch(): void {
    this.answered = true;
    this.#idle.wait(this.limitInMs);
  }

  end(): void {
    this.#idle.stop();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }
}
