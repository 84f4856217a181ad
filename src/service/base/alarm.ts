import type { Clock } from '../../shared/clock.ts';
import type { Disposable } from '../../shared/lifecycle.ts';

/** Waits for the next of many stored times with one timer. */
export interface Alarm extends Disposable {
  /** Looks up the next time again. Call it whenever a time was stored. */
  check(): void;
}

/** A timer stands still while the machine sleeps, so the wall clock is checked regularly. */
const maxWaitInMs = 60_000;
/** How often to check whether the wall clock was set, in milliseconds. */
const clockCheckInMs = 5000;
/** Pause after a failure. */
const retryInMs = 1000;

/** Calls back when the wall clock was set, or the machine slept. @returns a function that ends it */
function onClockSet(callback: () => void): () => void {
  const aheadInMs = (): number => Date.now() - performance.now();
  let last = aheadInMs();
  const timer = setInterval(() => {
    const wasSet = Math.abs(aheadInMs() - last) > 1000;
    last = aheadInMs();
    if (wasSet) callback();
  }, clockCheckInMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * @param dueAt the earliest stored time, epoch milliseconds
 * @param ring does what is due; after a failure it is called again a second later
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

  const stopChecking = onClockSet(check);
  return {
    check,
    dispose() {
      isDisposed = true;
      stopChecking();
      cancel?.();
    },
  };
}
