import type { Clock } from '../../shared/clock.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { retryAfterInMs } from '../../shared/http/pieces.ts';
import { l10n } from '../../shared/l10n.ts';
import { HttpError } from './failure.ts';
import { EmptyBody } from './response.ts';

/** How long a request is retried: up to 10 minutes (Jobs API 2.0, Errors). */
const retryBudgetInMs = 600_000;

/** A wait before the next attempt, for a visible countdown. */
export interface RetryWait {
  readonly operation: string;
  /** Number of attempts made; 0 if another call found the service sick and this one has not been sent. */
  readonly attempt: number;
  /** Epoch milliseconds of the next attempt. */
  readonly waitUntil: number;
  /** Epoch milliseconds after which no further attempt is made. */
  readonly giveUpAt: number;
  /** Why the call has to wait. */
  readonly reason: AppError;
  /** Ends the wait and tries again. */
  retryNow(): void;
  /** Ends the wait and fails the call with `reason`. */
  stop(): void;
  /** Resolves when the wait is over, for whatever reason. */
  readonly ended: Promise<void>;
}

/** Dependencies of the retry loop. */
export interface RetryOptions {
  readonly clock: Clock;
  /** Random number in [0, 1). */
  readonly random: () => number;
  readonly onRetry?: (wait: RetryWait) => void;
}

/**
 * `wait`: waits for a sick service. `fail`: rejects instead of waiting, except for the brief pause after a broken connection. `answered`:
 * waits if a service responds that it is unavailable now; if nothing responds, the address may be wrong.
 */
export type RetryMode = 'wait' | 'answered' | 'fail';

/** A call as the retrier sees it. */
export interface RetryPlan<T> {
  readonly operation: string;
  /** Calls with the same key share the known health of the endpoint. */
  readonly key: string;
  /**
   * Whether a retry is harmless: true for reads, for changes that carry a token, and for changes that have the same effect when repeated.
   */
  readonly repeatable: boolean;
  /**
   * Whether the request carries an idempotency token; if so, an unreadable response also counts as a connection fault, since a retry is
   * safe.
   */
  readonly tokened?: boolean;
  readonly mode: RetryMode;
  readonly signal?: AbortSignal;
  readonly onRetry?: (wait: RetryWait) => void;
  readonly showsRetries?: boolean;
  /** @param leftInMs what is left of the budget; `undefined` for the first attempt */
  attempt(leftInMs: number | undefined): Promise<T>;
}

/** Maximum attempts that end in an unreadable response; after that, it is no accident. */
const maxUnreadable = 3;
const maxBackoffInMs = 30_000;

interface Progress {
  readonly startedAt: number;
  attempts: number;
  busy: number;
  broken: number;
  unreadable: number;
  /** Last error of this call, or of another call that found the endpoint sick. */
  error: AppError | undefined;
}

/** The only retry loop of the client (Jobs API 2.0, Errors). */
export class Retrier {
  readonly #options: RetryOptions;
  readonly #circuits = new Map<string, Circuit>();

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  async run<T>(plan: RetryPlan<T>): Promise<T> {
    if (!plan.repeatable) return plan.attempt(undefined);
    const circuit = this.#circuit(plan.key);
    const progress: Progress = {
      startedAt: this.#options.clock.now(),
      attempts: 0,
      busy: 0,
      broken: 0,
      unreadable: 0,
      error: undefined,
    };
    for (;;) {
      await this.#enter(plan, circuit, progress);
      progress.attempts++;
      try {
        const leftInMs =
          progress.attempts === 1
            ? undefined
            : Math.max(1, progress.startedAt + retryBudgetInMs - this.#options.clock.now());
        const result = await plan.attempt(leftInMs);
        circuit.succeeded();
        return result;
      } catch (error) {
        const waitUntil = this.#judge(plan, circuit, progress, toAppError(error, plan.operation));
        await this.#wait(plan, circuit, progress, waitUntil, false);
      }
    }
  }

  /** Allows an immediate attempt because the user requested one, even if the service has just failed. */
  allowNow(): void {
    for (const circuit of this.#circuits.values()) circuit.allowNow(this.#options.clock.now());
  }

  #circuit(key: string): Circuit {
    const circuit = this.#circuits.get(key) ?? new Circuit();
    this.#circuits.set(key, circuit);
    return circuit;
  }

  /** Waits until the endpoint's health allows a request. */
  async #enter<T>(plan: RetryPlan<T>, circuit: Circuit, progress: Progress): Promise<void> {
    const { clock } = this.#options;
    while (!circuit.enter(clock.now())) {
      const { failure } = circuit;
      if (!failure) continue;
      progress.error ??= failure;
      const now = clock.now();
      if (plan.mode === 'fail' && now < circuit.nextProbeAt)
        throw notSent(plan.operation, failure, circuit.nextProbeAt - now);
      // If another call's request is pending, its outcome ends the wait.
      await this.#wait(
        plan,
        circuit,
        progress,
        circuit.nextProbeAt > now ? circuit.nextProbeAt : now + sickGapInMs,
        true,
      );
    }
  }

  /**
   * Decides what an error means for the endpoint and for this call.
   * @returns the time of the next attempt
   * @throws the error if there is none
   */
  #judge<T>(plan: RetryPlan<T>, circuit: Circuit, progress: Progress, error: AppError): number {
    const { clock, random } = this.#options;
    const now = clock.now();
    progress.error = error;
    const asked = error instanceof HttpError ? retryAfterInMs(error.retryAfter, now) : undefined;
    const fault = faultOf(error, plan.tokened === true);
    if (fault === 'none') {
      // Any response, even a refusal, shows that the endpoint works; an abort shows nothing.
      if (error.kind === 'aborted' || error.status === undefined) circuit.released();
      else circuit.succeeded();
      throw error;
    }
    let waitUntil: number;
    let quick = false;
    if (fault === 'busy') {
      circuit.succeeded();
      const backoffInMs = Math.min(1000 * 2 ** progress.busy++, maxBackoffInMs);
      waitUntil = now + (asked ?? backoffInMs / 2) + Math.ceil((random() * backoffInMs) / 2);
    } else if ((fault === 'broken' || fault === 'unreadable') && !circuit.isSick && progress.broken++ === 0) {
      // A single broken connection, such as an idle one that was closed, says nothing about the service yet.
      waitUntil = now + 500 + Math.ceil(random() * 500);
      quick = true;
    } else {
      waitUntil = now + Math.max(sickGapInMs, asked ?? 0) + Math.ceil(random() * 2000);
      circuit.failed(error, waitUntil);
    }
    const mayWait = plan.mode === 'answered' ? error.status !== undefined : plan.mode === 'wait';
    if (!mayWait && !quick) throw error;
    if (fault === 'unreadable' && ++progress.unreadable >= maxUnreadable) throw error;
    if (waitUntil > progress.startedAt + retryBudgetInMs)
      throw givenUp(error, progress.attempts, now - progress.startedAt, asked);
    return waitUntil;
  }

  /**
   * Waits visibly until the time, "Retry now", "Stop" or an abort.
   * @param forHealth whether the endpoint's recovery also ends the wait; it must not after the call's own failure
   */
  async #wait<T>(
    plan: RetryPlan<T>,
    circuit: Circuit,
    progress: Progress,
    waitUntil: number,
    forHealth: boolean,
  ): Promise<void> {
    const { clock } = this.#options;
    const { signal, operation } = plan;
    const reason = progress.error ?? new AppError('internal', 'There is no reason to wait.', { operation });
    const giveUpAt = progress.startedAt + retryBudgetInMs;
    if (waitUntil > giveUpAt) throw givenUp(reason, progress.attempts, clock.now() - progress.startedAt, undefined);
    if (signal?.aborted) throw stopped(operation, signal);
    let end: () => void = () => undefined;
    let fail: (error: AppError) => void = () => undefined;
    // The command line also runs this in Node 20, which lacks Promise.withResolvers.
    const ended = new Promise<void>((resolve, reject) => {
      [end, fail] = [resolve, reject];
    });
    const finished = ended.catch(() => undefined);
    const cancelTimer = clock.schedule(Math.max(0, waitUntil - clock.now()), () => end());
    const unwatch = circuit.watch(() => {
      if (forHealth && (plan.mode === 'fail' || !circuit.isSick || clock.now() >= circuit.nextProbeAt)) end();
    });
    const onAbort = (): void => fail(stopped(operation, signal));
    signal?.addEventListener('abort', onAbort, { once: true });
    const wait: RetryWait = {
      operation,
      attempt: progress.attempts,
      waitUntil,
      giveUpAt,
      reason,
      retryNow: () => {
        circuit.allowNow(clock.now());
        end();
      },
      stop: () => fail(reason),
      ended: finished,
    };
    try {
      // Do not report a wait for a response that is already on its way.
      if (plan.showsRetries !== true && !(forHealth && plan.mode === 'fail')) this.#options.onRetry?.(wait);
      plan.onRetry?.(wait);
      await ended;
    } finally {
      end();
      cancelTimer();
      unwatch();
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

/** `busy`: the server said that it is busy. `sick`: it failed or did not respond. `broken`: the connection failed. */
type Fault = 'busy' | 'sick' | 'broken' | 'unreadable' | 'none';

function faultOf(error: AppError, tokened: boolean): Fault {
  if (error.status === 429) return 'busy';
  // The service works, so there is nothing to wait for: if nobody starts the model server, it will not respond in ten minutes either.
  if (error instanceof HttpError && error.isUpstream && !error.retryable) return 'none';
  if (error.status !== undefined && error.status >= 500) return 'sick';
  if (!error.retryable && error.kind !== 'protocol') return 'none';
  switch (error.kind) {
    case 'timeout':
      return 'sick';
    case 'network':
    case 'cutOff':
      return 'broken';
    case 'protocol':
      // A service that answers nothing may not know tokens either.
      if (error.cause instanceof EmptyBody) return 'none';
      return tokened && error.status !== undefined && error.status < 300 ? 'unreadable' : 'none';
    default:
      return 'none';
  }
}

function stopped(operation: string, signal: AbortSignal | undefined): AppError {
  return new AppError('aborted', l10n.t('{0} was stopped.', operation), { operation, cause: signal?.reason });
}

function notSent(operation: string, failure: AppError, leftInMs: number): AppError {
  return new AppError(
    failure.kind,
    l10n.t('{0} was not sent because the service has just failed. {1}', operation, failure.message),
    {
      cause: failure,
      operation,
      status: failure.status,
      errorCode: failure.errorCode,
      retryable: true,
      remedy:
        leftInMs > 0
          ? l10n.t(
              'The next attempt is in {0} s at the earliest, so that the service can recover.',
              Math.ceil(leftInMs / 1000),
            )
          : failure.remedy,
    },
  );
}

function givenUp(error: AppError, attempts: number, elapsedInMs: number, askedInMs: number | undefined): AppError {
  const tried =
    attempts > 1
      ? l10n.t(' It was tried {0} times in {1} minutes.', attempts, Math.max(1, Math.round(elapsedInMs / 60_000)))
      : '';
  const remedy =
    askedInMs !== undefined && askedInMs > retryBudgetInMs / 2
      ? l10n.t('The server asks to retry in {0} minutes.', Math.ceil(askedInMs / 60_000))
      : error.remedy;
  return new HttpError(error.kind, `${error.message}${tried}`, {
    isUpstream: error instanceof HttpError && error.isUpstream,
    cause: error.cause,
    status: error.status,
    errorCode: error.errorCode,
    retryable: error.retryable,
    operation: error.operation,
    partial: error.partial,
    remedy,
  });
}

/** Minimum time between attempts after a server-side failure: 30 seconds (Jobs API 2.0, Errors). */
const sickGapInMs = 30_000;

/**
 * Tracks the health of one endpoint. While it is sick, requests go out one at a time, at least 30 seconds after the last failure, however
 * many callers there are.
 */
class Circuit {
  #failure: AppError | undefined;
  #probing = false;
  #nextProbeAt = 0;
  readonly #waiting = new Set<() => void>();

  get isSick(): boolean {
    return this.#failure !== undefined;
  }

  /** Why the endpoint is sick. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  get nextProbeAt(): number {
    return this.#nextProbeAt;
  }

  /** Returns whether a request may go out now. After `true`, the only slot is taken until the outcome is reported. */
  enter(now: number): boolean {
    if (!this.#failure) return true;
    if (this.#probing || now < this.#nextProbeAt) return false;
    this.#probing = true;
    return true;
  }

  /** Allows an immediate attempt because the user requested one. */
  allowNow(now: number): void {
    if (!this.#failure) return;
    this.#nextProbeAt = Math.min(this.#nextProbeAt, now);
    this.#changed();
  }

  succeeded(): void {
    this.#failure = undefined;
    this.#probing = false;
    this.#changed();
  }

  failed(error: AppError, nextProbeAt: number): void {
    this.#failure = error;
    this.#probing = false;
    this.#nextProbeAt = Math.max(this.#nextProbeAt, nextProbeAt);
    this.#changed();
  }

  /** Records that the request was aborted, which says nothing about the endpoint. */
  released(): void {
    this.#probing = false;
    this.#changed();
  }

  /** Calls the listener at each change, until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#waiting.add(listener);
    return () => this.#waiting.delete(listener);
  }

  #changed(): void {
    for (const listener of [...this.#waiting]) listener();
  }
}
