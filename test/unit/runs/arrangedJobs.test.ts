import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { ArrangedJobs } from '../../../src/runs/arrangedJobs.ts';
import { plainArrangement, type Arrangement } from '../../../src/runs/arrangement.ts';
import { RunStore } from '../../../src/runs/runStore.ts';
import { ScheduleTimes } from '../../../src/runs/scheduleTimes.ts';

const now = Date.UTC(2026, 2, 4, 12);
const run = (jobId: string, life: string, start: number, result?: string): Run => ({
  run_id: `${jobId}${start}`,
  job_id: jobId,
  run_type: 'JOB_RUN',
  start_time: start,
  state: { life_cycle_state: life, result_state: result },
});
const scheduled = (hour: number, pause: 'PAUSED' | 'UNPAUSED' = 'UNPAUSED') => ({
  quartz_cron_expression: `0 0 ${hour} * * ?`,
  timezone_id: 'UTC',
  pause_status: pause,
});

describe('ArrangedJobs', () => {
  let store: RunStore;
  let arrangement: Arrangement;
  let pinned: Set<string>;
  let time: number;
  let arranged: ArrangedJobs;
  const ids = (): string => arranged.jobs.map((job) => job.job_id).join('');

  beforeEach(() => {
    store = new RunStore();
    store.setJobs(
      [
        { job_id: '1', settings: { name: 'a' } },
        { job_id: '2', settings: { name: 'b', schedule: scheduled(20) } },
        { job_id: '3', settings: { name: 'c', schedule: scheduled(14) } },
        { job_id: '4', settings: { name: 'd', schedule: scheduled(13, 'PAUSED') } },
      ],
      now,
    );
    [arrangement, pinned, time] = [plainArrangement, new Set(), now];
    const times = new ScheduleTimes({
      now: () => time,
      elapsed: () => 0,
      later: () => undefined,
      onComputed: () => undefined,
    });
    arranged = new ArrangedJobs({
      store,
      arrangement: () => arrangement,
      pinned: () => pinned,
      scheduleTimes: () => times,
      now: () => time,
    });
  });

  it('stand by name, by last run or by next run', () => {
    store.mergeRuns([run('3', 'TERMINATED', 500, 'SUCCESS'), run('2', 'TERMINATED', 900, 'FAILED')], now);
    assert.equal(ids(), '1234');
    arrangement = { ...arrangement, sort: 'lastRun' };
    assert.equal(ids(), '2314');
    arrangement = { ...arrangement, sort: 'nextRun' };
    assert.equal(ids(), '3214', 'a paused schedule has no next run');
    time = Date.UTC(2026, 2, 4, 14, 0, 1);
    assert.equal(ids(), '2314', 'it has passed');
  });

  it('let favourites stand first, then what is active where that is wanted', () => {
    store.mergeRuns([run('4', 'RUNNING', 500), run('2', 'RUNNING', 500)], now);
    pinned = new Set(['3', '4']);
    assert.equal(ids(), '3412');
    arrangement = { ...arrangement, activeFirst: true };
    assert.equal(ids(), '4321');
    store.mergeRuns([run('4', 'TERMINATED', 500, 'SUCCESS')], now);
    assert.equal(ids(), '3421');
  });

  it('are those that fit, and it is told of how many nobody knows', () => {
    store.settle(['1']);
    store.mergeRuns([run('2', 'TERMINATED', 900, 'FAILED')], now);
    arrangement = { ...arrangement, states: ['failed'] };
    assert.deepEqual([ids(), arranged.unaskedCount], ['2', 2]);
    arrangement = { ...arrangement, states: ['none'] };
    assert.equal(ids(), '1');
    arrangement = { ...arrangement, states: [], text: 'c' };
    assert.deepEqual([ids(), arranged.unaskedCount], ['3', 0]);
  });

  it('are the same list while only time passes, and where a change changes nothing of it', () => {
    store.mergeRuns([run('2', 'RUNNING', 900)], now);
    arrangement = { ...arrangement, sort: 'lastRun' };
    const first = arranged.jobs;
    store.tick();
    store.mergeRuns([run('2', 'RUNNING', 900)], now + 1000);
    assert.equal(arranged.jobs, first);
    store.mergeRuns([run('2', 'TERMINATED', 900, 'SUCCESS')], now + 1000);
    assert.equal(arranged.jobs, first);
    store.mergeRuns([run('1', 'RUNNING', 2000)], now + 1000);
    assert.notEqual(arranged.jobs, first);
  });

  it('of twelve thousand cost next to nothing at a tick', () => {
    store.setJobs(
      Array.from({ length: 12_000 }, (_, index) => ({ job_id: String(index), settings: { name: `job ${index}` } })),
      now,
    );
    store.mergeRuns([run('2', 'RUNNING', 900)], now);
    arrangement = { ...arrangement, activeFirst: true, states: ['active'] };
    const first = arranged.jobs;
    let asked = 0;
    const { lastRun } = store;
    store.lastRun = (jobId) => ((asked += 1), lastRun.call(store, jobId));
    for (let count = 0; count < 100; count += 1) {
      store.tick();
      assert.equal(arranged.jobs, first);
    }
    assert.equal(asked, 0);
  });
});
