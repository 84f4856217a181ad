import assert from 'node:assert/strict';
import { IdleWatch } from '../../../../src/shared/http/idleWatch.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

describe('IdleWatch', () => {
  let clock: FakeClock;
  let told: number[];
  let watch: IdleWatch;

  beforeEach(() => {
    clock = new FakeClock();
    const start = clock.now();
    told = [];
    watch = new IdleWatch(clock, () => told.push(clock.now() - start));
  });

  it('tells once that nothing came, counted from the last wait', async () => {
    watch.wait(1000);
    await clock.advance(900);
    watch.wait(1000);
    await clock.advance(999);
    assert.deepEqual(told, []);
    await clock.advance(1);
    assert.deepEqual(told, [1900]);
    await clock.advance(10_000);
    assert.deepEqual(told, [1900]);
  });

  it('waits for nobody who is busy with what has come, and waits again afterwards', async () => {
    watch.wait(1000);
    await clock.advance(10);
    watch.rest();
    await clock.advance(50_000);
    assert.deepEqual(told, []);
    watch.wait(1000);
    await clock.advance(1000);
    assert.deepEqual(told, [51_010]);
  });

  it('takes the limit of the last wait', async () => {
    watch.wait(1000);
    watch.wait(5000);
    await clock.advance(4999);
    assert.deepEqual(told, []);
    await clock.advance(1);
    assert.deepEqual(told, [5000]);
    watch.wait(5000);
    watch.wait(1000);
    await clock.advance(1000);
    assert.deepEqual(told, [5000, 6000]);
    await clock.advance(10_000);
    assert.deepEqual(told, [5000, 6000]);
  });

  it('leaves no timer when it is stopped', async () => {
    watch.wait(1000);
    watch.stop();
    assert.equal(clock.pending, 0);
    await clock.advance(5000);
    assert.deepEqual(told, []);
  });
});
