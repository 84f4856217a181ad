import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Slots } from '../../../src/runs/polling/lastRuns.ts';
import { delay, systemClock } from '../../../src/shared/clock.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { Emitter } from '../../../src/shared/event.ts';
import { lazy } from '../../../src/shared/lazy.ts';
import { FakeClock } from '../../support/fakeClock.ts';

describe('systemClock', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1000 }));
  afterEach(() => mock.timers.reset());

  it('waits longer than a platform timer can', () => {
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
});

describe('delay', () => {
  it('rejects on abort and leaves no timer', async () => {
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
});

describe('Emitter', () => {
  it('calls the other listeners if one throws', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const failure = new Error('no');
    let heard = 0;
    emitter.event(() => {
      throw failure;
    });
    emitter.event((value) => void (heard = value));
    emitter.fire(7);
    assert.equal(heard, 7);
    assert.deepEqual(errors, [failure]);
  });
});

describe('lazy', () => {
  for (const [how, fail] of [
    ['rejects', () => Promise.reject(new Error('no file'))],
    [
      'throws',
      () => {
        throw new Error('no file');
      },
    ],
  ] as const) {
    it(`starts again after a start that ${how}`, async () => {
      let fails = true;
      const value = lazy<string>(() => (fails ? fail() : 'there'));
      const results = await Promise.allSettled([value(), value()]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', 'rejected'],
      );
      assert.equal(value.begun, undefined);
      fails = false;
      assert.equal(await value(), 'there');
    });
  }
});

describe('Slots', () => {
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('limits concurrency and runs urgent work first', async () => {
    const slots = new Slots(2);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (name: string, isNext = false): Promise<string> =>
      slots.run(
        () => {
          begun.push(name);
          return new Promise((resolve) => ends.set(name, () => resolve(name)));
        },
        { isNext },
      );
    const all = [work('a'), work('b'), work('c'), work('d'), work('e', true)];
    await settle();
    assert.deepEqual(begun, ['a', 'b']);
    for (const name of ['b', 'a', 'e', 'c', 'd']) {
      ends.get(name)?.();
      await settle();
    }
    assert.deepEqual(begun, ['a', 'b', 'e', 'c', 'd']);
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd', 'e']);
  });

  it('frees the slot of work that failed, and only that one', async () => {
    const slots = new Slots(1);
    await assert.rejects(
      slots.run(() => Promise.reject(new Error('no'))),
      /no/,
    );
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await settle();
      running -= 1;
    };
    await Promise.all([slots.run(work), slots.run(work)]);
    assert.equal(most, 1);
  });
});
