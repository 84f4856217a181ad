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

  it('fires what is due at one time as it was asked for, also where the machine’s own clock stands in between', async () => {
    const clock = new TravelClock(0);
    const fired: string[] = [];
    const at = (name: string, delayInMs: number): (() => void) =>
      clock.schedule(delayInMs, () => void fired.push(name));
    at('b', 20);
    await clock.advance(10);
    at('c', 10);
    const cancel = at('d', 10);
    at('e', 10);
    at('a', 9);
    assert.deepEqual([await clock.advance(8), fired], [0, []]);
    cancel();
    assert.deepEqual([await clock.advance(2), fired], [4, ['a', 'b', 'c', 'e']]);
    mock.timers.tick(1000);
    assert.deepEqual([fired.length, clock.now()], [4, 1020], 'nothing fires again');
  });

  it('comes back when what was started at once is done, and what that asked for has its time', async () => {
    const clock = new TravelClock();
    const done: string[] = [];
    const later = async (name: string, rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
      done.push(name);
    };
    clock.schedule(5, () => {
      void later('timer', 2).then(() => clock.schedule(5, () => done.push('next')));
    });
    assert.equal(await clock.advance(9), 1);
    assert.deepEqual(done, ['timer']);
    void later('beside', 2);
    assert.equal(await clock.advance(0), 0);
    assert.deepEqual(done, ['timer', 'beside']);
    assert.equal(await clock.advance(1), 1);
    assert.deepEqual(done, ['timer', 'beside', 'next']);
  });

  it('is cancelled for good, before and after it was moved', async () => {
    const clock = new TravelClock();
    const fired: string[] = [];
    const cancels = ['one', 'two'].map((name) => clock.schedule(100, () => void fired.push(name)));
    cancels[0]?.();
    await clock.advance(50);
    cancels[1]?.();
    mock.timers.tick(1000);
    assert.deepEqual([fired, await clock.advance(1000)], [[], 0]);
  });
});
