import { type AnswerDelta, AnswerReader, join } from '../api/schema/inference/answer.ts';
import type { ChatChunk } from '../api/schema/inference/schemas.ts';
import { systemClock, type Clock } from '../shared/clock.ts';
import { AppError, isAbort, isAppError, toAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { AnswerEnd, Failure } from './conversationEvent.ts';

/** At most one delta a frame: more often than the screen draws would only cost wake-ups. */
const frameInMs = 16;

export interface SessionOptions {
  /**
   * Starts the request and yields its chunks as they come. An error of either ends the answer. Leaving the loop must close the connection.
   */
  open(): Promise<AsyncIterable<ChatChunk>>;
  /** Called at most once a frame, and once more before the end if something is left. */
  onPart(part: AnswerDelta): void;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Turns an error into the failure that the conversation shows. */
  readonly explain?: (error: AppError) => Failure;
}

export interface SessionEnd {
  readonly status: AnswerEnd;
  readonly failure?: Failure;
}

/**
 * Reads one streamed answer to its end. `done` only if every choice had its finish_reason (Inference API, Events
 * rule 2); a stream that ends before is `cutOff`, and so is one whose signal aborted with an AppError that says why;
 * `stopped` if it aborted without one; `failed` if nothing usable came. Whatever arrived has been handed to `onPart` in every case. Never rejects.
 */
export async function runSession(options: SessionOptions): Promise<SessionEnd> {
  const { onPart, signal, clock = systemClock, explain = toFailure } = options;
  const reader = new AnswerReader();
  /** Deltas received since the last frame. */
  let part: AnswerDelta | undefined;
  let isFirst = true;
  let cancelFrame: (() => void) | undefined;
  const flush = (): void => {
    cancelFrame?.();
    cancelFrame = undefined;
    if (!part) return;
    onPart(part);
    part = undefined;
    isFirst = false;
  };
  const end = (status: AnswerEnd, error?: AppError): SessionEnd => {
    flush();
    return error ? { status, failure: explain(error) } : { status };
  };
  // The user's Stop gives no reason; anything else that ends it does.
  const stopped = (): SessionEnd => (isAppError(signal.reason) ? end('cutOff', signal.reason) : end('stopped'));
  try {
    await readUntilAborted(
      () => options.open(),
      signal,
      (chunk) => {
        const delta = reader.read(chunk);
        if (delta.choices.length === 0 && !delta.usage) return;
        part = part ? join(part, delta) : delta;
        // The first word is never held back.
        cancelFrame ??= clock.schedule(isFirst ? 0 : frameInMs, flush);
      },
    );
    // The last chunk may have carried a finish_reason although the user pressed Stop in the same moment.
    if (reader.isComplete) return end('done');
    if (signal.aborted) return stopped();
    return end('cutOff', cutOff());
  } catch (error) {
    // All choices are there: what failed after them (a reset while closing) took nothing away.
    if (reader.isComplete) return end('done');
    if (signal.aborted) return stopped();
    // The abort came from elsewhere: it must not look like the user's Stop.
    const appError = isAbort(error) ? interrupted(error) : toAppError(error, 'chat');
    return end(reader.hasContent || appError.kind === 'cutOff' ? 'cutOff' : 'failed', appError);
  }
}

/**
 * Hands each chunk over until the source ends or the signal aborts: a source that ignores its own signal must not keep
 * Stop from stopping.
 */
async function readUntilAborted(
  open: SessionOptions['open'],
  signal: AbortSignal,
  take: (chunk: ChatChunk) => void,
): Promise<void> {
  const { promise: aborted, resolve: onAbort } = Promise.withResolvers<void>();
  const stop = (): void => onAbort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const opening = open();
    const chunks = await Promise.race([opening, aborted]);
    if (!chunks) {
      opening.catch(() => undefined); // As below. Chunks that nobody asks for have no connection.
      return;
    }
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = iterator.next();
      const result = await Promise.race([next, aborted]);
      if (!result) {
        next.catch(() => undefined); // It rejects because we aborted; nobody is left to care.
        // Not awaited: a source that is stuck in `next` would answer `return` only after it.
        iterator.return?.()?.then(undefined, () => undefined);
        return;
      }
      if (result.done) return;
      take(result.value);
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function cutOff(): AppError {
  return new AppError('cutOff', l10n.t('The answer ended before the model said that it was finished.'), {
    remedy: l10n.t('The text so far is kept.'),
  });
}

function interrupted(cause: unknown): AppError {
  return new AppError('cutOff', l10n.t('The connection ended the answer, not you.'), {
    cause,
    remedy: l10n.t('The text so far is kept.'),
  });
}

/** The reason with which answers are aborted when the window closes. */
export function closed(): AppError {
  return new AppError('cutOff', l10n.t('The editor was closed during this answer.'), {
    remedy: l10n.t('The earlier saved version is kept.'),
  });
}

export function toFailure(error: unknown): Failure {
  const { kind, message, remedy } = toAppError(error);
  return remedy === undefined ? { kind, message } : { kind, message, remedy };
}
