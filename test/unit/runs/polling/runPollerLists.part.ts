import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import type { PollIntervals } from '../../../../src/runs/polling/pollIntervals.ts';
import { RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { settle } from '../../../support/fakeClock.ts';
import { run, startPolling, stopPolling } from './polledService.ts';

describe('which lists RunPoller reads', () => {
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

  it('is the job list for who comes back after more than five seconds, and not before', async () => {
    for (const [awayInMs, lists] of [
      [5000, 0],
      [5001, 1],
    ] as const) {
      await poller.refresh();
      service.requests = [];
      await clock.advance(awayInMs);
      poller.setAttention('full');
      await settle();
      assert.deepEqual([asked('newest'), asked('list')], [1, lists], `${awayInMs}`);
      poller.setAttention('none');
    }
  });

  it('is the job list after the next pause where a run is of a job that it does not have', async () => {
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

  it('asks once for a run that is not listed and that the service has all the same, and anew of another profile', async () => {
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
