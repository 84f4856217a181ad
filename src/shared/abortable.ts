import { AppError } from './errors.ts';
import { l10n } from './l10n.ts';

/**
 * The promise's result, or an AppError `aborted` as soon as the signal says so. What was begun goes on for others that
 * wait for it; the listener goes with the promise.
 * @param stopped makes the error, if more is known than that something was stopped
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  stopped = (reason: unknown): AppError => new AppError('aborted', l10n.t('Stopped.'), { cause: reason }),
): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(stopped(signal.reason));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    // A rejection that comes after an abort has been told of already.
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
