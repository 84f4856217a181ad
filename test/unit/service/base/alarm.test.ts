import assert from 'node:assert/strict';
import { createAlarm } from '../../../../src/service/base/alarm.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const mustNotFail = (error: unknown): void => assert.fail(String(error));

describe('an alarm for stored moments', () => {
  it('rings at the moment, and looks at the time of day at least each minute until then', async () => {
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

  it('tries again a second after a failure', async () => {
    const clock = new FakeClock();
    let due: number | undefined = clock.now();
    const errors: unknown[] = [];
    const alarm = createAlarm(
      clock,
      () => due,
      () => {
        if (errors.length < 2) throw new Error('no');
        due = undefined;
      },
      (error) => errors.push(error),
    );
    alarm.check();
    await clock.advance(999);
    assert.equal(errors.length, 1);
    await clock.advance(1);
    assert.equal(errors.length, 2);
    await clock.advance(1000);
    assert.deepEqual([errors.length, clock.pending], [2, 0]);
    alarm.dispose();
  });

  it('looks again a second after it could not look', async () => {
    const clock = new FakeClock();
    const errors: unknown[] = [];
    let rung = 0;
    const alarm = createAlarm(
      clock,
      () => {
        if (errors.length === 0) throw new Error('the disk is gone');
        return rung === 0 ? clock.now() : undefined;
      },
      () => void (rung += 1),
      (error) => errors.push(error),
    );
    alarm.check();
    assert.deepEqual([errors.length, clock.nextDelayInMs], [1, 1000]);
    await clock.advance(1000);
    assert.deepEqual([rung, clock.pending], [1, 0]);
  });

  it('rings once at a time, at once for what is overdue, and anew where the moment was moved', async () => {
    const clock = new FakeClock();
    let due: number | undefined = clock.now() - 5000;
    let release = (): void => undefined;
    let rung = 0;
    const ring = (): Promise<void> => {
      rung += 1;
      due = undefined;
      return new Promise<void>((resolve) => (release = resolve));
    };
    const alarm = createAlarm(clock, () => due, ring, mustNotFail);
    alarm.check();
    assert.equal(clock.nextDelayInMs, 0);
    await clock.advance(0);
    due = clock.now() + 10;
    alarm.check();
    await clock.advance(1000);
    assert.deepEqual([rung, clock.pending], [1, 0]);
    release();
    await clock.advance(0);
    assert.equal(rung, 2);
    release();
    due = clock.now() + 500;
    await clock.advance(0);
    due = clock.now() + 100;
    alarm.check();
    assert.deepEqual([clock.pending, clock.nextDelayInMs], [1, 100]);
    due = undefined;
    alarm.check();
    assert.equal(clock.pending, 0);
  });

  it('does not ring once more after the end, though it was ringing then', async () => {
    for (const fails of [false, true]) {
      const clock = new FakeClock();
      const ringing = Promise.withResolvers<undefined>();
      let rung = 0;
      const alarm = createAlarm(
        clock,
        () => clock.now(),
        () => {
          rung += 1;
          return ringing.promise;
        },
        () => undefined,
      );
      alarm.check();
      await clock.advance(0);
      alarm.dispose();
      if (fails) ringing.reject(new Error('no'));
      else ringing.resolve(undefined);
      await clock.advance(5000);
      assert.deepEqual([rung, clock.pending], [1, 0]);
    }
  });

  it('is silent once it is disposed', async () => {
    const clock = new FakeClock();
    let rung = 0;
    const alarm = createAlarm(
      clock,
      () => clock.now() + 10,
      () => void (rung += 1),
      mustNotFail,
    );
    alarm.check();
    alarm.dispose();
    alarm.check();
    await clock.advance(1000);
    assert.deepEqual([rung, clock.pending], [0, 0]);
  });
});
