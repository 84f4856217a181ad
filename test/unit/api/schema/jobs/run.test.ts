import assert from 'node:assert/strict';
import { job, run } from '../../../../../src/api/schema/jobs/run.ts';

const big = 9007199254740993n;

describe('jobs and runs as they are read', () => {
  const settingsOf = (settings: object): unknown => job.parse({ job_id: 7, settings }).settings;

  it('have the ids of their tasks as text, however the service writes them', () => {
    for (const id of [big, String(big)])
      assert.deepEqual(settingsOf({ run_job_task: { job_id: id, more: 1 }, name: 'x' }), {
        run_job_task: { job_id: '9007199254740993', more: 1 },
        name: 'x',
      });
    assert.deepEqual(settingsOf({ run_job_task: { job_id: 5 }, notebook_task: { revision_timestamp: 6 } }), {
      run_job_task: { job_id: '5' },
      notebook_task: { revision_timestamp: '6' },
    });
    assert.deepEqual(settingsOf({ run_job_task: null, notebook_task: 'odd' }), { notebook_task: 'odd' });
    assert.deepEqual(run.parse({ run_id: 1, task: { run_job_task: { job_id: big } } }).task, {
      run_job_task: { job_id: '9007199254740993' },
    });
  });

  it('go without what is null, and keep what this version does not know', () => {
    assert.deepEqual(settingsOf({ name: null, later: { a: null } }), { later: { a: null } });
    const given = { name: 'x', later: 1 };
    assert.deepEqual(settingsOf(given), given);
    const read = run.parse({ run_id: 1, job_id: null, state: { life_cycle_state: 'LATER', more: 1 }, more: 2 });
    assert.deepEqual(read, { run_id: '1', job_id: undefined, state: { life_cycle_state: 'LATER', more: 1 }, more: 2 });
  });
});
