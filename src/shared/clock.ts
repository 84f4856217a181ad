import { AppError } from './errors.ts';

/** Time as a dependency, so that a test can control it. */
export interface Clock {
  /** Creation time in epoch milliseconds. */
  now(): number;
  /** Calls back once after `delayInMs`; the returned function cancels. */
  schedule(delayInMs: number, callback: () => void): () => void;
}

/** Maximum delay of a platform timer (2^31 - 1 ms, about 24.8 days); longer ones would fire at once. */
const maxTimerInMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayInMs, callback) {
    let timer: ReturnType<typeof setTimeout>;
    const arm = (leftInMs: number): void => {
      const step = Math.min(Math.max(leftInMs, 0), maxTimerInMs);
      timer = setTimeout(() => (leftInMs > step ? arm(leftInMs - step) : callback()), step);
    };
    arm(delayInMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayInMs`, or rejects with `aborted` as soon as the signal aborts. Leaves neither a timer nor a listener behind. */
export function delay(delayInMs: number, options: { signal?: AbortSignal; clock?: Clock } = {}): Promise<void> {
  const { signal, clock = systemClock } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new AppError('aborted', 'Stopped.', { cause: signal.reason }));
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(new AppError('aborted', 'Stopped.', { cause: signal?.reason }));
    };
    const cancel = clock.schedule(delayInMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
