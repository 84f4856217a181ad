import { type AnswerDelta, AnswerReader, join } from '../api/schema/inference/answer.ts';
import type { ChatChunk } from '../api/schema/inference/schemas.ts';
import { systemClock, type Clock } from '../shared/clock.ts';
import { AppError, isAbort, isAppError, toAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { AnswerEnd, Failure } from './conversationEvent.ts';

/** Time of one frame in milliseconds, with at most one delta each: more would only wake the process more often than the screen is drawn. */
const frameInMs = 16;

export interface SessionOptions {
  /**
   * Starts the request and yields its chunks as they arrive. An error in either ends the answer. Leaving the loop must close the
   * connection.
   */
  open(): Promise<AsyncIterable<ChatChunk>>;
  /** Called at most once per frame, and once more before the end if anything is left. */
  onPart(part: AnswerDelta): void;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Converts an error to the failure that the conversation shows. */
  readonly explain?: (error: AppError) => Failure;
}

export interface SessionEnd {
  readonly status: AnswerEnd;
  readonly failure?: Failure;
}

/**
 * Reads one streamed answer to its end. `done` requires that every choice had its finish_reason (Inference API, Events rule 2). `cutOff` is
 * a stream that ends earlier or whose signal aborted with an AppError that gives the reason; `stopped` is an abort without one; `failed`
 * means that nothing usable arrived. In every case, everything that arrived has been passed to `onPart`. Never rejects.
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
  // The user's Stop gives no reason; every other abort does.
  const stopped = (): SessionEnd => (isAppError(signal.reason) ? end('cutOff', signal.reason) : end('stopped'));
  try {
    await readUntilAborted(
      () => options.open(),
      signal,
      (chunk) => {
        const delta = reader.read(chunk);
        if (delta.choices.length === 0 && !delta.usage) return;
        part = part ? join(part, delta) : delta;
        // The first word is never delayed.
        cancelFrame ??= clock.schedule(isFirst ? 0 : frameInMs, flush);
      },
    );
    // The last chunk may have carried a finish_reason although the user pressed Stop at the same moment.
    if (reader.isComplete) return end('done');
    if (signal.aborted) return stopped();
    return end('cutOff', cutOff(l10n.t('The answer ended before the model said that it was finished.')));
  } catch (error) {
    // All choices are complete, so a later failure (a reset while closing) lost nothing.
    if (reader.isComplete) return end('done');
    if (signal.aborted) return stopped();
    // The abort came from elsewhere and must not look like the user's Stop.
    const appError = isAbort(error)
      ? cutOff(l10n.t('The connection ended the answer, not you.'), error)
      : toAppError(error, 'chat');
    return end(reader.hasContent || appError.kind === 'cutOff' ? 'cutOff' : 'failed', appError);
  }
}

/** Passes on each chunk until the source ends or the signal aborts: a source that ignores its own signal must not prevent Stop. */
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
      opening.catch(() => undefined); // It rejects because of the abort, as below. Chunks that nobody reads have no connection.
      return;
    }
    const iterator = chunks[Symbol.asyncIterator]();
    for (;;) {
      const next = iterator.next();
      const result = await Promise.race([next, aborted]);
      if (!result) {
        next.catch(() => undefined); // It rejects because of the abort, and nobody needs the result.
        // Not awaited: a source stuck in `next` would settle `return` only after it.
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

function cutOff(message: string, cause?: unknown): AppError {
  return new AppError('cutOff', message, { cause, remedy: l10n.t('The text so far is kept.') });
}

/** Returns the reason for aborting answers when the window closes. */
export function closed(): AppError {
  return new AppError('cutOff', l10n.t('The editor was closed during this answer.'), {
    remedy: l10n.t('The earlier saved version is kept.'),
  });
}

export function toFailure(error: unknown): Failure {
  const { kind, message, remedy } = toAppError(error);
  return remedy === undefined ? { kind, message } : { kind, message, remedy };
}
