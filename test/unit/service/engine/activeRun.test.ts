import assert from 'node:assert/strict';
import { takesPlace, type ActiveRun } from '../../../../src/service/engine/activeRun.ts';

describe('a run that is not over', () => {
  const run = (settings: object): ActiveRun => ({ settings }) as unknown as ActiveRun;

  it('takes a place on the machine, unless it only waits for another job', () => {
    assert.equal(takesPlace(run({ spark_python_task: { python_file: '/a.py' } })), true);
    assert.equal(takesPlace(run({})), true);
    assert.equal(takesPlace(run({ run_job_task: { job_id: '5' } })), false);
  });
});
