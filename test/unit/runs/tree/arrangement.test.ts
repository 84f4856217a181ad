import assert from 'node:assert/strict';
import type { Job, Run } from '../../../../src/api/schema/jobs/schemas.ts';
import {
  fitsJob,
  fitsLastRun,
  fitsRun,
  plainArrangement,
  readArrangement,
  type Arrangement,
} from '../../../../src/runs/tree/arrangement.ts';

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

describe('what fits a filter', () => {
  it('has all words of the text, in any case and place', () => {
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

  it('went in one of the ways that are looked for', () => {
    const ways: readonly [Run['state'], string][] = [
      [state('QUEUED'), 'active'],
      [state('RUNNING'), 'active'],
      [state('TERMINATED', 'FAILED'), 'failed'],
      [state('TERMINATED', 'TIMEDOUT'), 'failed'],
      [state('INTERNAL_ERROR'), 'failed'],
      [state('TERMINATED', 'SUCCESS'), 'succeeded'],
      [state('TERMINATED', 'CANCELED'), 'stopped'],
      [state('SKIPPED'), 'stopped'],
      [state('HIBERNATING'), 'unclear'],
    ];
    for (const [seen, wanted] of ways)
      for (const group of ['active', 'failed', 'succeeded', 'stopped', 'unclear', 'none'] as const)
        assert.equal(
          fitsLastRun(by({ states: [group] }), { kind: 'run', run: run({ state: seen }) }, now),
          group === wanted,
          `${JSON.stringify(seen)} ${group}`,
        );
    const behind = { kind: 'run', run: failed, isSkippedSince: true } as const;
    assert.deepEqual(
      (['failed', 'stopped', 'succeeded'] as const).map((group) => fitsLastRun(by({ states: [group] }), behind, now)),
      [true, true, false],
      'it failed, and a newer one was skipped',
    );
  });

  it('ended within the hours, to the moment, or began within them where nobody says when it ended', () => {
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

  it('of a run is found by each text that it has', () => {
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

describe('an arrangement that was kept', () => {
  it('is read back as it was', () => {
    const arrangement = by({
      by: 'time',
      sort: 'nextRun',
      activeFirst: true,
      text: 'a',
      states: ['failed'],
      withinHours: 2,
    });
    assert.deepEqual(readArrangement(JSON.parse(JSON.stringify(arrangement))), arrangement);
  });

  it('is plain in what cannot be read', () => {
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
