import assert from 'node:assert/strict';
import type { RetryWait } from '../../../src/api/client/index.ts';
import { countdownText, RetryCountdown } from '../../../src/connection/retryCountdown.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { AppError } from '../../../src/shared/errors.ts';

class TestClock implements Clock {
  time = 0;
  #timers: { at: number; callback: () => void }[] = [];
  now(): number {
    return this.time;
  }
  schedule(delayInMs: number, callback: () => void): () => void {
    const timer = { at: this.time + delayInMs, callback };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((entry) => entry !== timer));
  }
  get pending(): number {
    return this.#timers.length;
  }
  advance(byInMs: number): void {
    const end = this.time + byInMs;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((left, right) => left.at - right.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((entry) => entry !== next);
      this.time = next.at;
      next.callback();
    }
    this.time = end;
  }
}

describe('countdown of retries', () => {
  let clock: TestClock;
  let countdown: RetryCountdown;
  let seen: (number | undefined)[];
  let log: string[];

  beforeEach(() => {
    clock = new TestClock();
    countdown = new RetryCountdown(clock);
    seen = [];
    log = [];
    countdown.onDidChange((value) => seen.push(value?.secondsLeft));
  });

  function wait(operation: string, waitUntil: number): RetryWait {
    const { promise, resolve } = Promise.withResolvers<void>();
    return {
      operation,
      attempt: 1,
      waitUntil,
      giveUpAt: 600_000,
      reason: new AppError('server', `${operation}: the server is not available.`),
      retryNow: () => (log.push(`now ${operation}`), resolve()),
      stop: () => (log.push(`stop ${operation}`), resolve()),
      ended: promise,
    };
  }

  it('counts the seconds down', () => {
    countdown.add(wait('jobs/list', 4_000));
    clock.advance(3_000);
    assert.deepEqual(seen, [4, 3, 2, 1]);
    countdown.dispose();
  });

  it('says nothing of a moment', () => {
    countdown.add(wait('jobs/list', 1_000));
    assert.equal(countdown.current, undefined);
    assert.equal(clock.pending, 0);
  });

  it('brings many waits down to the next one and ends all of them together', async () => {
    for (const [operation, until] of [
      ['jobs/get', 40_000],
      ['jobs/list', 30_000],
      ['jobs/list', 50_000],
    ] as const)
      countdown.add(wait(operation, until));
    assert.deepEqual(countdown.current, {
      operations: ['jobs/list', 'jobs/get'],
      reason: 'jobs/list: the server is not available.',
      secondsLeft: 30,
      secondsToEnd: 600,
    });
    assert.equal(
      countdownText(countdown.current!),
      'Next attempt of jobs/list and 1 more in 30 s; given up in 10 min 0 s.',
    );
    countdown.retryNow();
    await Promise.resolve();
    await Promise.resolve();
    assert.deepEqual(log.toSorted(), ['now jobs/get', 'now jobs/list', 'now jobs/list']);
    assert.equal(countdown.current, undefined);
    assert.equal(seen.at(-1), undefined);
    assert.equal(clock.pending, 0);
  });

  it('stops', async () => {
    countdown.add(wait('jobs/list', 30_000));
    countdown.stop();
    await Promise.resolve();
    await Promise.resolve();
    assert.deepEqual(log, ['stop jobs/list']);
    assert.equal(clock.pending, 0);
  });

  it('counts from two and a half seconds on, never below zero, and says nothing more once all is over', async () => {
    countdown.add(wait('jobs/list', 2_499));
    assert.deepEqual(seen, []);
    const [short, long] = [wait('jobs/get', 2_500), { ...wait('jobs/list', 30_000), giveUpAt: 29_500 }];
    countdown.add(short);
    countdown.add(long);
    assert.equal(
      countdownText({ ...countdown.current!, operations: ['jobs/get'] }),
      'Next attempt of jobs/get in 3 s; given up in 10 min 0 s.',
    );
    clock.advance(3_000);
    assert.deepEqual(seen, [3, 3, 2, 1, 0]);
    short.retryNow();
    await short.ended;
    await Promise.resolve();
    assert.deepEqual(countdown.current, {
      operations: ['jobs/list'],
      reason: 'jobs/list: the server is not available.',
      secondsLeft: 27,
      secondsToEnd: 27,
    });
    assert.deepEqual([seen.at(-1), clock.pending], [27, 1], 'the other one is counted on, by one timer');
    long.stop();
    await long.ended;
    await Promise.resolve();
    assert.deepEqual([seen.at(-1), clock.pending], [undefined, 0]);
  });

  it('ends with the window: no timer is left, and a wait that ends later is told to nobody', async () => {
    const late = wait('jobs/list', 30_000);
    countdown.add(late);
    const said = seen.length;
    countdown.dispose();
    assert.deepEqual([clock.pending, countdown.current], [0, undefined]);
    clock.advance(60_000);
    late.retryNow();
    await late.ended;
    await Promise.resolve();
    assert.deepEqual([seen.length, clock.pending], [said, 0]);
  });

  it('looks how long a wait is from now on, and not from the beginning of time', () => {
    clock.time = 60_000;
    countdown.add(wait('jobs/list', 62_499));
    assert.deepEqual([seen, countdown.current], [[], undefined]);
    countdown.add(wait('jobs/list', 62_500));
    assert.deepEqual([seen, countdown.current?.secondsLeft, countdown.current?.secondsToEnd], [[3], 3, 540]);
    countdown.dispose();
  });
});
