import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { createAlarm } from '../../../../src/service/base/alarm.ts';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { createUsageWatch, type UsageWatch } from '../../../../src/service/base/usageWatch.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('Alarm', () => {
  const mustNotFail = (error: unknown): void => assert.fail(String(error));

  it('rings at its time and looks at the clock at least once a minute', async () => {
    const clock = new FakeClock();
    let due: number | undefined = clock.now() + 10 * 60_000;
    let rung = 0;
    const ring = (): void => {
      rung += 1;
      due = undefined;
    };
    const alarm = createAlarm(clock, () => due, ring, mustNotFail);
    alarm.check();
    // The machine may have slept: a timer of ten minutes would then ring late by as long.
    assert.equal(clock.nextDelayInMs, 60_000);
    await clock.advance(9 * 60_000);
    assert.equal(rung, 0);
    assert.equal(clock.nextDelayInMs, 60_000);
    await clock.advance(60_000);
    assert.deepEqual([rung, clock.pending], [1, 0]);
  });

  it('looks at the clock soon after it was set', () => {
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
    try {
      let looks = 0;
      const look = (): undefined => void (looks += 1);
      const alarm = createAlarm(new FakeClock(), look, () => undefined, mustNotFail);
      mock.timers.setTime(Date.now() + 3_600_000);
      mock.timers.tick(5000);
      assert.equal(looks, 1);
      alarm.dispose();
    } finally {
      mock.timers.reset();
    }
  });
});

describe('Idle exit', () => {
  const clock = new TravelClock();
  let living: Set<number>;
  let isBusy: boolean;
  let left: number;
  let usage: UsageWatch | undefined;

  function create(idleInMs: number | undefined): UsageWatch {
    living = new Set([1, 2]);
    isBusy = false;
    left = 0;
    usage = createUsageWatch({
      clock,
      idleInMs,
      isBusy: () => isBusy,
      onIdle: () => (left += 1),
      isAlive: (pid) => living.has(pid),
    });
    return usage;
  }
  afterEach(() => usage?.dispose());

  it('happens soon after the last window has left or died', async () => {
    const created = create(3_600_000);
    created.attach(1);
    created.attach(2);
    assert.equal(created.windowCount, 2);
    created.leave(1);
    await clock.advance(60_000);
    assert.equal(left, 0);
    living.delete(2);
    assert.equal(created.windowCount, 0);
    await clock.advance(10_000);
    assert.equal(left, 1);
  });
});
