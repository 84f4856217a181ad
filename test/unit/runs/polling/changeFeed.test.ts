import assert from 'node:assert/strict';
import type { ListStamps, LocalServiceClient } from '../../../../src/api/client/client.ts';
import { ChangeFeed } from '../../../../src/runs/polling/changeFeed.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

describe('what the local service tells of changes', () => {
  let asked: (ListStamps | undefined)[];
  let answers: (ListStamps | AppError)[];
  let held: (readonly string[])[];
  let clock: FakeClock;
  let store: RunStore;
  let feed: ChangeFeed;
  const { signal } = new AbortController();
  const stamps = (jobs: string, runs: string, more: Partial<ListStamps> = {}): ListStamps =>
    ({ jobs, runs, ...more }) as ListStamps;

  beforeEach(() => {
    [asked, answers, held] = [[], [], []];
    clock = new FakeClock();
    store = new RunStore();
    const localService = {
      changes: async (known: ListStamps | undefined, options: { signal: AbortSignal; retry: string }) => {
        assert.deepEqual([options.signal, options.retry], [signal, 'fail']);
        asked.push(known);
        const answer = answers.shift() ?? assert.fail('asked once more');
        if (answer instanceof AppError) throw answer;
        return answer;
      },
    } as unknown as LocalServiceClient;
    feed = new ChangeFeed({ localService, store, clock, onHeld: (runIds) => held.push(runIds) });
  });

  it('is not asked for again by the look that it has brought about', async () => {
    answers = [stamps('1', '1'), stamps('1', '2', { held: ['7'] })];
    assert.deepEqual(await feed.read(signal), stamps('1', '1'));
    await feed.next(signal);
    assert.deepEqual(await feed.read(signal), stamps('1', '2', { held: ['7'] }));
    assert.deepEqual(
      [asked, held],
      [
        [undefined, stamps('1', '1')],
        [[], ['7']],
      ],
    );
    answers = [stamps('1', '2')];
    await feed.read(signal);
    assert.deepEqual([asked.length, held.at(-1), feed.stamps], [3, [], stamps('1', '2')]);
  });

  it('holds until the connection breaks, and not where nothing came for too long', async () => {
    for (const [kind, seenMs] of [
      ['network', 20_000],
      ['timeout', 0],
    ] as const) {
      const wait = Promise.withResolvers<ListStamps>();
      clock = new FakeClock();
      const startMs = clock.now();
      store = new RunStore();
      store.confirm(startMs);
      const localService = { changes: () => wait.promise } as unknown as LocalServiceClient;
      const next = new ChangeFeed({ localService, store, clock }).next(signal);
      await clock.advance(20_000);
      wait.reject(new AppError(kind, 'gone'));
      await next;
      store.markStale(new AppError('network', 'gone'));
      const { freshness } = store;
      assert.deepEqual(
        [freshness.kind, freshness.kind === 'stale' && freshness.updatedMs],
        ['stale', startMs + seenMs],
      );
    }
  });

  it('rests five seconds between two waits that brought nothing, of which the time of the wait itself is a part', async () => {
    for (const [tookMs, restMs] of [
      [0, 5000],
      [1200, 3800],
      [5000, 0],
      [50_000, 0],
    ] as const) {
      const waits: PromiseWithResolvers<ListStamps>[] = [];
      const localService = {
        changes: () => {
          const wait = Promise.withResolvers<ListStamps>();
          waits.push(wait);
          return wait.promise;
        },
      } as unknown as LocalServiceClient;
      // Nobody has to listen for what a debugger holds.
      const waiting = new ChangeFeed({ localService, store, clock });
      const read = waiting.read(signal);
      waits[0]?.resolve(stamps('1', '1', { held: ['7'] }));
      await read;
      const leaving = new AbortController();
      const next = waiting.next(leaving.signal);
      await clock.advance(tookMs);
      waits[1]?.resolve(stamps('1', '1'));
      await settle();
      assert.deepEqual([clock.nextDelayInMs, waits.length], [restMs, 2]);
      if (tookMs === 0) {
        leaving.abort();
        await assert.rejects(next, { kind: 'aborted' });
        assert.equal(clock.pending, 0);
        continue;
      }
      await clock.advance(restMs);
      assert.equal(waits.length, 3);
      waits[2]?.resolve(stamps('1', '2'));
      await next;
    }
  });
});
