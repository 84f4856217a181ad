import assert from 'node:assert/strict';
import type { Run, Job } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { ArrangedJobs } from '../../../../src/runs/tree/arrangedJobs.ts';
import {
  plainArrangement,
  type Arrangement,
  fitsJob,
  fitsLastRun,
  fitsRun,
  readArrangement,
  stateGroups,
} from '../../../../src/runs/tree/arrangement.ts';
import { seededRandom } from '../../../support/counts.ts';
import { scheduleTimes } from './builtTree.ts';

const now = Date.UTC(2026, 2, 4, 12);
const hour = 3_600_000;
const job: Job = {
  job_id: '77',
  creator_user_name: 'ada',
  settings: { name: 'Nightly Billing', notebook_task: { notebook_path: '/n' } },
};
const state = (life: string, result?: string) => ({ life_cycle_state: life, result_state: result });
const run = (more: Partial<Run>): Run => ({ run_id: '5', job_id: '77', end_time: now - 2 * hour, ...more });
const failed = run({ state: state('TERMINATED', 'FAILED'), trigger: 'PERIODIC' });
const by = (change: Partial<Arrangement>): Arrangement => ({ ...plainArrangement, ...change });

describe('ArrangedJobs', () => {
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
    const times = scheduleTimes(() => time);
    arranged = new ArrangedJobs({
      store,
      arrangement: () => arrangement,
      pinned: () => pinned,
      scheduleTimes: () => times,
      now: () => time,
    });
  });

  it('puts failed jobs first, then active ones, until another order is chosen', () => {
    store.mergeRuns([run('2', 'RUNNING', 500), run('3', 'TERMINATED', 900, 'FAILED')], now);
    assert.equal(ids(), '3214');
    store.mergeRuns([run('3', 'TERMINATED', 950, 'SUCCESS')], now);
    assert.equal(ids(), '2134');
    assert.equal(readArrangement(undefined, 'name').sort, 'name');
  });

  it('sorts jobs by name, by last run or by next run', () => {
    store.mergeRuns([run('3', 'TERMINATED', 500, 'SUCCESS'), run('2', 'TERMINATED', 900, 'FAILED')], now);
    arrangement = { ...arrangement, sort: 'name' };
    assert.equal(ids(), '1234');
    arrangement = { ...arrangement, sort: 'lastRun' };
    assert.equal(ids(), '2314');
    arrangement = { ...arrangement, sort: 'nextRun' };
    assert.equal(ids(), '3214', 'a paused schedule has no next run');
    time = Date.UTC(2026, 2, 4, 14, 0, 1);
    assert.equal(ids(), '2314', 'it has passed');
  });

  it('puts favorites first, then active jobs if requested', () => {
    store.mergeRuns([run('4', 'RUNNING', 500), run('2', 'RUNNING', 500)], now);
    pinned = new Set(['3', '4']);
    arrangement = { ...arrangement, sort: 'name' };
    assert.equal(ids(), '3412');
    arrangement = { ...arrangement, activeFirst: true };
    assert.equal(ids(), '4321');
    store.mergeRuns([run('4', 'TERMINATED', 500, 'SUCCESS')], now);
    assert.equal(ids(), '3421');
  });

  it('returns the jobs that match the filter and counts those whose last run is unknown', () => {
    store.settle(['1']);
    store.mergeRuns([run('2', 'TERMINATED', 900, 'FAILED')], now);
    arrangement = { ...arrangement, states: ['failed'] };
    assert.deepEqual([ids(), arranged.unaskedCount], ['2', 2]);
    arrangement = { ...arrangement, states: ['none'] };
    assert.equal(ids(), '1');
    arrangement = { ...arrangement, states: [], text: 'c' };
    assert.deepEqual([ids(), arranged.unaskedCount], ['3', 0]);
    arrangement = { ...arrangement, states: ['none'] };
    assert.equal(arranged.unaskedCount, 1, 'also before the jobs themselves are asked for');
    store.settle(['3']);
    assert.equal(arranged.unaskedCount, 0);
  });

  for (const chosen of [
    { sort: 'lastRun', activeFirst: true },
    { states: ['failed', 'running', 'none'] },
    { sort: 'lastRun', withinHours: 1 },
  ] as const)
    it(`matches a new arrangement after a thousand small changes: ${JSON.stringify(chosen)}`, () => {
      arrangement = { ...plainArrangement, ...chosen };
      const jobs = Array.from({ length: 30 }, (_, index) => ({ job_id: String(index + 1), settings: {} }));
      store.setJobs(jobs, now);
      const next = seededRandom(7);
      const random = (below: number): number => Math.floor(next() * below);
      const oneOf = <T>(items: readonly T[]): T => items[random(items.length)] ?? assert.fail();
      const change = (): void => {
        const { job_id: jobId } = oneOf(jobs);
        const active = store.activeRuns;
        const dice = random(20);
        if (dice === 0) store.settle([jobId, oneOf(jobs).job_id]);
        else if (dice === 1) store.unsettle();
        else if (dice === 2) store.removeRun(store.latestRun(jobId)?.run_id ?? '');
        else if (dice === 3) store.setJobs([...jobs], now);
        else if (dice < 9 && active.length > 0)
          store.mergeRuns(
            [
              {
                ...oneOf(active),
                state: { life_cycle_state: 'TERMINATED', result_state: oneOf(['SUCCESS', 'FAILED']) },
              },
            ],
            now,
          );
        else store.mergeRuns([run(jobId, oneOf(['RUNNING', 'SKIPPED']), now - 7_000_000 + random(7_000_000))], now);
      };
      const anew = (): ArrangedJobs =>
        new ArrangedJobs({
          store,
          arrangement: () => arrangement,
          pinned: () => pinned,
          scheduleTimes: () => undefined,
          now: () => time,
        });
      for (let step = 0; step < 1000; step += 1) {
        for (let count = random(4); count >= 0; count -= 1) change();
        const expected = anew();
        assert.equal(ids(), expected.jobs.map((job) => job.job_id).join(''), `step ${step}`);
        assert.equal(arranged.unaskedCount, expected.unaskedCount);
        for (const [from, to] of [
          [0, 30],
          [3, 9],
        ] as const)
          assert.deepEqual(arranged.counts(from, to), expected.counts(from, to));
      }
    });
});

describe('a filter', () => {
  it('requires all words of its text, in any case and order', () => {
    assert.ok(fitsJob(by({ text: 'billing night' }), job));
    assert.ok(fitsJob(by({ text: '77' }), job) && fitsJob(by({ text: 'ADA' }), job));
    assert.ok(!fitsJob(by({ text: 'billing daily' }), job));
    const told = run({ state: { ...state('TERMINATED', 'FAILED'), state_message: 'Disk full' }, run_name: 'ad hoc' });
    assert.ok(
      fitsRun(by({ text: 'disk' }), told, undefined, now) && fitsRun(by({ text: 'hoc' }), told, undefined, now),
    );
    assert.ok(fitsRun(by({ text: 'billing' }), told, job, now));
    assert.ok(!fitsRun(by({ text: 'billing' }), told, undefined, now));
  });

  it('selects runs by their state', () => {
    const ways: readonly [Run['state'], string][] = [
      [state('QUEUED'), 'waiting'],
      [state('RUNNING'), 'running'],
      [state('TERMINATING', 'CANCELED'), 'stopping'],
      [state('TERMINATED', 'FAILED'), 'failed'],
      [state('TERMINATED', 'TIMEDOUT'), 'timedOut'],
      [state('INTERNAL_ERROR'), 'internalError'],
      [state('TERMINATED', 'SUCCESS'), 'succeeded'],
      [state('TERMINATED', 'CANCELED'), 'cancelled'],
      [state('SKIPPED'), 'skipped'],
      [state('HIBERNATING'), 'unclear'],
    ];
    for (const [seen, wanted] of ways)
      for (const group of stateGroups)
        assert.equal(
          fitsLastRun(by({ states: [group] }), { kind: 'run', run: run({ state: seen }) }, now),
          group === wanted,
          `${JSON.stringify(seen)} ${group}`,
        );
    const behind = { kind: 'run', run: failed, isSkippedSince: true } as const;
    assert.deepEqual(
      (['failed', 'skipped', 'succeeded'] as const).map((group) => fitsLastRun(by({ states: [group] }), behind, now)),
      [true, true, false],
      'it failed, and a newer one was skipped',
    );
  });

  it('selects runs that ended within the hours, or started within them if their end is unknown', () => {
    const fits = (more: Partial<Run>): boolean => fitsRun(by({ withinHours: 2 }), run(more), undefined, now);
    const over = { state: state('TERMINATED', 'SUCCESS') };
    assert.deepEqual(
      [2 * hour, 2 * hour + 1].map((ago) => fits({ ...over, end_time: now - ago })),
      [true, false],
    );
    assert.equal(fits({ ...over, end_time: 0, start_time: now - 2 * hour }), true);
    assert.equal(fits({ ...over, end_time: 0, start_time: now - 2 * hour - 1 }), false);
    assert.equal(fits({ ...over, end_time: 0 }), false);
    assert.equal(fits({ ...over, end_time: now - 3 * hour, start_time: now }), false, 'the end counts');
  });

  it('searches every text of a run', () => {
    const told: Run = {
      run_id: '512',
      job_id: '934',
      run_name: 'ad hoc',
      creator_user_name: 'Ada',
      state: { ...state('TERMINATED', 'FAILED'), state_message: 'Disk full' },
    };
    for (const text of ['512', '934', 'hoc', 'ada', 'FULL', 'nightly', 'ada 512 full', ' '])
      assert.ok(fitsRun(by({ text }), told, job, now), text);
    for (const text of ['513', 'full disk x', 'hoc\nada'.replace('\n', '')])
      assert.ok(!fitsRun(by({ text }), told, job, now), text);
    const task = { notebook_task: {} };
    assert.ok(fitsRun(by({ types: ['notebook_task'] }), { ...told, task } as Run, undefined, now));
    assert.ok(!fitsRun(by({ types: ['spark_jar_task'] }), { ...told, task } as Run, { job_id: '1' }, now));
    assert.ok(!fitsRun(by({ types: ['notebook_task'] }), told, undefined, now));
  });
});

describe('a saved arrangement', () => {
  it('falls back to the defaults for invalid values', () => {
    for (const kept of [undefined, null, 'x', 5, [], {}]) assert.deepEqual(readArrangement(kept), plainArrangement);
    assert.deepEqual(
      readArrangement({
        by: 'x',
        sort: 1,
        activeFirst: 'yes',
        text: 5,
        states: ['failed', 'x'],
        types: 3,
        withinHours: -1,
      }),
      by({ states: ['failed'] }),
    );
  });
});
