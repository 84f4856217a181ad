import assert from 'node:assert/strict';
import type { Run } from '../../../../src/api/schema/jobs/schemas.ts';
import { RunStore } from '../../../../src/runs/store/runStore.ts';
import { plainArrangement, type Arrangement } from '../../../../src/runs/tree/arrangement.ts';
import { TreeModel } from '../../../../src/runs/tree/treeModel.ts';
import type { TreeNode } from '../../../../src/runs/tree/treeRows.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import { now, ended, build, childrenOf } from './builtTree.ts';

describe('the lists of TreeModel', () => {
  it('does not confuse "not asked yet", "none" and "failed"', () => {
    const { store, model } = build();
    assert.deepEqual(model.roots(), []);
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    const [job] = model.roots();
    assert.equal(model.children(job as TreeNode), 'notLoaded');
    store.setRunsOf('1', [], false, now);
    assert.deepEqual(
      childrenOf(model, model.roots()[0]).map((node) => node.label),
      ['No runs yet'],
    );
    store.markStale(new AppError('network', 'The service does not answer.', { remedy: 'Start it.' }));
    const [stale, ...rest] = model.roots();
    assert.equal(stale?.context, 'stale');
    assert.equal(stale?.description, 'The service does not answer. Start it.');
    assert.equal(rest.length, 1, 'what was known is still shown');
  });

  it('says that a job has no run only where that is known', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    const [unknown] = model.roots();
    assert.deepEqual(
      [unknown?.accessibleLabel, unknown?.description],
      ['Job a, other task, last run not loaded yet', 'last run not loaded yet'],
    );
    store.setRunsOf('1', [], false, now);
    const [none] = model.roots();
    assert.deepEqual([none?.accessibleLabel, none?.description], ['Job a, other task, no runs yet', 'no runs yet']);
    assert.notDeepEqual(unknown?.icon, none?.icon);
  });

  it('says in a row of its own that entries of a list could not be read', () => {
    const { store, model } = build();
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    store.setSkipped('jobs', 'jobs/list: 1 of 2 entries could not be read and are left out.');
    const [row, job] = model.roots();
    assert.ok(row);
    assert.deepEqual(
      [row.kind, row.label, row.description, row.icon?.id, job?.label],
      [
        'message',
        'Some jobs are missing',
        'jobs/list: 1 of 2 entries could not be read and are left out.',
        'warning',
        'a',
      ],
    );
    assert.ok(row.accessibleLabel.includes('1 of 2 entries'));
    assert.deepEqual(model.details(row), [['Reason', row.description]]);
    store.setSkipped('jobs', undefined);
    assert.deepEqual(
      model.roots().map(({ label }) => label),
      ['a'],
    );
  });

  it('has the runs of all jobs by time, each under the name of its job', () => {
    const store = new RunStore();
    let arrangement: Arrangement = { ...plainArrangement, by: 'time' };
    const model = new TreeModel({ profileId: 'local', store, now: () => now, arrangement: () => arrangement });
    store.setJobs([{ job_id: '1', settings: { name: 'a' } }], now);
    const of = (id: string, start: number, more: Partial<Run> = {}): Run => ({
      run_id: id,
      job_id: '1',
      number_in_job: id,
      run_type: 'JOB_RUN',
      start_time: now - start,
      end_time: now,
      state: ended,
      ...more,
    });
    assert.deepEqual(model.roots(), [], 'they were not asked for yet');
    store.setAllRuns(
      [of('5', 100), of('4', 200, { job_id: '9', run_type: 'SUBMIT_RUN', run_name: 'ad hoc' })],
      true,
      now,
    );
    const labels = (): string[] => model.roots().map(({ label }) => label);
    assert.deepEqual(labels(), ['a #5', 'ad hoc', 'Load older runs…']);
    const [first] = model.roots();
    assert.deepEqual(
      [first?.id, first?.expandable, first?.description],
      ['local/time/run/5', false, 'Succeeded just now · 100 ms'],
    );
    store.mergeRuns([of('6', 50), of('3', 300, { job_id: '8' })], now);
    assert.deepEqual(labels(), ['a #6', 'a #5', 'ad hoc', 'Load older runs…'], 'between 4 and 3 there may be others');
    store.setAllRuns(
      [of('4', 200, { job_id: '9', run_type: 'SUBMIT_RUN', run_name: 'ad hoc' }), of('2', 400)],
      false,
      now,
      {
        older: true,
      },
    );
    assert.deepEqual(labels(), ['a #6', 'a #5', 'ad hoc', 'a #2']);
    arrangement = { ...arrangement, text: 'hoc' };
    assert.deepEqual(labels(), ['ad hoc']);
    assert.deepEqual(model.counts, { shown: 1, all: 4, unasked: 0 });
    store.setJobs(
      ['1', '9'].map((id) => ({ job_id: id, settings: { name: 'weekly', notebook_task: { notebook_path: '/n' } } })),
      now,
    );
    for (const filter of [{ text: 'weekly' }, { text: '', types: ['notebook_task'] }]) {
      arrangement = { ...arrangement, ...filter };
      assert.deepEqual(labels(), ['weekly #6', 'weekly #5', 'weekly #2'], 'by its job, which a one-time run has not');
    }
    assert.deepEqual([model.job('1'), model.oneTime(), model.ranges()], [undefined, undefined, []]);
  });

  it('gives thousands of jobs in pieces, by name, and says of each piece what is broken in it', () => {
    const { store, model } = build();
    const names = Array.from({ length: 2500 }, (_, index) => `job ${String(index).padStart(4, '0')}`);
    store.setJobs(
      names.map((name, index) => ({ job_id: String(index + 1), settings: { name } })),
      now,
    );
    store.mergeRuns(
      [
        {
          run_id: '1',
          job_id: '1001',
          run_type: 'JOB_RUN',
          state: { life_cycle_state: 'TERMINATED', result_state: 'FAILED' },
        },
        { run_id: '2', job_id: '1500', run_type: 'JOB_RUN', state: { life_cycle_state: 'RUNNING' } },
      ],
      now,
    );
    const roots = model.roots();
    assert.equal(roots.length, 1002);
    const [first, second] = roots.slice(1000);
    assert.deepEqual([first?.label, first?.description], ['job 1000 … job 1999', '1000 jobs · 1 failed · 1 active']);
    assert.deepEqual([second?.label, second?.description], ['job 2000 … job 2499', '500 jobs']);
    const shown = [...roots.slice(0, 1000), ...childrenOf(model, first), ...childrenOf(model, second)];
    assert.deepEqual(
      shown.map((node) => node.label),
      names,
    );
  });

  it('counts the jobs that a filter lets through, of how many, and those of which it cannot tell', () => {
    const { store, model } = build({ arrangement: () => ({ ...plainArrangement, states: ['failed'] }) });
    store.setJobs(
      ['1', '2', '3'].map((id) => ({ job_id: id, settings: { name: id } })),
      now,
    );
    const failed = { life_cycle_state: 'TERMINATED', result_state: 'FAILED' };
    store.setRunsOf('1', [{ run_id: '5', job_id: '1', run_type: 'JOB_RUN', state: failed }], false, now);
    store.setRunsOf('2', [{ run_id: '6', job_id: '2', run_type: 'JOB_RUN', state: ended }], false, now);
    assert.deepEqual(
      [model.isByTime, model.roots().map(({ label }) => label), model.counts],
      [false, ['1'], { shown: 1, all: 3, unasked: 1 }],
    );
    const byTime = build({ arrangement: () => ({ ...plainArrangement, by: 'time' }) });
    assert.deepEqual([byTime.model.isByTime, byTime.model.counts], [true, { shown: 0, all: 0, unasked: 0 }]);
  });
});
