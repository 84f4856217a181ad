import assert from 'node:assert/strict';
import type { PollIntervals } from '../../../../src/runs/polling/pollIntervals.ts';
import { RunPoller } from '../../../../src/runs/polling/runPoller.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { settle } from '../../../support/fakeClock.ts';
import { run, startPolling, stopPolling } from './polledService.ts';

describe('RunPoller', () => {
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

  describe('of a service that tells of changes', () => {
    const local: PollIntervals = { activeInMs: 700, idleInMs: 5000, jobListInMs: 5000, maxBackOffInMs: 15_000 };
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

    it('is asked ever more rarely while it fails, and does not wait for its word then', async () => {
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

    it('reads all anew once there is a service again where there was nothing', async () => {
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

    it('says that it is not current as soon as the service is gone, and is back with it', async () => {
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

    it('looks as at any other service where the answer is that there is no such thing', async () => {
      const none = async (): Promise<never> => {
        throw new AppError('notFound', 'No such path.');
      };
      const old = new RunPoller({
        store,
        clock,
        connect: async () => ({
          client: {
            jobs: service.client,
            localService: { changes: none, lastRuns: none, runOutput: none, debugSubmit: none },
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
