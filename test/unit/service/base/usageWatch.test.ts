import assert from 'node:assert/strict';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';
import { createUsageWatch, type UsageWatch } from '../../../../src/service/base/usageWatch.ts';

describe('leaving when nobody needs the service', () => {
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

  it('happens after so long without a request', async () => {
    const created = create(60_000);
    await clock.advance(50_000);
    created.seen();
    await clock.advance(55_000);
    assert.equal(left, 0);
    await clock.advance(10_000);
    assert.equal(left, 1);
  });

  it('waits for runs, retries and schedules', async () => {
    create(10_000);
    isBusy = true;
    await clock.advance(3_600_000);
    assert.equal(left, 0);
    isBusy = false;
    await clock.advance(10_000);
    assert.equal(left, 1);
  });

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

  it('happens at once when the data folder was removed', async () => {
    create(3_600_000);
    usage?.dispose();
    usage = createUsageWatch({
      clock,
      idleInMs: 3_600_000,
      isBusy: () => true,
      isGone: () => true,
      onIdle: () => (left += 1),
    });
    await clock.advance(6000);
    assert.equal(left, 1);
  });

  it('never happens where it was not asked for', async () => {
    create(undefined);
    await clock.advance(365 * 86_400_000);
    assert.equal(left, 0);
  });
});
