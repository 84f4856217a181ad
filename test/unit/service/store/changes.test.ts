import assert from 'node:assert/strict';
import { createChanges } from '../../../../src/service/store/changes.ts';
import { isDamage } from '../../../../src/service/store/damage.ts';
import { isDiskFull } from '../../../../src/service/store/folderInUse.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('what tells that the lists have changed', () => {
  const never = new AbortController().signal;

  it('is another stamp for the list that changed, and for each start', () => {
    const changes = createChanges();
    const before = changes.stamps;
    changes.add('runs');
    assert.equal(changes.stamps.jobs, before.jobs);
    assert.notEqual(changes.stamps.runs, before.runs);
    assert.notEqual(createChanges().stamps.jobs, before.jobs);
  });

  it('is told at once to who knows an older stamp, of either list', async () => {
    const clock = new FakeClock();
    const changes = createChanges();
    for (const list of ['jobs', 'runs'] as const) {
      const known = changes.stamps;
      changes.add(list);
      assert.deepEqual(await changes.wait(known, { clock, durationInMs: 1000, signal: never }), changes.stamps);
    }
    assert.equal(clock.pending, 0);
  });

  it('is told again and again, each time once', async () => {
    const clock = new FakeClock();
    const changes = createChanges();
    for (const list of ['jobs', 'runs', 'jobs'] as const) {
      const known = changes.stamps;
      const waiting = changes.wait(known, { clock, durationInMs: 1000, signal: never });
      changes.add(list);
      const told = await waiting;
      assert.deepEqual([told.jobs !== known.jobs, told.runs !== known.runs], [list === 'jobs', list === 'runs']);
    }
    assert.equal(clock.pending, 0);
  });

  it('is waited for until something changes, the time is up, or the caller leaves', async () => {
    const clock = new FakeClock();
    const changes = createChanges();
    const known = changes.stamps;
    const waiting = [0, 1].map(() => changes.wait(known, { clock, durationInMs: 1000, signal: never }));
    changes.add('jobs');
    changes.add('runs');
    for (const stamps of await Promise.all(waiting)) assert.deepEqual(stamps, changes.stamps);
    assert.equal(clock.pending, 0);
    let isOver = false;
    const slow = changes.wait(changes.stamps, { clock, durationInMs: 1000, signal: never }).then(() => (isOver = true));
    await clock.advance(999);
    assert.equal(isOver, false);
    await clock.advance(1);
    await slow;
    const leaving = new AbortController();
    const left = changes.wait(changes.stamps, { clock, durationInMs: 1000, signal: leaving.signal });
    leaving.abort();
    assert.deepEqual(await left, changes.stamps);
    assert.deepEqual(
      await changes.wait(changes.stamps, { clock, durationInMs: 1000, signal: leaving.signal }),
      changes.stamps,
    );
    assert.equal(clock.pending, 0);
  });
});

describe('failures of the disk', () => {
  it('are told apart: full, damaged, and others', () => {
    const withCode = (code: object): Error => Object.assign(new Error('x'), code);
    for (const full of [{ code: 'ENOSPC' }, { code: 'EDQUOT' }, { errcode: 13 }, { errcode: 13 + 256 }]) {
      assert.equal(isDiskFull(withCode(full)), true);
      assert.equal(isDiskFull(new Error('outer', { cause: withCode(full) })), true);
    }
    for (const other of [{ code: 'EIO' }, { errcode: 11 }, {}]) assert.equal(isDiskFull(withCode(other)), false);
    assert.equal(isDiskFull(undefined), false);
    assert.deepEqual(
      [11, 26, 11 + 256, 13, 1].map((errcode) => isDamage(withCode({ errcode }))),
      [true, true, true, false, false],
    );
    assert.equal(isDamage(withCode({ errcode: '11' })), false);
  });
});
