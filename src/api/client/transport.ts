import type { Clock } from '../../shared/clock.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { causesOf } from '../../shared/http/causes.ts';
import { IdleWatch } from '../../shared/http/idleWatch.ts';
import { Pieces } from '../../shared/http/pieces.ts';
import { l10n } from '../../shared/l10n.ts';
import { hostOf, networkFailure } from './failure.ts';
import { notDone, notKnown } from './outcome.ts';

/** One request, and the limits for its response. */
export interface Exchange {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly headersInMs: number;
  readonly idleInMs: number;
  readonly maxBytes: number;
  readonly mutates: boolean;
  readonly secrets: readonly string[];
  readonly signal?: AbortSignal;
}

const maxRedirects = 5;

/** Codes of decoders for content that has another encoding; content that was cut off has other codes. */
const misencoded = /^(?:Z_DATA_ERROR|ERR__ERROR_FORMAT)/;

/**
 * Sends one request and waits for the response headers. Follows redirects on the same origin only, so that credentials never leave it.
 * @returns the response, whatever its status
 * @throws AppError if there is no response
 */
export async function send(fetch: Fetch, clock: Clock, exchange: Exchange): Promise<OpenResponse> {
  const link = new Link(clock, exchange);
  try {
    let url = exchange.url;
    for (let redirects = 0; ; redirects++) {
      const response = await link.wait(exchange.headersInMs, 'headers', () =>
        fetch(url, {
          method: exchange.method,
          headers: exchange.headers,
          ...(exchange.body === undefined ? {} : { body: exchange.body }),
          signal: link.signal,
          redirect: 'manual',
        }),
      );
      const target = redirectTarget(response, url);
      if (target === undefined) return new OpenResponse(response, link, exchange);
      checkRedirect(exchange, response.status, url, target, redirects);
      discard(response);
      url = target;
    }
  } catch (error) {
    link.close();
    throw isAppError(error) ? error : networkFailure(error, exchange);
  }
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

function redirectTarget(response: HttpResponse, url: string): string | undefined {
  if (!redirectStatuses.has(response.status)) return undefined;
  const location = response.headers.get('location');
  return location === null ? undefined : URL.parse(location, url)?.href;
}

function checkRedirect(exchange: Exchange, status: number, from: string, to: string, redirects: number): void {
  const { operation } = exchange;
  const source = new URL(from);
  const target = new URL(to);
  if (target.origin !== source.origin) {
    throw new AppError(
      'protocol',
      l10n.t(
        '{0}: the server redirects to another place, {1}//{2} (HTTP {3}). The redirect was not followed, so that the credentials stay at {4}. {5}',
        operation,
        target.protocol,
        target.host,
        status,
        source.host,
        notDone(operation),
      ),
      {
        operation,
        status,
        remedy: l10n.t("If {0} is the right server, enter it as the profile's base URL.", target.host),
      },
    );
  }
  if (target.username !== '' || target.password !== '') {
    throw new AppError(
      'protocol',
      l10n.t(
        '{0}: the server redirects to an address with credentials (HTTP {1}). The redirect was not followed. {2}',
        operation,
        status,
        notDone(operation),
      ),
      { operation, status, remedy: l10n.t('Check the base URL of the profile.') },
    );
  }
  if (exchange.method !== 'GET' && status !== 307 && status !== 308) {
    throw new AppError(
      'protocol',
      l10n.t(
        "{0}: the server redirects to {1} (HTTP {2}) in a way that would drop the request's content. The redirect was not followed. {3}",
        operation,
        target.pathname,
        status,
        notDone(operation),
      ),
      {
        operation,
        status,
        remedy: l10n.t('Check the base URL of the profile. Usually it says http instead of https.'),
      },
    );
  }
  if (redirects >= maxRedirects) {
    throw new AppError(
      'protocol',
      l10n.t('{0}: the server redirects in a circle ({1} times). {2}', operation, maxRedirects, notDone(operation)),
      { operation, status, remedy: l10n.t('Check the base URL of the profile.') },
    );
  }
}

function discard(response: HttpResponse): void {
  const iterator = response.body?.[Symbol.asyncIterator]();
  // Nobody reads the body of a redirect. Closing it frees the socket; a failure to close does not matter.
  iterator?.return?.().then(undefined, () => undefined);
}

/** A response: its head, and its body in pieces. The caller closes it. */
export class OpenResponse {
  readonly status: number;
  readonly contentType: string;
  readonly #response: HttpResponse;
  readonly #link: Link;
  readonly #exchange: Exchange;
  readonly #body: AsyncIterator<Uint8Array> | undefined;
  #bytes = 0;
  /** Pieces that were read by `peek` and not yet by `read`. */
  #peeked: Uint8Array[] = [];

  constructor(response: HttpResponse, link: Link, exchange: Exchange) {
    this.status = response.status;
    this.contentType = response.headers.get('content-type') ?? '';
    this.#response = response;
    this.#link = link;
    this.#exchange = exchange;
    this.#body = response.body?.[Symbol.asyncIterator]();
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  /** Returns the first character of the body that is not blank, or an empty string. `read` still returns the whole body. */
  async peek(): Promise<string> {
    const decoder = new TextDecoder();
    const peeked: Uint8Array[] = [];
    let first = '';
    for (let piece = await this.read(); piece; piece = await this.read()) {
      peeked.push(piece);
      first = decoder.decode(piece.subarray(0, 1000), { stream: true }).trimStart().charAt(0);
      if (first !== '') break;
    }
    this.#peeked = peeked;
    return first;
  }

  /**
   * Returns the next piece of the body, or `undefined` at its end.
   * @throws AppError `timeout` at the idle limit, `tooLarge` above the size limit, `cutOff` if the connection broke
   */
  read(): Promise<Uint8Array | undefined> {
    const peeked = this.#peeked.shift();
    if (peeked) return Promise.resolve(peeked);
    return this.#body === undefined
      ? Promise.resolve(undefined)
      : this.#link.wait(this.#exchange.idleInMs, 'body', this.#next).then(this.#onPiece, this.#onBroken);
  }

  readonly #next = (): Promise<IteratorResult<Uint8Array>> =>
    this.#body?.next() ?? Promise.resolve({ value: undefined, done: true });

  readonly #onPiece = (result: IteratorResult<Uint8Array>): Uint8Array | undefined => {
    if (result.done === true) return undefined;
    this.#bytes += result.value.byteLength;
    if (this.#bytes > this.#exchange.maxBytes) throw this.#tooLarge(this.#exchange.maxBytes);
    return result.value;
  };

  readonly #onBroken = (error: unknown): never => {
    if (isAppError(error)) throw error;
    const { operation, url } = this.#exchange;
    const isMisencoded = causesOf(error).some(({ code }) => typeof code === 'string' && misencoded.test(code));
    const message = isMisencoded
      ? l10n.t('{0}: the response is not encoded as its Content-Encoding says. {1}', operation, this.#outcome())
      : l10n.t(
          '{0}: the connection to {1} broke in the middle of the answer. {2}',
          operation,
          hostOf(url),
          this.#outcome(),
        );
    throw new AppError(isMisencoded ? 'protocol' : 'cutOff', message, {
      operation,
      status: this.status,
      cause: error,
      retryable: !isMisencoded,
      remedy: isMisencoded
        ? l10n.t('The server or a proxy in front of it is at fault.')
        : networkFailure(error, this.#exchange).remedy,
    });
  };

  /**
   * Returns the whole body as text.
   * @param maxBytes a lower limit than the exchange allows for a stream
   * @throws AppError as `read` does
   */
  async text(maxBytes = this.#exchange.maxBytes): Promise<string> {
    const announced = Number(this.header('content-length') ?? 0);
    if (announced > maxBytes) throw this.#tooLarge(maxBytes);
    const pieces = new Pieces();
    for (let piece = await this.read(); piece; piece = await this.read()) {
      if (this.#bytes > maxBytes) throw this.#tooLarge(maxBytes);
      pieces.add(piece);
    }
    return pieces.text();
  }

  /** Returns the beginning of the body as text for messages, even if reading the rest fails. */
  async textUpTo(maxBytes: number): Promise<string> {
    const pieces = new Pieces();
    try {
      while (pieces.size < maxBytes) {
        const piece = await this.read();
        if (!piece) break;
        pieces.add(piece);
      }
    } catch (error) {
      if (isAppError(error) && error.kind === 'aborted') throw error;
      // The part that arrived is still the best explanation of the status.
    }
    return pieces.text().slice(0, maxBytes);
  }

  close(): void {
    this.#link.close(this.#body);
  }

  #outcome(): string {
    return this.#exchange.mutates ? notKnown(this.#exchange.operation) : notDone(this.#exchange.operation);
  }

  #tooLarge(maxBytes: number): AppError {
    const { operation } = this.#exchange;
    return new AppError(
      'tooLarge',
      l10n.t(
        '{0}: the response is larger than {1} MB, the maximum. {2}',
        operation,
        Math.round(maxBytes / 1_048_576),
        this.#outcome(),
      ),
      {
        operation,
        status: this.status,
        remedy: l10n.t('Ask for less at once. If the base URL is right, the server is at fault.'),
      },
    );
  }
}

/** Owns the resources that one exchange would otherwise leak: the socket, one timer, one listener. */
class Link {
  readonly #exchange: Exchange;
  readonly #controller = new AbortController();
  readonly #onAbort: () => void;
  #failure: AppError | undefined;
  #reject: ((error: AppError) => void) | undefined;
  readonly #idle: IdleWatch;
  #waitsFor: 'headers' | 'body' = 'headers';
  #limitInMs = 0;
  #closed = false;

  constructor(clock: Clock, exchange: Exchange) {
    this.#exchange = exchange;
    this.#idle = new IdleWatch(clock, () => this.#fail(this.#stalled()));
    this.#onAbort = () =>
      this.#fail(
        new AppError('aborted', l10n.t('{0} was stopped.', exchange.operation), {
          operation: exchange.operation,
          cause: exchange.signal?.reason,
        }),
      );
    if (exchange.signal?.aborted) this.#onAbort();
    else exchange.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for one step until the limit or an abort, whatever the transport does. */
  wait<T>(limitInMs: number, phase: 'headers' | 'body', step: () => Promise<T>): Promise<T> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject;
      this.#waitsFor = phase;
      this.#limitInMs = limitInMs;
      this.#idle.wait(limitInMs);
      const settled = (): void => {
        this.#reject = undefined;
        if (phase === 'headers') this.#idle.stop();
        else this.#idle.rest();
      };
      step().then(
        (value) => {
          settled();
          resolve(value);
        },
        (error: unknown) => {
          settled();
          reject((this.#failure ?? error) as Error);
        },
      );
    });
  }

  #stalled(): AppError {
    const { operation, url, mutates } = this.#exchange;
    const what =
      this.#waitsFor === 'headers' ? `${hostOf(url)} did not answer` : `the answer of ${hostOf(url)} stopped coming`;
    return new AppError(
      'timeout',
      l10n.t(
        '{0}: {1} for {2} s. {3}',
        operation,
        what,
        Math.round(this.#limitInMs / 1000),
        mutates ? notKnown(operation) : notDone(operation),
      ),
      {
        operation,
        retryable: true,
        remedy: l10n.t('Try again. If it happens again, check the server and the network.'),
      },
    );
  }

  #fail(error: AppError): void {
    if (this.#closed) return;
    this.#failure ??= error;
    this.#reject?.(this.#failure);
    this.#reject = undefined;
    this.close();
  }

  close(body?: AsyncIterator<Uint8Array>): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#idle.stop();
    this.#exchange.signal?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
    // The abort above has closed the socket, so an error from closing the body is expected.
    body?.return?.().then(undefined, () => undefined);
  }
}

/** The part of fetch that the client needs; the platform's fetch satisfies it, and so does a thin wrapper around another transport. */
export type Fetch = (url: string, request: HttpRequest) => Promise<HttpResponse>;

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The client handles redirects itself, since they could send a token to another server. */
  readonly redirect: 'manual';
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}
