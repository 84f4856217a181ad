import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { settle } from '../../../support/fakeClock.ts';
import { intervals, run, startPolling, stopPolling } from './polledService.ts';

describe('RunPoller', () => {
  let { clock, service, store, poller } = startPolling();
  beforeEach(() => {
    ({ clock, service, store, poller } = startPolling());
  });
  afterEach(() => stopPolling({ clock, store, poller }));

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
  });
});
