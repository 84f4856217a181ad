import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { holdTrail } from '../../../support/trail.ts';
import './runPollerAsks.part.ts';
import './runPollerChanges.part.ts';
import './runPollerLastRuns.part.ts';
import './runPollerLists.part.ts';
import './runPollerPace.part.ts';
import './runPollerStorm.part.ts';
import { intervals, run, startPolling, stopPolling } from './polledService.ts';

describe('RunPoller', () => {
  holdTrail(import.meta.url);
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

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

  it('sees QUEUED runs, which active_only leaves out', async () => {
    service.runs = [run('10', 'QUEUED')];
    poller.setAttention('full');
    await settle();
    assert.equal(clock.nextDelayInMs, intervals.activeInMs);
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

  it('counts refusals of one profile alone', async () => {
    const refusedOnce = async (): Promise<void> => {
      service.runs = [run('10', 'RUNNING')];
      service.refusal = undefined;
      await poller.refresh();
      service.runs = [];
      service.refusal = new AppError('rejected', 'No.', { status: 400, errorCode: 'INVALID_PARAMETER_VALUE' });
      await poller.refresh();
      assert.equal(store.run('10')?.run_id, '10');
    };
    await refusedOnce();
    poller.restart();
    await refusedOnce();
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
});
