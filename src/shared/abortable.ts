import { AppError } from './errors.ts';
import { l10n } from './l10n.ts';

/**
 * Returns the promise's result, or an AppError `aborted` as soon as the signal aborts. The work continues for others that wait for it; the
 * listener is removed with the promise.
 * @param stopped creates the error, if there is more to say
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
    // A rejection after an abort has already been reported.
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
