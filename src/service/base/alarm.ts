import type { Clock } from '../../shared/clock.ts';
import type { Disposable } from '../../shared/lifecycle.ts';

/** Waits for the next of many stored moments with one timer. */
export interface Alarm extends Disposable {
  /** Looks again when the next moment is; to be called whenever one was stored. */
  check(): void;
}

/** A timer stands still while the machine sleeps, so the time of day is looked at from time to time. */
const maxWaitInMs = 60_000;
/** After a failure nothing is gained by trying at once. */
const retryInMs = 1000;

/**
 * @param dueAt the earliest stored moment, epoch milliseconds
 * @param ring does what is due; when it fails it is called again a second later
 */
export function createAlarm(
  clock: Clock,
  dueAt: () => number | undefined,
  ring: () => void | Promise<void>,
  onError: (error: unknown) => void,
): Alarm {
  let cancel: (() => void) | undefined;
  let isRinging = false;
  let isDisposed = false;

  function arm(delayInMs: number): void {
    cancel?.();
    const waitInMs = Math.min(delayInMs, maxWaitInMs);
    cancel = clock.schedule(waitInMs, () => (waitInMs < delayInMs ? check() : void fire()));
  }

  async function fire(): Promise<void> {
    cancel = undefined;
    if (isRinging || isDisposed) return;
    isRinging = true;
    let failed = false;
    try {
      await ring();
    } catch (error) {
      failed = true;
      onError(error);
    } finally {
      isRinging = false;
    }
    if (isDisposed) return;
    if (failed) arm(retryInMs);
    else check();
  }

  function check(): void {
    if (isRinging || isDisposed) return;
    try {
      const at = dueAt();
      if (at === undefined) {
        cancel?.();
        cancel = undefined;
      } else arm(Math.max(0, at - clock.now()));
    } catch (error) {
      onError(error);
      arm(retryInMs);
    }
  }

  return {
    check,
    dispose() {
      isDisposed = true;
      cancel?.();
    },
  };
}
