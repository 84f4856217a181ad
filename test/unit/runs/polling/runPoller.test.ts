import assert from 'node:assert/strict';
import type { CallOptions, JobsClient, ListStamps, LocalServiceClient } from '../../../../src/api/client/client.ts';
import type { Job, ListRunsRequest, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { PollIntervals } from '../../../../src/runs/polling/pollIntervals.ts';
import { RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const none = (): Promise<never> => Promise.reject(new Error('the poller reads no models'));
const noModels = { checkModel: none, addModel: none, modelServer: none };

const intervals: PollIntervals = {
  activeInMs: 1000,
  idleInMs: 30_000,
  jobListInMs: 60_000,
  maxBackOffInMs: 60_000,
};
/** An in-memory service that records its requests. */
class FakeService {
  jobs: Job[] = [];
  runs: Run[] = [];
  requests: string[] = [];
  failure: AppError | undefined;
  newestPage = 25;
  hasMore = false;
  /** Warnings about unreadable entries. */
  skipped: { jobs?: string; runs?: string } = {};
  /** The error that getRun throws for unreadable runs. */
  refusal: AppError | undefined;
  /** Delays the replies. */
  gate: Promise<void> | undefined;

  readonly client = {
    list: async (options?: CallOptions) => {
      const jobs = [...this.jobs];
      if (this.skipped.jobs !== undefined) options?.onSkipped?.(this.skipped.jobs);
      await this.gate;
      return this.#answer('list', jobs);
    },
    listRuns: async (request: ListRunsRequest = {}, options?: CallOptions) => {
      await this.gate;
      if (this.skipped.runs !== undefined) options?.onSkipped?.(this.skipped.runs);
      if (request.job_id !== undefined) return this.#ofJob(request.job_id, request.limit ?? 20);
      if (!request.active_only)
        return this.#answer('newest', {
          runs: this.runs.slice(0, this.newestPage).map((run) => ({ ...run })),
          has_more: this.hasMore || this.runs.length > this.newestPage,
        });
      const active = this.runs.filter((run) =>
        ['PENDING', 'RUNNING', 'TERMINATING'].includes(run.state?.life_cycle_state ?? ''),
      );
      const from = request.offset ?? 0;
      const to = from + (request.limit ?? 20);
      return this.#answer('active', {
        runs: active.slice(from, to).map((run) => ({ ...run })),
        has_more: active.length > to,
      });
    },
    getRun: async (runId: string) => {
      if (this.refusal) throw this.refusal;
      const run = this.runs.find((candidate) => candidate.run_id === runId);
      if (!run)
        throw new AppError('notFound', `Run ${runId} does not exist.`, { errorCode: 'RESOURCE_DOES_NOT_EXIST' });
      return this.#answer('get', { ...run });
    },
  } as unknown as JobsClient;

  /** Maximum number of concurrent requests for one job's runs. */
  mostAtOnce = 0;
  #atOnce = 0;
  /** The error that requests for one job's runs throw. */
  jobRefusal: AppError | undefined;

  async #ofJob(jobId: string, limit: number): Promise<{ runs: Run[]; has_more: boolean }> {
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    this.#atOnce -= 1;
    this.requests.push(`job ${jobId}`);
    if (this.jobRefusal) throw this.jobRefusal;
    const found = this.runs.filter((run) => run.job_id === jobId);
    return { runs: found.slice(0, limit), has_more: found.length > limit };
  }

  /** The local service's endpoints. Report every change of `stamps` with `change`. */
  stamps: ListStamps = { jobs: '1', runs: '1' };
  #waiting: (() => void)[] = [];

  change(stamps: Partial<ListStamps>): void {
    this.stamps = { ...this.stamps, ...stamps };
    for (const tell of this.#waiting.splice(0)) tell();
  }

  localService(clock: FakeClock): LocalServiceClient {
    return {
      changes: async (known, { signal } = {}) => {
        this.requests.push(known ? 'wait' : 'stamps');
        if (this.failure) throw this.failure;
        if (known && known.jobs === this.stamps.jobs && known.runs === this.stamps.runs) {
          await new Promise<void>((resolve, reject) => {
            const cancel = clock.schedule(50_000, resolve);
            this.#waiting.push(() => {
              cancel();
              resolve();
            });
            signal?.addEventListener('abort', () => {
              cancel();
              reject(new AppError('aborted', 'Stopped.'));
            });
          });
        }
        return this.stamps;
      },
      lastRuns: async () => {
        this.requests.push('last runs');
        const runs = this.jobs
          .map(({ job_id: id }) => this.runs.find((run) => run.job_id === id))
          .filter((run) => run !== undefined);
        return { runs };
      },
      runOutput: () => Promise.reject(new Error('the poller reads no outputs')),
      debugSubmit: () => Promise.reject(new Error('the poller starts nothing')),
      ...noModels,
    };
  }

  #answer<T>(request: string, value: T): T {
    this.requests.push(request);
    if (this.failure) throw this.failure;
    return value;
  }
}
function run(id: string, life: string, more: Partial<Run> = {}): Run {
  return { run_id: id, job_id: '1', run_type: 'JOB_RUN', state: { life_cycle_state: life }, ...more };
}
interface Polling {
  clock: FakeClock;
  service: FakeService;
  store: RunStore;
  poller: RunPoller;
}
/** Creates a poller that starts on the first attention, and a service with one job. */
function startPolling(): Polling {
  const clock = new FakeClock();
  const service = new FakeService();
  service.jobs = [{ job_id: '1', settings: { name: 'a' } }];
  const store = new RunStore();
  const connect = async () => ({ client: { jobs: service.client }, intervals });
  return { clock, service, store, poller: new RunPoller({ store, clock, connect }) };
}
/** Disposes the poller and checks that it leaves no timer. */
async function stopPolling({ clock, store, poller }: Omit<Polling, 'service'>): Promise<void> {
  poller.dispose();
  store.dispose();
  await settle();
  assert.equal(clock.pending, 0, 'a timer was left behind');
}

describe('RunPoller', () => {
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  it('removes only ended runs that the service no longer has', async () => {
    service.runs = [
      run('3', 'TERMINATED', { start_time: 30 }),
      run('2', 'TERMINATED', { start_time: 20 }),
      run('1', 'TERMINATED', { start_time: 10 }),
    ];
    await poller.refresh();
    service.runs.splice(1, 1);
    await poller.refresh();
    assert.deepEqual(
      ['3', '2', '1'].map((id) => store.run(id) !== undefined),
      [true, false, true],
    );
  });

  it('ignores a reply that arrives after a change of profile', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = new RunPoller({
      store,
      clock,
      connect: async () => {
        await gate.promise;
        return { client: { jobs: service.client }, intervals };
      },
    });
    const look = slow.refresh();
    slow.restart();
    gate.resolve();
    await look;
    slow.dispose();
    assert.deepEqual([store.jobs, store.freshness.kind], [[], 'empty']);
  });

  it('polls queued runs, which active_only omits', async () => {
    service.runs = [run('10', 'QUEUED')];
    poller.setAttention('full');
    await settle();
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
  });

  it('reads a run that is in neither list, and removes a deleted one', async () => {
    service.newestPage = 1;
    service.runs = [
      run('30', 'TERMINATED', { state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } }),
      run('20', 'RUNNING'),
      run('10', 'RUNNING'),
    ];
    poller.setAttention('full');
    await settle();
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    service.runs = [
      service.runs[0] as Run,
      run('20', 'TERMINATED', { state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } }),
    ];
    await clock.advance(intervals.activeInMs);
    assert.deepEqual(finished, ['20']);
    assert.equal(store.run('20')?.state?.result_state, 'SUCCESS');
    assert.equal(store.run('10'), undefined);
    assert.equal(store.freshness.kind, 'fresh');
  });

  it('shows the other runs when one is refused, and gives that one up', async () => {
    service.runs = [run('10', 'RUNNING')];
    await poller.refresh();
    service.runs = [];
    service.jobs = [{ job_id: '1', settings: { name: 'renamed' } }];
    service.refusal = new AppError('rejected', 'No.', { status: 400, errorCode: 'INVALID_PARAMETER_VALUE' });
    await poller.refresh();
    assert.deepEqual(
      [store.freshness.kind, store.job('1')?.settings?.name, store.run('10')?.run_id],
      ['fresh', 'renamed', '10'],
    );
    await poller.refresh();
    assert.deepEqual([store.freshness.kind, store.run('10')], ['fresh', undefined]);
  });

  it('reads a run that was started here until it is listed', async () => {
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    service.newestPage = 1;
    service.runs = [run('30', 'TERMINATED'), run('20', 'TERMINATED')];
    store.expect('20');
    store.expect('21');
    await poller.refresh();
    assert.deepEqual([finished, [...store.expectedRunIds]], [['20'], ['21']], 'run 21 may not be there to be read yet');
    await poller.refresh();
    assert.deepEqual([...store.expectedRunIds], [], 'run 21 was deleted');
  });

  it('reports unreadable entries of each list until they are gone', async () => {
    service.jobs = [{ job_id: '1' }];
    service.skipped = {
      jobs: 'jobs/list: 1 of 2 entries could not be read.',
      runs: 'jobs/runs/list: 1 of 1 entries could not be read.',
    };
    poller.setAttention('full');
    await settle();
    assert.deepEqual(
      [...store.skipped],
      [
        ['runs', service.skipped.runs],
        ['jobs', service.skipped.jobs],
      ],
    );
    service.skipped.runs = undefined;
    await clock.advance(intervals.idleInMs);
    assert.deepEqual([...store.skipped.keys()], ['jobs'], 'the job list was not read again');
    service.skipped = {};
    await poller.refresh();
    assert.deepEqual([...store.skipped], []);
    service.skipped = { jobs: 'jobs/list: all is odd.' };
    await poller.refresh();
    poller.restart();
    assert.equal(store.skipped.size, 0, 'it is of the other profile');
  });
});

describe('RunPoller with the local service', () => {
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  describe('and its change feed', () => {
    const local: PollIntervals = { activeInMs: 700, idleInMs: 5000, jobListInMs: 5000, maxBackOffInMs: 15_000 };
    let told: RunPoller;

    beforeEach(() => {
      const client = { jobs: service.client, localService: service.localService(clock) };
      told = new RunPoller({ store, clock, connect: async () => ({ client, intervals: local }) });
    });

    afterEach(() => told.dispose());

    it('sends at most 130 requests an hour while nothing changes', async () => {
      service.runs = [run('10', 'TERMINATED')];
      told.setAttention('full');
      await settle();
      assert.deepEqual(service.requests, ['stamps', 'newest', 'active', 'list']);
      await clock.advance(3_600_000);
      assert.ok(service.requests.length <= 130, String(service.requests.length));
      assert.deepEqual(service.requests.filter((request) => request !== 'wait').length, 4);
      assert.equal(store.freshness.kind === 'fresh' && clock.now() - store.freshness.updatedMs <= 60_000, true);
      told.setAttention('none');
      service.requests = [];
      await clock.advance(3_600_000);
      assert.deepEqual(service.requests, []);
    });

    it('shows a change of runs at once, and reads the job list only after a change of jobs', async () => {
      told.setAttention('full');
      await settle();
      await clock.advance(60_000);
      service.requests = [];
      service.runs = [run('11', 'TERMINATED')];
      service.change({ runs: '2' });
      await settle();
      assert.equal(store.run('11')?.run_id, '11');
      assert.deepEqual(
        service.requests.filter((request) => request === 'list'),
        [],
      );
      service.jobs = [...service.jobs, { job_id: '2', settings: { name: 'b' } }];
      service.change({ jobs: '2' });
      await clock.advance(local.activeInMs);
      assert.equal(store.jobs.length, 2);
      service.jobs = [...service.jobs, { job_id: '3', settings: { name: 'c' } }];
      service.change({ jobs: '3' });
      await clock.advance(local.jobListInMs + local.activeInMs);
      assert.equal(store.jobs.length, 3);
    });

    it('backs off while the service fails', async () => {
      told.setAttention('full');
      await settle();
      service.failure = new AppError('network', 'No answer.');
      void told.refresh();
      await settle();
      for (const waitInMs of [1400, 2800, 5600, 11_200, 15_000, 15_000]) {
        assert.equal(clock.nextDelayInMs, waitInMs);
        await clock.advance(waitInMs);
      }
      service.failure = undefined;
      await clock.advance(15_000);
      assert.equal(store.freshness.kind, 'fresh');
    });

    it('reads everything again when a missing service is back', async () => {
      let isThere = true;
      const client = { jobs: service.client, localService: service.localService(clock) };
      const some = new RunPoller({
        store,
        clock,
        connect: async () => (isThere ? { client, intervals: local } : undefined),
      });
      service.runs = [run('10', 'TERMINATED')];
      some.setAttention('full');
      await settle();
      isThere = false;
      await some.refresh();
      assert.deepEqual([store.run('10'), store.jobs.length], [undefined, 0]);
      isThere = true;
      service.requests = [];
      some.pollSoon();
      await clock.advance(local.idleInMs);
      assert.deepEqual(service.requests.slice(0, 4), ['stamps', 'newest', 'active', 'list']);
      assert.equal(store.run('10')?.run_id, '10');
      some.dispose();
    });

    it('is stale as soon as the service is gone, and recovers with it', async () => {
      told.setAttention('full');
      await settle();
      await clock.advance(10_000);
      service.failure = new AppError('network', 'No answer.');
      service.change({ runs: '2' });
      await settle();
      assert.equal(store.freshness.kind, 'stale');
      service.failure = undefined;
      await clock.advance(local.maxBackOffInMs);
      assert.equal(store.freshness.kind, 'fresh');
    });

    it('polls as usual if the service has no change feed', async () => {
      const none = async (): Promise<never> => {
        throw new AppError('notFound', 'No such path.');
      };
      const old = new RunPoller({
        store,
        clock,
        connect: async () => ({
          client: {
            jobs: service.client,
            localService: { changes: none, lastRuns: none, runOutput: none, debugSubmit: none, ...noModels },
          },
          intervals: local,
        }),
      });
      old.setAttention('full');
      await settle();
      assert.deepEqual([store.freshness.kind, clock.nextDelayInMs], ['fresh', local.idleInMs]);
      old.dispose();
    });
  });
});

describe('RunPoller with many runs', () => {
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  describe('and the last run of each job', () => {
    const succeeded = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
    /** Job 1 fails; then job 2 runs thirty times. */
    const behindThirty = (): Run[] => [
      ...Array.from({ length: 30 }, (_, index) =>
        run(String(100 - index), 'TERMINATED', { job_id: '2', state: succeeded, start_time: 1000 - index }),
      ),
      run('1', 'TERMINATED', { state: failed, start_time: 1 }),
    ];

    it('requests a last run that newer runs of other jobs hide', async () => {
      service.jobs = ['1', '2', '3'].map((id) => ({ job_id: id, settings: { name: `job ${id}` } }));
      service.runs = behindThirty();
      poller.setAttention('full');
      await settle();
      assert.deepEqual(
        ['1', '2', '3']
          .map((id) => store.lastRun(id))
          .map((last) => (last.kind === 'run' ? last.run.state?.result_state : last.kind)),
        ['FAILED', 'SUCCESS', 'none'],
      );
      service.requests = [];
      await clock.advance(intervals.idleInMs * 3);
      assert.deepEqual(
        service.requests.filter((request) => request.startsWith('job ')),
        [],
        'what is known is not asked for again',
      );
    });

    it('limits the requests per poll, even with 12,000 jobs', async () => {
      service.jobs = Array.from({ length: 12_000 }, (_, index) => ({
        job_id: String(index + 1),
        settings: { name: `job ${String(index).padStart(5, '0')}` },
      }));
      service.runs = behindThirty();
      const asked = (): string[] => service.requests.filter((request) => request.startsWith('job '));
      poller.setAttention('full');
      await settle();
      for (let turn = 0; turn < 20; turn += 1) await settle();
      assert.deepEqual([asked().length, service.mostAtOnce], [40, 2]);
      assert.equal(store.lastRun('1').kind, 'run');
      assert.equal(store.lastRun('12000').kind, 'unknown', 'it was not asked for, so nobody knows');
      poller.want('12000');
      await clock.advance(intervals.idleInMs);
      for (let turn = 0; turn < 20; turn += 1) await settle();
      assert.deepEqual([asked().length, store.lastRun('12000').kind], [80, 'none']);
    });
  });
});

describe('RunPoller and its lists', () => {
  const local: PollIntervals = { activeInMs: 700, idleInMs: 5000, jobListInMs: 5000, maxBackOffInMs: 15_000 };
  let { clock, service, store, poller } = startPolling();
  let told: RunPoller;
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
    const client = { jobs: service.client, localService: service.localService(clock) };
    told = new RunPoller({ store, clock, connect: async () => ({ client, intervals: local }) });
  });
  afterEach(async () => {
    told.dispose();
    await stopPolling({ clock, store, poller });
  });
  const asked = (request: string): number => service.requests.filter((each) => each === request).length;
  const ended = (count: number, from = 100): Run[] =>
    Array.from({ length: count }, (_each, index) => run(String(from + count - index), 'TERMINATED'));

  it('reads the job list again for a run of an unknown job', async () => {
    for (const [more, lists] of [
      [{ job_id: '2' }, 1],
      [{ job_id: '1' }, 0],
      [{ job_id: '2', run_type: 'SUBMIT_RUN' }, 0],
      [{ job_id: undefined }, 0],
    ] as const) {
      told.restart();
      service.runs = [];
      told.setAttention('full');
      await settle();
      service.requests = [];
      const stamp = JSON.stringify(more);
      service.runs = [...ended(2), run('300', 'TERMINATED', more)];
      service.change({ jobs: stamp, runs: stamp });
      await clock.advance(local.activeInMs);
      assert.deepEqual([asked('newest'), asked('list')], [1, 0], stamp);
      await clock.advance(local.activeInMs);
      assert.deepEqual([asked('newest'), asked('list')], [1, lists], stamp);
      told.setAttention('none');
    }
  });

  it('requests an unlisted run once per profile', async () => {
    const hidden = run('1', 'TERMINATED');
    const listed = ended(3);
    service.newestPage = 3;
    service.runs = [...listed, hidden];
    const { listRuns } = service.client;
    Object.assign(service.client, {
      listRuns: async (...args: Parameters<typeof listRuns>) => ({ ...(await listRuns(...args)), has_more: false }),
    });
    for (const expected of [1, 2]) {
      store.mergeRuns([hidden], clock.now());
      await poller.refresh();
      await poller.refresh();
      await poller.refresh();
      assert.equal(asked('get'), expected);
      assert.equal(store.run('1')?.run_id, '1');
      poller.restart();
    }
  });
});

describe('the pace of RunPoller', () => {
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  it('is slow while nothing runs and fast while a run is active', async () => {
    poller.setAttention('full');
    await settle();
    assert.equal(clock.nextDelayInMs, intervals.idleInMs);
    service.runs = [run('10', 'RUNNING')];
    await clock.advance(intervals.idleInMs);
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
    service.runs = [run('10', 'TERMINATED', { state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } })];
    await clock.advance(intervals.activeInMs);
    assert.equal(clock.nextDelayInMs, intervals.idleInMs);
  });

  it('sends at most 130 requests an hour while nothing changes', async () => {
    poller.setAttention('full');
    await settle();
    service.requests = [];
    await clock.advance(3_600_000);
    assert.ok(service.requests.length <= 130, String(service.requests.length));
  });

  it('polls at once when the user opens a job after a long quiet time', async () => {
    poller.setAttention('full');
    await settle();
    await clock.advance(3_600_000);
    await clock.advance(clock.nextDelayInMs ?? 0);
    await clock.advance(intervals.idleInMs + 1000);
    service.requests = [];
    await poller.ask(() => Promise.resolve());
    await settle();
    assert.ok(service.requests.includes('newest'));
    assert.equal(clock.nextDelayInMs, intervals.idleInMs * 1.5);
  });

  it('needs as many requests for 5,000 jobs as for one', async () => {
    const cost = async (count: number): Promise<number> => {
      service.jobs = Array.from({ length: count }, (_, index) => ({
        job_id: String(index + 1),
        settings: { name: `job ${index}` },
      }));
      await poller.refresh();
      service.requests = [];
      await clock.advance(intervals.idleInMs * 20);
      return service.requests.length;
    };
    poller.setAttention('full');
    await settle();
    assert.equal(await cost(1), await cost(5000));
  });

  it('backs off while the service fails and recovers with it', async () => {
    service.runs = [run('10', 'RUNNING')];
    poller.setAttention('full');
    await settle();
    service.failure = new AppError('network', 'No answer.');
    const pauses: (number | undefined)[] = [];
    for (let look = 0; look < 8; look += 1) {
      await clock.advance(clock.nextDelayInMs ?? 0);
      pauses.push(clock.nextDelayInMs);
    }
    assert.deepEqual(pauses, [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    assert.equal(store.freshness.kind, 'stale');
    assert.equal(store.run('10')?.state?.life_cycle_state, 'RUNNING');
    service.failure = undefined;
    await clock.advance(60_000);
    assert.equal(store.freshness.kind, 'fresh');
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
  });

  it('pauses while the view is hidden', async () => {
    poller.setAttention('full');
    await settle();
    poller.setAttention('none');
    service.requests = [];
    await clock.advance(600_000);
    assert.deepEqual(service.requests, []);
    poller.setAttention('full');
    await settle();
    assert.ok((service.requests as string[]).includes('newest'));
  });

  it('reads the job list once a minute and when the view is shown again', async () => {
    const lists = (): number => service.requests.filter((request) => request === 'list').length;
    service.runs = [run('10', 'RUNNING')];
    poller.setAttention('full');
    await settle();
    await clock.advance(59_000);
    assert.equal(lists(), 1);
    await clock.advance(2000);
    assert.equal(lists(), 2);
    poller.setAttention('slow');
    await clock.advance(10_000);
    poller.setAttention('full');
    await settle();
    assert.equal(lists(), 3);
  });

  it('does not delay a manual refresh while the view is hidden', async () => {
    service.runs = [run('5', 'PENDING')];
    await poller.refresh();
    assert.equal(store.run('5')?.run_id, '5');
    poller.setAttention('full');
    await settle();
    const refreshed = poller.refresh();
    poller.setAttention('none');
    await refreshed;
  });
});

describe('RunPoller during many changes', function () {
  const next: Readonly<Record<string, string>> = {
    PENDING: 'RUNNING',
    RUNNING: 'TERMINATING',
    TERMINATING: 'TERMINATED',
  };
  const results = ['SUCCESS', 'FAILED', 'TIMEDOUT', 'CANCELED'] as const;

  this.timeout(60_000);
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  /** Generates the same numbers in each run. */
  let seed = 1;
  const upTo = (count: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * count);
  };
  let lastId = 0;

  /** Starts, continues, ends or deletes a run. */
  const change = (): void => {
    const active = service.runs.filter(({ state }) => next[state?.life_cycle_state ?? ''] !== undefined);
    const what = upTo(10);
    if (what === 0 && service.runs.length > 300) {
      service.runs.splice(service.runs.length - 1 - upTo(200), 1);
      return;
    }
    const going = active[upTo(active.length)];
    if (!going || (what < 4 && active.length < 60)) {
      lastId += 1;
      const state = { life_cycle_state: 'PENDING' } as Run['state'];
      service.runs.unshift({
        run_id: String(lastId),
        job_id: String(1 + upTo(40)),
        number_in_job: String(lastId),
        run_type: 'JOB_RUN',
        start_time: lastId,
        state,
      });
      return;
    }
    const life = next[going.state?.life_cycle_state ?? ''] ?? '';
    const result = life === 'TERMINATED' ? { result_state: results[upTo(4)] } : {};
    going.state = { life_cycle_state: life, ...result } as Run['state'];
  };

  /** Polls several times, because last runs are requested a few at a time. */
  const readAll = async (by: RunPoller): Promise<void> => {
    for (let look = 0; look < 3; look += 1) {
      await by.refresh({ byUser: true });
      for (let turn = 0; turn < 40; turn += 1) await settle();
    }
  };

  const rows = (of: RunStore): unknown[] =>
    new TreeModel({ profileId: 'team', store: of, now: () => 1_000_000 })
      .roots()
      .map(({ label, description, icon, context }) => ({ label, description, icon, context }));

  it('shows the final state after 10,000 changes, with at most three lists per poll', async () => {
    service.jobs = Array.from({ length: 40 }, (_, index) => ({
      job_id: String(index + 1),
      settings: { name: `job ${String(index + 1).padStart(2, '0')}` },
    }));
    poller.setAttention('full');
    await settle();
    let mostOfALook = 0;
    for (let count = 1; count <= 10_000; count += 1) {
      change();
      if (count % 20 !== 0) continue;
      service.requests = [];
      await clock.advance(intervals.activeInMs);
      const lists = service.requests.filter((request) => ['list', 'newest', 'active'].includes(request));
      mostOfALook = Math.max(mostOfALook, lists.length);
    }
    await readAll(poller);
    assert.ok(mostOfALook <= 3, `${mostOfALook} lists in one look`);
    assert.ok(service.mostAtOnce <= 2, `${service.mostAtOnce} at once`);
    const isActive = ({ state }: Run): boolean => next[state?.life_cycle_state ?? ''] !== undefined;
    assert.deepEqual(
      store.activeRuns.map(({ run_id: id }) => id).toSorted(),
      service.runs
        .filter(isActive)
        .map(({ run_id: id }) => id)
        .toSorted(),
    );
    for (const { job_id: jobId } of service.jobs) {
      const known = store.lastRun(jobId);
      const [newest, ...older] = service.runs.filter(({ job_id: id }) => id === jobId);
      const isIn = (run: Run | undefined, ...states: string[]): boolean =>
        states.includes(run?.state?.life_cycle_state ?? '');
      const executing = older.find((run) => isIn(run, 'RUNNING', 'TERMINATING'));
      const last = isIn(newest, 'QUEUED', 'PENDING') ? (executing ?? newest) : newest;
      assert.deepEqual(known.kind === 'run' ? known.run.state : known.kind, last?.state ?? 'none', `job ${jobId}`);
    }
    const fresh = new RunStore();
    const reader = new RunPoller({
      store: fresh,
      clock,
      connect: async () => ({ client: { jobs: service.client }, intervals }),
    });
    reader.setAttention('full');
    await readAll(reader);
    assert.deepEqual(rows(store), rows(fresh), 'the rows of a window that is opened now');
    reader.dispose();
    fresh.dispose();
  });
});
