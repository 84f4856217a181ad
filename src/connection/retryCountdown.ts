import type { RetryWait } from '../api/client/index.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { Emitter, type Event } from '../shared/event.ts';
import { l10n } from '../shared/l10n.ts';
import type { Disposable } from '../shared/lifecycle.ts';
import { formatDuration } from '../shared/text.ts';

/** All waits of a profile, shown as one line that is updated every second. */
export interface Countdown {
  readonly operations: readonly string[];
  /** The reason of the first wait. */
  readonly reason: string;
  readonly secondsLeft: number;
  /** Seconds until the calls give up. */
  readonly secondsToEnd: number;
}

/** Shorter waits are not shown. */
const minShownInMs = 2_500;

/** Combines the waits of many calls into one countdown; "Retry now" and "Stop" apply to all of them. */
export class RetryCountdown implements Disposable {
  readonly #clock: Clock;
  readonly #changed = new Emitter<Countdown | undefined>();
  readonly #waits = new Set<RetryWait>();
  #cancelTick: (() => void) | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Fires at the start, every second, and with `undefined` at the end. */
  readonly onDidChange: Event<Countdown | undefined> = this.#changed.event;

  add(wait: RetryWait): void {
    if (wait.waitUntil - this.#clock.now() < minShownInMs) return;
    this.#waits.add(wait);
    void wait.ended.then(() => {
      if (this.#waits.delete(wait)) this.#update();
    });
    this.#update();
  }

  retryNow(): void {
    for (const wait of [...this.#waits]) wait.retryNow();
  }

  stop(): void {
    for (const wait of [...this.#waits]) wait.stop();
  }

  get current(): Countdown | undefined {
    const waits = [...this.#waits].sort((left, right) => left.waitUntil - right.waitUntil);
    const [first] = waits;
    if (!first) return undefined;
    const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - this.#clock.now()) / 1000));
    return {
      operations: [...new Set(waits.map(({ operation }) => operation))],
      reason: first.reason.message,
      secondsLeft: secondsUntil(first.waitUntil),
      secondsToEnd: secondsUntil(first.giveUpAt),
    };
  }

  dispose(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.#waits.clear();
    this.#changed.dispose();
  }

  #update(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.#changed.fire(this.current);
    if (this.#waits.size > 0) this.#cancelTick = this.#clock.schedule(1000, () => this.#update());
  }
}

/** Returns a text such as "Next attempt of jobs/list in 23 s, at most 9 min 30 s more." */
export function countdownText(countdown: Countdown): string {
  const { operations, secondsLeft, secondsToEnd } = countdown;
  const [first = '', ...others] = operations;
  const what = others.length === 0 ? first : l10n.t('{0} and {1} more', first, others.length);
  return l10n.t('Retrying {0} in {1} s. Gives up in {2}.', what, secondsLeft, formatDuration(secondsToEnd * 1000));
}
