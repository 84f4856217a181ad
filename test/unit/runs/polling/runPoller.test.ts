import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import './runPollerChanges.part.ts';
import './runPollerLastRuns.part.ts';
import './runPollerLists.part.ts';
import './runPollerPace.part.ts';
import './runPollerStorm.part.ts';
import { intervals, run, startPolling, stopPolling } from './polledService.ts';

describe('RunPoller', () => {
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
});
