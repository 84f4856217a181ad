import assert from 'node:assert/strict';
import { FakeClock } from '../../../support/fakeClock.ts';
import { createAlarm } from '../../../../src/service/engine/alarm.ts';

describe('an alarm for stored moments', () => {
  it('rings at the moment, and looks at the time of day at least each minute until then', async () => {
    const clock = new FakeClock();
    let due: number | undefined = clock.now() + 10 * 60_000;
    let rung = 0;
    const alarm = createAlarm(clock, () => due, () => {
      rung += 1;
      due = undefined;
    }, (error) => assert.fail(String(error)));
    alarm.check();
    // The machine may have slept: a timer of ten minutes would then ring late by as long.
    assert.equal(clock.nextDelayInMs, 60_000);
    await clock.advance(9 * 60_000);
    assert.equal(rung, 0);
    assert.equal(clock.nextDelayInMs, 60_000);
    await clock.advance(60_000);
    assert.deepEqual([rung, clock.pending], [1, 0]);
  });

  it('tries again a second after a failure', async () => {
    const clock = new FakeClock();
    let due: number | undefined = clock.now();
    const errors: unknown[] = [];
    const alarm = createAlarm(clock, () => due, () => {
      if (errors.length < 2) throw new Error('no');
      due = undefined;
    }, (error) => errors.push(error));
    alarm.check();
    await clock.advance(1500);
    assert.equal(errors.length, 2);
    await clock.advance(1000);
    assert.deepEqual([errors.length, clock.pending], [2, 0]);
    alarm.dispose();
  });
});
