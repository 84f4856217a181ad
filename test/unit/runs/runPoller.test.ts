import assert from 'node:assert/strict';
import type { CallOptions, JobsClient, ListStamps, LocalServiceClient } from '../../../src/api/client/client.ts';
import type { Job, ListRunsRequest, Run } from '../../../src/api/schema/jobs/schemas.ts';
import type { PollIntervals } from '../../../src/runs/pollIntervals.ts';
import { RunPoller } from '../../../src/runs/runPoller.ts';
import { RunStore } from '../../../src/runs/runStore.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

const intervals: PollIntervals = {
  activeInMs: 1000,
  idleInMs: 30_000,
  jobListInMs: 60_000,
  longestBackOffInMs: 60_000,
};

/** A service in memory that counts what it is asked. */
class FakeService {
  jobs: Job[] = [];
  runs: Run[] = [];
  requests: string[] = [];
  failure: AppError | undefined;
  newestPage = 25;
  hasMore = false;
  /** What is told of entries that could not be read. */
  skipped: { jobs?: string; runs?: string } = {};
  /** What getRun answers with, for runs that cannot be read. */
  refusal: AppError | undefined;
  /** Holds the answers back. */
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
      if (request.job_id !== undefined) return this.#ofJob(request.job_id);
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

  /** How many questions for the runs of one job were under way at the same time, at most. */
  mostAtOnce = 0;
  #atOnce = 0;
  /** What the question for the runs of a job is refused with. */
  jobRefusal: AppError | undefined;

  async #ofJob(jobId: string): Promise<{ runs: Run[]; has_more: boolean }> {
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    this.#atOnce -= 1;
    this.requests.push(`job ${jobId}`);
    if (this.jobRefusal) throw this.jobRefusal;
    const found = this.runs.filter((run) => run.job_id === jobId);
    return { runs: found.slice(0, 1), has_more: found.length > 1 };
  }

  /** The local service's own answers; every change of `stamps` is to be told with `change`. */
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

describe('RunPoller', () => {
  let clock: FakeClock;
  let service: FakeService;
  let store: RunStore;
  let poller: RunPoller;

  beforeEach(() => {
    clock = new FakeClock();
    service = new FakeService();
    service.jobs = [{ job_id: '1', settings: { name: 'a' } }];
    store = new RunStore();
    poller = new RunPoller({ store, clock, connect: async () => ({ client: { jobs: service.client }, intervals }) });
  });

  afterEach(async () => {
    poller.dispose();
    store.dispose();
    await settle();
    assert.equal(clock.pending, 0, 'a timer was left behind');
  });

  it('asks nothing before something shows the runs', async () => {
    await clock.advance(100_000);
    assert.deepEqual(service.requests, []);
  });

  it('forgets ended runs that the service has no more, and no others', async () => {
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

  it('leaves out what a look at another profile still brings', async () => {
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

  it('is slow while nothing runs and quick while something does', async () => {
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

  it('sees QUEUED runs, which active_only leaves out', async () => {
    service.runs = [run('10', 'QUEUED')];
    poller.setAttention('full');
    await settle();
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
  });

  it('costs the same number of requests for 1 and for 5,000 jobs', async () => {
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

  it('asks one by one for a run that fell out of both lists, and forgets one that was deleted', async () => {
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

  it('keeps what it shows when the service dies, says so, backs off and recovers', async () => {
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

  it('pauses while hidden and looks at once when shown again', async () => {
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

  it('refresh resolves after a look that began after it, also while the loop waits', async () => {
    poller.setAttention('full');
    await settle();
    service.runs = [run('77', 'PENDING')];
    const refreshed = poller.refresh();
    await settle();
    await refreshed;
    assert.equal(store.run('77')?.state?.life_cycle_state, 'PENDING');
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
  });

  it('firstLook takes the look that the loop is at, and makes one where there is none', async () => {
    poller.setAttention('full');
    await poller.firstLook();
    const looks = (): number => service.requests.filter((request) => request === 'newest').length;
    assert.deepEqual([store.jobs.length, looks()], [1, 1]);
    await settle();
    await poller.firstLook();
    assert.equal(looks(), 2, 'the loop was in its pause');
    poller.setAttention('none');
    await poller.firstLook();
    assert.equal(looks(), 3, 'nothing was shown');
  });

  it('reads the job list for whoever asks while a look with an older one is under way', async () => {
    poller.setAttention('full');
    await settle();
    const gate = Promise.withResolvers<void>();
    service.gate = gate.promise;
    const first = poller.refresh();
    await settle();
    service.jobs = [...service.jobs, { job_id: '2', settings: { name: 'b' } }];
    const second = poller.refresh();
    gate.resolve();
    service.gate = undefined;
    await Promise.all([first, second]);
    assert.deepEqual(
      store.jobs.map((job) => job.job_id),
      ['1', '2'],
    );
  });

  it('shows the others though one run is refused, and gives that one up', async () => {
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

  it('looks for a run that was started here until it is seen', async () => {
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

  it('asks for pages again where runs may have come and gone unseen', async () => {
    service.runs = [run('2', 'TERMINATED'), run('1', 'TERMINATED')];
    await poller.refresh();
    store.setRunsOf('1', service.runs, false, 0);
    service.newestPage = 2;
    service.hasMore = true;
    service.runs = [run('3', 'TERMINATED'), ...service.runs];
    await poller.refresh();
    assert.equal(store.runsOf('1')?.runs.length, 3);
    service.runs = [run('6', 'TERMINATED'), run('5', 'TERMINATED'), run('4', 'TERMINATED'), ...service.runs];
    await poller.refresh();
    assert.equal(store.runsOf('1'), undefined);
  });

  it('takes the word that there is nothing only of the profile that it asked', async () => {
    const gate = Promise.withResolvers<undefined>();
    const slow = new RunPoller({ store, clock, connect: () => gate.promise });
    const look = slow.refresh();
    slow.restart();
    gate.resolve(undefined);
    await look;
    slow.dispose();
    assert.equal(store.freshness.kind, 'empty');
  });

  it('says which look the user asked for, and only that one', async () => {
    const asked: (boolean | undefined)[] = [];
    const other = new RunPoller({
      store,
      clock,
      connect: async ({ byUser }) => {
        asked.push(byUser);
        return { client: { jobs: service.client }, intervals };
      },
    });
    await other.refresh({ byUser: true });
    other.setAttention('full');
    await settle();
    await other.refresh({ byUser: true });
    await other.refresh();
    other.lookSoon();
    await settle();
    other.dispose();
    assert.deepEqual(asked, [true, false, true, false, false]);
  });

  it('reads the job list once it is a minute old, and for whoever comes back to the view', async () => {
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

  it('is slow where only the number of active runs is to be seen, and looks at once when the runs are', async () => {
    service.runs = [run('10', 'RUNNING')];
    poller.setAttention('slow');
    await settle();
    assert.equal(clock.nextDelayInMs, intervals.idleInMs);
    service.requests = [];
    poller.setAttention('full');
    await settle();
    assert.deepEqual([service.requests.includes('newest'), clock.nextDelayInMs], [true, intervals.activeInMs]);
  });

  it('refresh works while hidden and does not hang when the view is hidden meanwhile', async () => {
    service.runs = [run('5', 'PENDING')];
    await poller.refresh();
    assert.equal(store.run('5')?.run_id, '5');
    poller.setAttention('full');
    await settle();
    const refreshed = poller.refresh();
    poller.setAttention('none');
    await refreshed;
  });

  it('restart forgets the other workspace', async () => {
    poller.setAttention('full');
    await settle();
    assert.equal(store.jobs.length, 1);
    service.jobs = [];
    poller.restart();
    assert.equal(store.jobs.length, 0);
    assert.equal(store.freshness.kind, 'empty');
    await settle();
    assert.equal(store.freshness.kind, 'fresh');
  });

  describe('the last run of each job', () => {
    const succeeded = { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' };
    const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
    /** Job 1 fails, and after it another one runs thirty times. */
    const behindThirty = (): Run[] => [
      ...Array.from({ length: 30 }, (_, index) =>
        run(String(100 - index), 'TERMINATED', { job_id: '2', state: succeeded, start_time: 1000 - index }),
      ),
      run('1', 'TERMINATED', { state: failed, start_time: 1 }),
    ];

    it('is asked for where newer runs of others hide it', async () => {
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

    it('is asked for where one-time runs, which have job ids of their own, hide it', async () => {
      service.jobs = ['1', '2'].map((id) => ({ job_id: id, settings: { name: `job ${id}` } }));
      service.runs = behindThirty().map((item) =>
        item.job_id === '2' ? { ...item, job_id: `9${item.run_id}`, run_type: 'SUBMIT_RUN' } : item,
      );
      poller.setAttention('full');
      await settle();
      assert.deepEqual(
        ['1', '2']
          .map((id) => store.lastRun(id))
          .map((last) => (last.kind === 'run' ? last.run.state?.result_state : last.kind)),
        ['FAILED', 'none'],
      );
    });

    it('costs two requests at once and a bounded number after each look, also with 12,000 jobs', async () => {
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

    it('is asked for again once runs may have come and gone unseen', async () => {
      service.jobs = ['1', '2'].map((id) => ({ job_id: id, settings: { name: `job ${id}` } }));
      service.runs = [run('1', 'TERMINATED', { state: succeeded, start_time: 1 })];
      poller.setAttention('full');
      await settle();
      poller.setAttention('none');
      service.runs = [
        ...Array.from({ length: 30 }, (_, index) =>
          run(String(200 - index), 'TERMINATED', { job_id: '2', state: succeeded, start_time: 2000 - index }),
        ),
        run('50', 'TERMINATED', { state: failed, start_time: 50 }),
        ...service.runs,
      ];
      poller.setAttention('full');
      for (let turn = 0; turn < 5; turn += 1) await settle();
      assert.equal(store.latestRun('1')?.state?.result_state, 'FAILED');
    });

    it('stays unknown where the service refuses to tell, and is not asked for with every look', async () => {
      service.jobs = ['1', '2'].map((id) => ({ job_id: id, settings: { name: `job ${id}` } }));
      service.runs = behindThirty();
      service.jobRefusal = new AppError('forbidden', 'No.');
      poller.setAttention('full');
      await settle();
      await clock.advance(intervals.idleInMs * 5);
      assert.deepEqual([store.lastRun('1').kind, store.freshness.kind], ['unknown', 'fresh']);
      assert.deepEqual(
        service.requests.filter((request) => request.startsWith('job ')),
        ['job 1'],
      );
      service.jobRefusal = undefined;
      await clock.advance(660_000);
      assert.equal(store.lastRun('1').kind, 'run');
    });

    it('is not claimed of a service that answers with the runs of other jobs', async () => {
      service.jobs = ['1', '2', '3'].map((id) => ({ job_id: id, settings: { name: `job ${id}` } }));
      service.runs = behindThirty();
      const client = {
        ...service.client,
        listRuns: async () => ({ runs: service.runs.slice(0, 25), has_more: true }),
      } as unknown as JobsClient;
      const other = new RunPoller({ store, clock, connect: async () => ({ client: { jobs: client }, intervals }) });
      other.setAttention('full');
      await settle();
      other.dispose();
      assert.equal(store.lastRun('3').kind, 'unknown');
    });
  });

  it('says of which list entries are missing, for as long as they are', async () => {
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

  it('does not take a run for removed because the service orders its list in a way of its own', async () => {
    // By id, with start times that go the other way.
    const list = Array.from({ length: 40 }, (_, index) =>
      run(String(100 - index), 'TERMINATED', { job_id: String(1 + (index % 2)), start_time: 1000 + index }),
    );
    service.jobs = ['1', '2'].map((id) => ({ job_id: id, settings: { name: `job ${id}` } }));
    service.runs = list;
    await poller.refresh();
    store.setRunsOf(
      '1',
      list.filter((each) => each.job_id === '1'),
      false,
      clock.now(),
    );
    await poller.refresh();
    assert.equal(store.runsOf('1')?.runs.length, 20);
    service.runs = list.filter(({ run_id: id }) => id !== '98');
    await poller.refresh();
    assert.equal(store.run('98'), undefined, 'it is gone from the middle of the list');
    assert.equal(store.runsOf('1')?.runs.length, 19);
  });

  it('counts all active runs, beyond one page', async () => {
    service.runs = Array.from({ length: 200 }, (_, index) =>
      run(String(1000 - index), 'RUNNING', { start_time: 1000 - index }),
    );
    await poller.refresh();
    assert.equal(store.activeRuns.length, 200);
  });

  describe('of a service that tells of changes', () => {
    const local: PollIntervals = { activeInMs: 700, idleInMs: 5000, jobListInMs: 5000, longestBackOffInMs: 15_000 };
    let told: RunPoller;

    beforeEach(() => {
      const client = { jobs: service.client, localService: service.localService(clock) };
      told = new RunPoller({ store, clock, connect: async () => ({ client, intervals: local }) });
    });

    afterEach(() => told.dispose());

    it('asks at most 130 times an hour while nothing changes, reads no list again, and asks nothing while it is hidden', async () => {
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

    it('shows a change of runs within the time of an active look, and reads the job list only where that has changed', async () => {
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

    it('lets changes that never end cost no more than looks of an active service', async () => {
      told.setAttention('full');
      await settle();
      service.requests = [];
      for (let elapsedInMs = 0; elapsedInMs < 70_000; elapsedInMs += 50) {
        service.change({ jobs: `j${elapsedInMs}`, runs: `r${elapsedInMs}` });
        await clock.advance(50);
      }
      assert.ok(service.requests.filter((request) => request === 'newest').length <= 101);
      assert.ok(service.requests.filter((request) => request === 'list').length <= 15);
    });

    it('draws the time of active runs on while nothing is asked', async () => {
      service.runs = [run('10', 'RUNNING')];
      told.setAttention('full');
      await settle();
      await clock.advance(5000);
      service.requests = [];
      let draws = 0;
      store.onDidChange(() => (draws += 1));
      await clock.advance(10_000);
      assert.deepEqual([draws >= 9, service.requests], [true, []]);
    });

    it('says that it is not current as soon as the service is gone, and is back with it', async () => {
      told.setAttention('full');
      await settle();
      await clock.advance(10_000);
      service.failure = new AppError('network', 'No answer.');
      service.change({ runs: '2' });
      await settle();
      assert.equal(store.freshness.kind, 'stale');
      service.failure = undefined;
      await clock.advance(local.longestBackOffInMs);
      assert.equal(store.freshness.kind, 'fresh');
    });

    it('looks as at any other service where the answer is that there is no such thing', async () => {
      const none = async (): Promise<never> => {
        throw new AppError('notFound', 'No such path.');
      };
      const old = new RunPoller({
        store,
        clock,
        connect: async () => ({
          client: { jobs: service.client, localService: { changes: none, lastRuns: none, runOutput: none } },
          intervals: local,
        }),
      });
      old.setAttention('full');
      await settle();
      assert.deepEqual([store.freshness.kind, clock.nextDelayInMs], ['fresh', local.idleInMs]);
      old.dispose();
    });

    it('knows how each of 12,000 jobs went after the first look', async () => {
      service.jobs = Array.from({ length: 12_000 }, (_, index) => ({
        job_id: String(index + 1),
        settings: { name: `job ${index}` },
      }));
      service.runs = [
        ...Array.from({ length: 30 }, (_, index) => run(String(100 - index), 'TERMINATED', { job_id: '2' })),
        run('1', 'TERMINATED', { job_id: '7' }),
      ];
      told.setAttention('full');
      await settle();
      assert.deepEqual(
        [store.lastRun('7').kind, store.lastRun('8').kind, [...store.jobsToAsk()].length],
        ['run', 'none', 0],
      );
      assert.deepEqual(service.requests.filter((request) => request === 'last runs').length, 1);
    });
  });
});
