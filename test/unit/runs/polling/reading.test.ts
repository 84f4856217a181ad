import assert from 'node:assert/strict';
import type { ListStamps, LocalServiceClient, JobsClient, CallOptions } from '../../../../src/api/client/client.ts';
import type { Job, Run, ListRunsRequest } from '../../../../src/api/schema/jobs/schemas.ts';
import { ChangeFeed } from '../../../../src/runs/polling/changeFeed.ts';
import { LastRuns } from '../../../../src/runs/polling/lastRuns.ts';
import { passedOver, readActive, readRuns } from '../../../../src/runs/polling/readRuns.ts';
import { RunLoader } from '../../../../src/runs/polling/runLoader.ts';
import { SingleRuns } from '../../../../src/runs/polling/singleRuns.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { AppError, type ErrorKind } from '../../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const options: CallOptions = { signal: new AbortController().signal };
const run = (id: number, more: object = {}): Run => ({ run_id: String(id), ...more }) as Run;
const runs = (first: number, count: number): Run[] => Array.from({ length: count }, (_, at) => run(first + at));
/** Creates a service that returns the active runs page by page, and reports more pages as `hasMore` decides. */
function service(
  active: readonly Run[],
  newest: readonly Run[] = [],
  hasMore = (to: number): boolean => to < active.length,
) {
  const asked: ListRunsRequest[] = [];
  const client = {
    listRuns: (request: ListRunsRequest, given: CallOptions) => {
      assert.equal(given, options);
      asked.push(request);
      if (!request.active_only) return Promise.resolve({ runs: newest, has_more: true });
      const from = request.offset ?? 0;
      const to = from + (request.limit ?? 0);
      return Promise.resolve({ runs: active.slice(from, to), has_more: hasMore(to) });
    },
  };
  return { jobs: client as unknown as JobsClient, asked };
}
const ids = (all: readonly Run[]): string[] => all.map(({ run_id: id }) => id);

describe('ChangeFeed', () => {
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

  it('returns the stamps that caused a poll without requesting them again', async () => {
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

  it('confirms the data until the connection breaks, but not after a time-out', async () => {
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

  it('waits five seconds between two unchanged replies, including the time of the request', async () => {
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
      // No listener for paused runs is required.
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

describe('LastRuns', () => {
  let clock: FakeClock;
  let jobs: string[];
  let settled: Set<string>;
  let merged: string[];
  let asked: string[];
  let lastRuns: LastRuns;
  let signal: AbortSignal;
  let underWay: number;
  let maxUnderWay: number;
  /** The reply for a job, or the failure. */
  let answer: (jobId: string) => Run[] | AppError;

  beforeEach(() => {
    clock = new FakeClock();
    [jobs, merged, asked] = [['1', '2', '3'], [], []];
    settled = new Set();
    [underWay, maxUnderWay] = [0, 0];
    signal = new AbortController().signal;
    answer = (jobId) => [{ run_id: `r${jobId}`, job_id: jobId }];
    const store = {
      get unsettledJobIds() {
        return jobs.filter((id) => !settled.has(id));
      },
      jobsToAsk: () => jobs.filter((id) => !settled.has(id)).map((id): Job => ({ job_id: id })),
      job: (id: string) => (jobs.includes(id) ? { job_id: id } : undefined),
      isSettled: (id: string) => settled.has(id),
      settle: (ids: Iterable<string>) => [...ids].forEach((id) => settled.add(id)),
      mergeRuns: (runs: readonly Run[]) => merged.push(...runs.map(({ run_id }) => run_id)),
    };
    lastRuns = new LastRuns({ store: store as never, clock });
  });

  const service = {
    listRuns: async ({ job_id: id = '', limit }: { job_id?: string; limit?: number }, options: unknown) => {
      assert.deepEqual([limit === 20 ? 1 : limit, options], [1, { signal, retry: 'fail' }]);
      asked.push(limit === 1 ? id : `${limit} of ${id}`);
      maxUnderWay = Math.max(maxUnderWay, (underWay += 1));
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      const found = answer(id);
      if (found instanceof AppError) throw found;
      return { runs: found.slice(0, limit), has_more: false };
    },
  } as unknown as JobsClient;
  const fill = (): Promise<void> => lastRuns.fill({ jobs: service }, signal);

  it('requests the run behind a skipped one, once', async () => {
    jobs = ['1', '2', '3'];
    const skipped = { life_cycle_state: 'SKIPPED' };
    answer = (id) => [
      { run_id: `new${id}`, job_id: id, ...(id === '2' ? {} : { state: skipped }) },
      { run_id: `old${id}`, job_id: id, ...(id === '3' ? { state: skipped } : {}) },
    ];
    await fill();
    assert.deepEqual(asked.toSorted(), ['1', '2', '20 of 1', '20 of 3', '3']);
    assert.deepEqual(merged.toSorted(), ['new1', 'new2', 'new3', 'old1', 'old3']);
    assert.deepEqual([[...settled].toSorted(), maxUnderWay], [['1', '2', '3'], 2]);
    await fill();
    assert.equal(asked.length, 5);
  });

  it('shares a request in progress and starts again for another profile', async () => {
    const [first, second] = [fill(), fill()];
    assert.equal(first, second);
    lastRuns.want('3');
    lastRuns.clear();
    const third = fill();
    assert.notEqual(third, first);
    await Promise.all([first, third]);
    assert.deepEqual(asked.slice(0, 3).sort(), ['1', '2', '1'].sort());
  });

  it('retries a job ten minutes after a refused or wrong reply', async () => {
    answer = (id) => (id === '1' ? new AppError('forbidden', 'no') : id === '2' ? [{ run_id: 'x', job_id: '9' }] : []);
    await fill();
    assert.deepEqual([...settled], ['3']);
    lastRuns.want('1');
    await clock.advance(599_999);
    await fill();
    assert.equal(asked.length, 3);
    await clock.advance(1);
    lastRuns.want('2');
    await fill();
    assert.deepEqual(asked.slice(3), ['2', '1']);
    lastRuns.clear();
    await fill();
    assert.equal(asked.length, 7, 'another profile begins anew');
  });

  it('reads all last runs of the local service page by page', async () => {
    const pages: unknown[] = [];
    const localService = {
      lastRuns: async (after: string | undefined, options: unknown) => {
        pages.push(after);
        assert.deepEqual(options, { signal, retry: 'fail' });
        return after === undefined ? { runs: [{ run_id: 'a' }], nextAfterJobId: '2' } : { runs: [{ run_id: 'b' }] };
      },
    } as unknown as LocalServiceClient;
    await lastRuns.fill({ jobs: service, localService }, signal);
    assert.deepEqual([pages, merged, [...settled], asked], [[undefined, '2'], ['a', 'b'], ['1', '2', '3'], []]);
    await lastRuns.fill({ jobs: service, localService }, signal);
    assert.equal(pages.length, 2, 'nothing is left to ask');
  });
});

describe('readActive', () => {
  it('requests page after page until there are no more', async () => {
    const { jobs, asked } = service(runs(1, 150));
    assert.deepEqual(ids(await readActive(jobs, options)), ids(runs(1, 150)));
    assert.deepEqual(asked, [
      { active_only: true, limit: 100 },
      { active_only: true, limit: 100, offset: 100 },
    ]);
  });

  it('stops at an empty page even if the service promises more', async () => {
    const { jobs, asked } = service(runs(1, 3), [], () => true);
    assert.deepEqual(ids(await readActive(jobs, options)), ['1', '2', '3']);
    assert.deepEqual(
      asked.map(({ offset }) => offset),
      [undefined, 3],
    );
  });

  it('reads at most ten pages', async () => {
    const { jobs, asked } = service(runs(1, 1200));
    assert.equal((await readActive(jobs, options)).length, 1000);
    assert.equal(asked.length, 10);
  });
});

describe('readRuns', () => {
  it('merges the newest page with the active runs', async () => {
    const newest = [run(9), run(8, { run_name: 'newest' }), run(7)];
    const { jobs, asked } = service([run(8, { run_name: 'active' }), run(2)], newest);
    const read = await readRuns(jobs, 25, options);
    assert.deepEqual(asked, [{ limit: 25 }, { active_only: true, limit: 100 }]);
    assert.deepEqual(read, {
      newest: { runs: newest, has_more: true },
      all: [run(9), run(8, { run_name: 'active' }), run(7), run(2)],
    });
  });
});

describe('passedOver', () => {
  it('finds the runs that disappeared above a remaining one', () => {
    const rows: [before: string, now: string, passed: string][] = [
      ['', '', ''],
      ['3 2 1', '3 2 1', ''],
      ['3 2 1', '4 3 2', ''],
      ['3 2 1', '3 1', '2'],
      ['3 2 1', '1', '3 2'],
      ['3 2 1', '2 1', '3'],
      ['3 2 1', '', ''],
      ['3 2 1', '6 5 4', ''],
      ['4 3 2 1', '5 3 1', '4 2'],
    ];
    const list = (text: string): string[] => (text === '' ? [] : text.split(' '));
    for (const [before, now, passed] of rows)
      assert.deepEqual(passedOver(list(before), list(now)), list(passed), `${before} → ${now}`);
  });
});

describe('RunLoader', () => {
  interface Asked {
    question: object;
    options: { signal: AbortSignal; retry?: string };
  }
  const run = (runId: number, jobId = '1'): Run =>
    ({ run_id: `${runId}`, job_id: jobId, number_in_job: `${runId}`, run_type: 'JOB_RUN', start_time: runId }) as Run;
  const runsFrom = (first: number, count: number, jobId?: string): Run[] =>
    Array.from({ length: count }, (_, index) => run(first - index, jobId));

  let store: RunStore;
  let loader: RunLoader;
  let asked: Asked[];
  let askedOfPoller: number;
  let answer: { runs: Run[]; has_more: boolean };
  /** A delay before the service replies. */
  let answers: (() => Promise<void>) | undefined;
  let isUsed: boolean;

  beforeEach(() => {
    [asked, askedOfPoller, answers, isUsed] = [[], 0, undefined, true];
    answer = { runs: runsFrom(100, 20), has_more: true };
    store = new RunStore();
    store.setJobs([{ job_id: '1', settings: { name: 'etl' } }], 1);
    const jobs = {
      async listRuns(question: object, options: Asked['options']) {
        asked.push({ question, options });
        await answers?.();
        return answer;
      },
    };
    loader = new RunLoader({
      connections: {
        connectIfUsed: async () => (isUsed ? ({ client: { jobs } } as never) : undefined),
      },
      store,
      poller: {
        ask(question) {
          askedOfPoller += 1;
          return question();
        },
      },
    });
  });
  afterEach(() => {
    loader.dispose();
    store.dispose();
  });
  const questions = (): object[] => asked.map(({ question }) => question);

  it('requests the newest runs of a job, or the one-time runs, without retries', async () => {
    await loader.load('1');
    assert.deepEqual([store.runsOf('1')?.runs.length, store.runsOf('1')?.hasMore], [20, true]);
    assert.equal(store.oneTimeRuns?.runs.length ?? 0, 0);
    answer = { runs: [{ ...run(7), run_type: 'SUBMIT_RUN' } as Run], has_more: false };
    await loader.load(undefined);
    assert.deepEqual([store.oneTimeRuns?.runs.length, store.oneTimeRuns?.hasMore], [1, false]);
    assert.deepEqual(questions(), [
      { job_id: '1', limit: 20 },
      { run_type: 'SUBMIT_RUN', limit: 20 },
    ]);
    assert.deepEqual(
      asked.map(({ options }) => options.retry),
      ['fail', 'fail'],
    );
    assert.equal(askedOfPoller, 2, 'within the requests that the polls allow');
  });

  it('continues after the loaded runs in the list of all runs', async () => {
    answer = { runs: runsFrom(500, 100), has_more: true };
    await loader.loadAll({ older: false });
    answer = { runs: runsFrom(400, 50), has_more: false };
    await loader.loadAll({ older: true });
    assert.deepEqual(questions(), [{ limit: 100 }, { limit: 100, offset: 100 }]);
    assert.deepEqual([store.allRuns?.runs.length, store.allRuns?.hasMore], [150, false]);
    await loader.loadAll({ older: false });
    assert.deepEqual(questions().at(-1), { limit: 100 });
    assert.equal(asked.at(-1)?.options.retry, 'fail');
    await loader.loadAll({ older: true });
    assert.ok(asked.every(({ options }) => !options.signal.aborted));
  });

  it('keeps nothing of the previous profile', async () => {
    for (const load of [() => loader.load('1'), () => loader.loadAll({ older: false })]) {
      answers = async () => loader.changeProfile();
      await assert.rejects(load(), { name: 'AbortError' });
      assert.equal(asked.at(-1)?.options.signal.aborted, true);
    }
    assert.equal(store.runsOf('1'), undefined);
    assert.equal(store.allRuns, undefined);
    answers = undefined;
    await loader.load('1');
    assert.equal(store.runsOf('1')?.runs.length, 20);
  });
});

describe('SingleRuns', () => {
  const run = { run_id: '7' } as Run;
  let removed: string[];
  let expectedRunIds: Set<string>;
  let answer: Run | ErrorKind;
  let options: { signal?: AbortSignal; retry?: unknown } | undefined;
  let single: SingleRuns;
  const { signal } = new AbortController();
  const jobs = {
    getRun: async (_id: string, given: typeof options) => {
      options = given;
      if (typeof answer === 'string') throw new AppError(answer, 'no');
      return answer;
    },
  } as unknown as JobsClient;
  const ask = async (next: Run | ErrorKind, id = '7', by = signal): Promise<Run | undefined> => {
    answer = next;
    return single.read(jobs, id, by);
  };

  beforeEach(() => {
    [removed, expectedRunIds] = [[], new Set()];
    single = new SingleRuns({ expectedRunIds, removeRun: (id: string) => removed.push(id) } as unknown as RunStore);
  });

  it('gives up a run after two refusals in a row', async () => {
    for (const kind of ['rejected', 'forbidden', 'protocol'] as const) {
      await ask(kind);
      await ask(kind, '8');
      assert.deepEqual(removed, [], kind);
      await ask(run);
      await ask(run, '8');
      await ask(kind);
      assert.deepEqual(removed, [], `${kind}: it was answered between`);
      single.clear();
      await ask(kind);
      assert.deepEqual(removed, [], `${kind}: of another profile`);
      await ask(kind);
      assert.deepEqual(removed.splice(0), ['7'], kind);
      await ask(kind);
      assert.deepEqual(removed, [], `${kind}: counted anew`);
      await ask(run);
    }
  });

  it('keeps a run after the service fails or the request is canceled', async () => {
    for (const kind of ['network', 'unauthenticated', 'unavailable', 'rateLimited'] as ErrorKind[])
      for (let count = 0; count < 3; count += 1) await assert.rejects(ask(kind), { kind });
    await ask('notFound', '7', AbortSignal.abort());
    assert.deepEqual(removed, []);
  });
});
