import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { TravelClock } from '../../../../src/service/base/travelClock.ts';

describe('a clock that a test moves', () => {
  beforeEach(() => mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1000 }));
  afterEach(() => mock.timers.reset());

  it('fires what is due on the way in its order, each at its own time', async () => {
    const clock = new TravelClock(5000);
    const fired: [string, number][] = [];
    const at = (name: string, delayInMs: number): (() => void) =>
      clock.schedule(delayInMs, () => void fired.push([name, clock.now()]));
    at('late', 30);
    at('first', 10);
    at('second', 10);
    at('third', 10);
    const cancel = at('cancelled', 5);
    at('now', 0);
    at('past', -5);
    at('beyond', 31);
    cancel();
    clock.schedule(10, () => void at('started by one', 10));
    assert.equal(await clock.advance(30), 8);
    assert.deepEqual(fired, [
      ['now', 5000],
      ['past', 5000],
      ['first', 5010],
      ['second', 5010],
      ['third', 5010],
      ['started by one', 5020],
      ['late', 5030],
    ]);
    assert.equal(clock.now(), 5030);
    assert.equal(await clock.advance(1), 1);
  });

  it('goes on by itself, from where it was moved to', async () => {
    const clock = new TravelClock();
    let fired = 0;
    clock.schedule(100, () => (fired += 1));
    await clock.advance(60);
    mock.timers.tick(39);
    assert.deepEqual([fired, clock.now()], [0, 1099]);
    mock.timers.tick(1);
    assert.deepEqual([fired, await clock.advance(1000)], [1, 0]);
  });
});
