import type * as z from 'zod';
import { abortable } from '../../shared/abortable.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { AppError } from '../../shared/errors.ts';
import { stringifyJson } from '../../shared/json.ts';
import { l10n } from '../../shared/l10n.ts';
import { type Logger, silentLogger } from '../../shared/log.ts';
import { withoutNullFields } from '../../shared/withoutNullFields.ts';
import { utf8Bytes } from '../schema/field.ts';
import { type ClientLimits, defaultLimits, requestBytes } from '../schema/limits.ts';
import { type Checked, encodeChecked, formatProblems } from '../schema/problems.ts';
import type { Route } from '../schema/route.ts';
import { type Credentials, credentialsOf } from './auth.ts';
import type { Auth, CallOptions } from './client.ts';
import { failureOf } from './failure.ts';
import { notDone } from './outcome.ts';
import { checkExtent, type ReadResponse, readResponse, type Skipped, skippedText } from './response.ts';
import { Retrier, type RetryMode, type RetryWait } from './retry.ts';
import { type Fetch, type OpenResponse, send } from './transport.ts';

/** Dependencies and settings of the client; all but the first two have defaults. */
export interface CallerOptions {
  readonly baseUrl: string;
  readonly auth: Auth;
  readonly fetch?: Fetch;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly limits?: Partial<ClientLimits>;
  /** Random number in [0, 1), used to spread the retries of many clients. */
  readonly random?: () => number;
  /** Called for every wait of every call; a call can also have its own listener. */
  readonly onRetry?: (wait: RetryWait) => void;
  /** Retry mode of calls that do not specify one. */
  readonly retry?: RetryMode;
  /** Called with a sentence about list entries that were left out because they could not be read. */
  readonly onSkipped?: (text: string) => void;
}

/** One call of a route. */
export interface RouteCall extends CallOptions {
  /** Values of the `{name}` parameters in the path. */
  readonly path?: Readonly<Record<string, string>>;
}

/** A request that has been checked and serialized, ready to be sent any number of times. */
export interface Prepared {
  readonly route: Route;
  readonly url: string;
  readonly body?: string;
  /** Whether the request carries an idempotency token. */
  readonly tokened?: boolean;
}

interface AttemptOptions extends CallOptions {
  /** Milliseconds left for all attempts together. */
  readonly leftInMs?: number;
}

/** A response whose body has not been read yet, and the credentials of its request. */
export interface Opened {
  readonly response: OpenResponse;
  readonly credentials: Credentials;
}

/** Calls routes: checks, serializes and sends the request, then reads and checks the response. */
export class Caller {
  readonly baseUrl: string;
  readonly limits: ClientLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly #auth: Auth;
  readonly #fetch: Fetch;
  readonly #retrier: Retrier;
  readonly #mode: RetryMode;
  readonly #onSkipped: ((text: string) => void) | undefined;
  #requests = 0;

  constructor(options: CallerOptions) {
    this.baseUrl = checkedBaseUrl(options.baseUrl);
    this.limits = { ...defaultLimits, ...options.limits };
    this.clock = options.clock ?? systemClock;
    this.logger = options.logger ?? silentLogger;
    this.#auth = options.auth;
    this.#fetch = options.fetch ?? ((url, request) => globalThis.fetch(url, request));
    this.#mode = options.retry ?? 'wait';
    this.#onSkipped = options.onSkipped;
    this.#retrier = new Retrier({ clock: this.clock, random: options.random ?? Math.random, onRetry: options.onRetry });
  }

  retryNow(): void {
    this.#retrier.allowNow();
  }

  /**
   * Runs `prepare`, then `deliver`.
   * @returns the response as the route's schema reads it: INT64 as decimal strings, null treated as absent
   * @throws AppError whatever either of the two throws
   */
  async call<Q extends z.ZodType, R extends z.ZodType>(
    route: Route<Q, R>,
    request: z.output<Q>,
    options: RouteCall = {},
  ): Promise<z.output<R>> {
    return this.deliver(route, this.prepare(route, request, options), options);
  }

  /**
   * Sends a prepared request and reads its response. Retries if the route declares that to be harmless, for up to 10 minutes, at least 30 s
   * after a 5xx (Jobs API 2.0, Errors; Inference API, Errors).
   * @param read reads the response text instead of the schema, for responses so long that the schema would block the process, such as the
   * 12,000 jobs of jobs/list (Jobs API 2.0, Limits). It returns the value that the schema would return and reports what it left out. If it
   * returns undefined or rejects, the schema reads the text and reports the problem
   * @throws AppError of the last attempt: by the response status (`unauthenticated`, `notFound`, `rateLimited`, `rejected`, `server` …), by
   * what failed in transit (`network`, `tls`, `timeout`, `cutOff`), `protocol` or `tooLarge` for a response that is invalid or endless, and
   * `aborted` by the signal
   */
  deliver<R extends z.ZodType>(
    route: Route<z.ZodType, R>,
    prepared: Prepared,
    options: CallOptions = {},
    read?: (text: string) => Promise<ReadResponse<z.output<R>> | undefined>,
  ): Promise<z.output<R>> {
    return this.#attempts(prepared, options, (leftInMs) =>
      this.#receive(route, prepared, { ...options, leftInMs }, read),
    );
  }

  /**
   * Works like `deliver` for a response that is an event stream (Inference API, Events): resolves with the head of a successful response
   * and the request's credentials, whose secrets must not appear in any message. The reader of the body closes it. Later failures are not
   * retried; the reader reports them. Limits: `limits.streamIdleInMs` between two pieces, `limits.streamBytes` in total.
   * @throws AppError what `deliver` throws, until the head has arrived
   */
  openStream(prepared: Prepared, options: CallOptions = {}): Promise<Opened> {
    return this.#attempts(prepared, options, (leftInMs) =>
      this.#open(prepared, { ...options, leftInMs, accept: 'text/event-stream' }),
    );
  }

  #attempts<T>(
    prepared: Prepared,
    options: CallOptions,
    attempt: (leftInMs: number | undefined) => Promise<T>,
  ): Promise<T> {
    const { route, url, tokened } = prepared;
    return this.#retrier.run({
      operation: route.operation,
      key: `${route.method} ${new URL(url).pathname}`,
      repeatable: route.repeatable === 'always' || (route.repeatable === 'withToken' && tokened === true),
      tokened,
      mode: options.retry ?? this.#mode,
      signal: options.signal,
      onRetry: options.onRetry,
      showsRetries: options.showsRetries,
      attempt,
    });
  }

  /**
   * Checks the request against every rule of its schema and serializes it.
   * @throws AppError `invalid` or `tooLarge`, naming the rule, the value and the remedy
   */
  prepare<Q extends z.ZodType, R extends z.ZodType>(
    route: Route<Q, R>,
    request: z.output<Q>,
    options: RouteCall = {},
  ): Prepared {
    const { operation } = route;
    const checked = encodeRequest(route, request);
    if (!checked.ok) {
      throw new AppError('invalid', l10n.t('{0} was not sent. {1}', operation, formatProblems(checked.problems)), {
        operation,
        errorCode: checked.problems[0]?.code,
        remedy: notDone(operation),
      });
    }
    const url = this.baseUrl + fillPath(route, options.path);
    if (route.method !== 'POST') return { route, url: url + queryOf(checked.value) };
    const body = stringifyJson(checked.value);
    const size = body.length * 3 <= requestBytes ? 0 : utf8Bytes(body);
    if (size > requestBytes) {
      throw new AppError(
        'tooLarge',
        l10n.t(
          '{0} was not sent. The request has {1} bytes, but at most 10 MB ({2} bytes) are allowed.',
          operation,
          size.toLocaleString('en-US'),
          requestBytes.toLocaleString('en-US'),
        ),
        {
          operation,
          remedy: l10n.t('Make it smaller. Pass large data through files.'),
        },
      );
    }
    const fields = checked.value as Readonly<Record<string, unknown>>;
    return {
      route,
      url,
      body,
      tokened: typeof fields['idempotency_token'] === 'string' && fields['idempotency_token'] !== '',
    };
  }

  async #receive<R extends z.ZodType>(
    route: Route<z.ZodType, R>,
    prepared: Prepared,
    options: AttemptOptions,
    read?: (text: string) => Promise<ReadResponse<z.output<R>> | undefined>,
  ): Promise<z.output<R>> {
    const { response, credentials } = await this.#open(prepared, { ...options, accept: 'application/json' });
    try {
      const text = await response.text();
      if (route.model === true) checkExtent(route, text, route.maxAnswerInValues ?? this.limits.modelValues);
      const { status, contentType } = response;
      const early = read && (await read(text).catch(() => undefined));
      const { value, skipped } =
        early ?? readResponse(route, { status, contentType, text, secrets: credentials.secrets });
      if (skipped) this.#tellSkipped(route.operation, skipped, options.onSkipped);
      return value;
    } finally {
      response.close();
    }
  }

  #largestAnswer(route: Route): number {
    const usual = route.model === true ? this.limits.modelBytes : this.limits.responseBytes;
    return Math.max(route.maxAnswerInBytes ?? 0, usual);
  }

  #tellSkipped(operation: string, skipped: Skipped, tell?: (text: string) => void): void {
    const text = skippedText(operation, skipped);
    this.logger.warn(text);
    this.#onSkipped?.(text);
    tell?.(text);
  }

  /** Sends a prepared request once. Returns a successful response, which the caller closes. */
  async #open(prepared: Prepared, options: AttemptOptions & { accept: string }): Promise<Opened> {
    const { route, url, body } = prepared;
    const { operation } = route;
    throwIfAborted(options.signal, operation);
    const credentials = await abortable(credentialsOf(this.#auth), options.signal, (reason) =>
      stopped(operation, reason),
    );
    const stream = options.accept === 'text/event-stream';
    const number = ++this.#requests;
    const startedAt = this.clock.now();
    this.logger.trace(`#${number} ${route.method} ${operation}`);
    const response = await send(this.#fetch, this.clock, {
      operation,
      method: route.method,
      url,
      headers: headersOf(options.accept, body !== undefined, credentials),
      body,
      headersInMs: Math.min(
        options.leftInMs ?? Number.POSITIVE_INFINITY,
        route.model === true ? this.limits.inferenceHeadersInMs : this.limits.headersInMs,
      ),
      idleInMs: stream ? this.limits.streamIdleInMs : this.limits.idleInMs,
      maxBytes: stream ? this.limits.streamBytes : this.#largestAnswer(route),
      mutates: route.mutates,
      secrets: credentials.secrets,
      signal: options.signal,
    });
    this.logger.debug(
      `#${number} ${route.method} ${operation}: HTTP ${response.status} after ${this.clock.now() - startedAt} ms`,
    );
    if (response.status >= 200 && response.status < 300) return { response, credentials };
    try {
      throw failureOf({
        operation,
        mutates: route.mutates,
        status: response.status,
        contentType: response.contentType,
        retryAfter: response.header('retry-after'),
        body: await response.textUpTo(this.limits.errorBytes),
        secrets: credentials.secrets,
      });
    } finally {
      response.close();
    }
  }
}

/** Serializes the request. A null field means the same as an absent one, unless the document defines a meaning for null. */
function encodeRequest<Q extends z.ZodType>(route: Route<Q>, request: z.output<Q>): Checked<z.input<Q>> {
  const checked = encodeChecked(route.request, request);
  if (checked.ok) return checked;
  const filled = withoutNullFields(request);
  return filled === request ? checked : encodeChecked(route.request, filled);
}

/**
 * Checks a base URL. A URL with credentials is refused because it would be displayed.
 * @throws AppError `invalid` if the text is not a base URL
 */
function checkedBaseUrl(text: string): string {
  const url = URL.parse(text.trim());
  const refuse = (reason: string): never => {
    throw new AppError('invalid', l10n.t("The profile's base URL {0}. Nothing was sent.", reason), {
      remedy: l10n.t('Enter the address as https://host, with the port and path of the service.'),
    });
  };
  if (!url && URL.canParse(text.trim().replace(/:\d+(?=\/|$)/, ''))) return refuse('has a port that does not exist');
  if (!url || !/^https?:$/.test(url.protocol)) return refuse('is not an http or https address');
  if (url.username !== '' || url.password !== '') return refuse('contains a user name or password');
  if (url.search !== '' || url.hash !== '') return refuse('contains a query or fragment');
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

function fillPath(route: Route, values: Readonly<Record<string, string>> = {}): string {
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    // `new URL` would drop these segments or use them to go up a level.
    if (value === '' || value === '.' || value === '..') {
      throw new AppError(
        'invalid',
        l10n.t(
          '{0} was not sent. The {1} of the endpoint is {2}.',
          route.operation,
          name,
          value === '' ? l10n.t('empty') : `"${value}"`,
        ),
        { operation: route.operation, remedy: l10n.t('Choose an endpoint.') },
      );
    }
    return encodeURIComponent(value);
  });
}

function queryOf(fields: unknown): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields as Record<string, unknown>)) {
    if (value !== undefined && value !== null)
      query.set(
        name,
        typeof value === 'object' ? stringifyJson(value) : String(value as string | number | boolean | bigint),
      );
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function headersOf(accept: string, hasBody: boolean, credentials: Credentials): Record<string, string> {
  const headers: Record<string, string> = { accept };
  if (hasBody) headers['content-type'] = 'application/json';
  if (credentials.header) headers[credentials.header[0]] = credentials.header[1];
  return headers;
}

/**
 * Throws if the signal has already aborted.
 * @throws AppError `aborted`
 */
function throwIfAborted(signal: AbortSignal | undefined, operation: string): void {
  if (signal?.aborted) throw stopped(operation, signal.reason);
}

function stopped(operation: string, reason: unknown): AppError {
  return new AppError('aborted', l10n.t('{0} was stopped.', operation), { operation, cause: reason });
}
