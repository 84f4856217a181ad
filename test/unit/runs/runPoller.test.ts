import assert from 'node:assert/strict';
import type { JobsClient } from '../../../src/api/client.ts';
import type { Job, ListRunsRequest, Run } from '../../../src/api/jobs/schemas.ts';
import { RunPoller, type PollIntervals } from '../../../src/runs/runPoller.ts';
import { RunStore } from '../../../src/runs/runStore.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';

const intervals: PollIntervals = { activeInMs: 1000, idleInMs: 30_000, longestBackOffInMs: 60_000 };

/** A service in memory that counts what it is asked. */
class FakeService {
  jobs: Job[] = [];
  runs: Run[] = [];
  requests: string[] = [];
  failure: AppError | undefined;
  newestPage = 25;

  readonly client = {
    list: async () => this.#answer('list', this.jobs),
    listRuns: async (request: ListRunsRequest = {}) => {
      const active = this.runs.filter((run) => ['PENDING', 'RUNNING', 'TERMINATING'].includes(run.state?.life_cycle_state ?? ''));
      const runs = request.active_only ? active : this.runs.slice(0, this.newestPage);
      return this.#answer(request.active_only ? 'active' : 'newest', { runs: runs.map((run) => ({ ...run })), has_more: false });
    },
    getRun: async (runId: string) => {
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
    poller.setVisible(true);
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
    poller.setVisible(true);
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
    poller.setVisible(true);
    await settle();
    assert.equal(await cost(1), await cost(5000));
  });

  it('asks one by one for a run that fell out of both lists, and forgets one that was deleted', async () => {
    service.newestPage = 1;
    service.runs = [run('30', 'TERMINATED', { state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' } }), run('20', 'RUNNING'), run('10', 'RUNNING')];
    poller.setVisible(true);
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
    poller.setVisible(true);
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
    poller.setVisible(true);
    await settle();
    poller.setVisible(false);
    service.requests = [];
    await clock.advance(600_000);
    assert.deepEqual(service.requests, []);
    poller.setVisible(true);
    await settle();
    assert.ok((service.requests as string[]).includes('newest'));
  });

  it('refresh resolves after a look that began after it, also while the loop waits', async () => {
    poller.setVisible(true);
    await settle();
    service.runs = [run('77', 'PENDING')];
    const refreshed = poller.refresh();
    await settle();
    await refreshed;
    assert.equal(store.run('77')?.state?.life_cycle_state, 'PENDING');
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
  });

  it('firstLook takes the look that the loop is at, and makes one where there is none', async () => {
    poller.setVisible(true);
    await poller.firstLook();
    const looks = (): number => service.requests.filter((request) => request === 'newest').length;
    assert.deepEqual([store.jobs.length, looks()], [1, 1]);
    await settle();
    await poller.firstLook();
    assert.equal(looks(), 2, 'the loop was in its pause');
    poller.setVisible(false);
    await poller.firstLook();
    assert.equal(looks(), 3, 'nothing was shown');
  });

  it('refresh works while hidden and does not hang when the view is hidden meanwhile', async () => {
    service.runs = [run('5', 'PENDING')];
    await poller.refresh();
    assert.equal(store.run('5')?.run_id, '5');
    poller.setVisible(true);
    await settle();
    const refreshed = poller.refresh();
    poller.setVisible(false);
    await refreshed;
  });

  it('restart forgets the other workspace', async () => {
    poller.setVisible(true);
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
