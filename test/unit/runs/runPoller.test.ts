import assert from 'node:assert/strict';
import type { JobsClient } from '../../../src/api/client.ts';
import type { Job, ListRunsRequest, Run } from '../../../src/api/jobs/schemas.ts';
import { RunPoller, type PollIntervals } from '../../../src/runs/runPoller.ts';
import { RunStore } from '../../../src/runs/runStore.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

const intervals: PollIntervals = { activeInMs: 1000, idleInMs: 30_000, jobListInMs: 60_000, longestBackOffInMs: 60_000 };

/** A service in memory that counts what it is asked. */
class FakeService {
  jobs: Job[] = [];
  runs: Run[] = [];
  requests: string[] = [];
  failure: AppError | undefined;
  newestPage = 25;
  hasMore = false;
  /** What getRun answers with, for runs that cannot be read. */
  refusal: AppError | undefined;
  /** Holds the answers back. */
  gate: Promise<void> | undefined;

  readonly client = {
    list: async () => {
      const jobs = [...this.jobs];
      await this.gate;
      return this.#answer('list', jobs);
    },
    listRuns: async (request: ListRunsRequest = {}) => {
      await this.gate;
      const active = this.runs.filter((run) => ['PENDING', 'RUNNING', 'TERMINATING'].includes(run.state?.life_cycle_state ?? ''));
      const runs = request.active_only ? active : this.runs.slice(0, this.newestPage);
      return this.#answer(request.active_only ? 'active' : 'newest', { runs: runs.map((run) => ({ ...run })), has_more: this.hasMore });
    },
    getRun: async (runId: string) => {
      if (this.refusal) throw this.refusal;
      const run = this.runs.find((candidate) => candidate.run_id === runId);
      if (!run) throw new AppError('notFound', `Run ${runId} does not exist.`, { errorCode: 'RESOURCE_DOES_NOT_EXIST' });
      return this.#answer('get', { ...run });
    },
  } as unknown as JobsClient;

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
    service.runs = [run('3', 'TERMINATED', { start_time: 30 }), run('2', 'TERMINATED', { start_time: 20 }), run('1', 'TERMINATED', { start_time: 10 })];
    await poller.refresh();
    service.runs.splice(1, 1);
    await poller.refresh();
    assert.deepEqual(['3', '2', '1'].map((id) => store.run(id) !== undefined), [true, false, true]);
  });

  it('leaves out what a look at another profile still brings', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = new RunPoller({ store, clock, connect: async () => {
      await gate.promise;
      return { client: { jobs: service.client }, intervals };
    } });
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
      service.jobs = Array.from({ length: count }, (_, index) => ({ job_id: String(index + 1), settings: { name: `job ${index}` } }));
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
    service.runs = [run('30', 'TERMINATED', { state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } }), run('20', 'RUNNING'), run('10', 'RUNNING')];
    poller.setAttention('full');
    await settle();
    const finished: string[] = [];
    store.onDidFinishRun((item) => finished.push(item.run.run_id));
    service.runs = [service.runs[0] as Run, run('20', 'TERMINATED', { state: { life_cycle_state: 'TERMINATED', result_state: 'SUCCESS' } })];
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
    assert.deepEqual(store.jobs.map((job) => job.job_id), ['1', '2']);
  });

  it('shows the others though one run is refused, and gives that one up', async () => {
    service.runs = [run('10', 'RUNNING')];
    await poller.refresh();
    service.runs = [];
    service.jobs = [{ job_id: '1', settings: { name: 'renamed' } }];
    service.refusal = new AppError('rejected', 'No.', { status: 400, errorCode: 'INVALID_PARAMETER_VALUE' });
    await poller.refresh();
    assert.deepEqual([store.freshness.kind, store.job('1')?.settings?.name, store.run('10')?.run_id], ['fresh', 'renamed', '10']);
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
    const other = new RunPoller({ store, clock, connect: async ({ byUser }) => {
      asked.push(byUser);
      return { client: { jobs: service.client }, intervals };
    } });
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
});
