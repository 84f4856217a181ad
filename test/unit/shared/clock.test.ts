import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { delay, systemClock } from '../../../src/shared/clock.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { FakeClock } from '../../support/fakeClock.ts';

/** An abort signal that knows how many listen to it. */
function counted(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    count += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    count -= 1;
    remove(...args);
  };
  return { controller, listeners: () => count };
}

describe('systemClock', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1000 }));
  afterEach(() => mock.timers.reset());

  it('calls back once, when the time has come and not before', () => {
    let calls = 0;
    systemClock.schedule(50, () => void calls++);
    mock.timers.tick(49);
    assert.equal(calls, 0);
    mock.timers.tick(1);
    mock.timers.tick(1000);
    assert.equal(calls, 1);
    assert.equal(systemClock.now(), 2050);
  });

  it('does not call back after it was cancelled', () => {
    const cancel = systemClock.schedule(50, () => assert.fail('it was cancelled'));
    cancel();
    mock.timers.tick(100);
  });

  it('waits longer than a timer of the platform can, and can be cancelled in between', () => {
    const longest = 2 ** 31 - 1;
    let calls = 0;
    systemClock.schedule(longest + 5, () => void calls++);
    const cancel = systemClock.schedule(longest + 5, () => assert.fail('it was cancelled'));
    mock.timers.tick(longest);
    assert.equal(calls, 0);
    cancel();
    mock.timers.tick(4);
    assert.equal(calls, 0);
    mock.timers.tick(1);
    assert.equal(calls, 1);
  });

  it('takes a time that is over as now', () => {
    let calls = 0;
    systemClock.schedule(-5, () => void calls++);
    mock.timers.tick(1);
    assert.equal(calls, 1);
  });
});

describe('delay', () => {
  it('ends when the time has passed, and leaves no timer and no listener', async () => {
    const clock = new FakeClock();
    const { controller, listeners } = counted();
    let ended = false;
    const waiting = delay(100, { clock, signal: controller.signal }).then(() => void (ended = true));
    await clock.advance(99);
    assert.deepEqual([ended, listeners()], [false, 1]);
    await clock.advance(1);
    await waiting;
    assert.deepEqual([ended, listeners(), clock.pending], [true, 0, 0]);
  });

  it('is stopped by the signal with its reason, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const waiting = delay(100, { clock, signal: controller.signal });
    controller.abort('why');
    await assert.rejects(
      waiting,
      (error) => error instanceof AppError && error.kind === 'aborted' && error.cause === 'why',
    );
    assert.equal(clock.pending, 0);
  });

  it('does not begin where the signal has been aborted', async () => {
    const clock = new FakeClock();
    await assert.rejects(
      delay(100, { clock, signal: AbortSignal.abort('why') }),
      (error) => error instanceof AppError && error.kind === 'aborted' && error.cause === 'why',
    );
    assert.equal(clock.pending, 0);
  });
});
