import assert from 'node:assert/strict';
import type { Run } from '../../../src/api/schema/jobs/schemas.ts';
import { isNewer, isOneTime } from '../../../src/runs/runOrder.ts';

describe('a one-time run', () => {
  it('is one of its type, and where no type is told one without a job', () => {
    const rows: [type: string | undefined, jobId: string | undefined, isOne: boolean][] = [
      ['SUBMIT_RUN', '7', true],
      ['SUBMIT_RUN', undefined, true],
      ['JOB_RUN', '7', false],
      ['JOB_RUN', undefined, false],
      ['WORKFLOW_RUN', undefined, false],
      [undefined, '7', false],
      [undefined, undefined, true],
    ];
    for (const [type, jobId, isOne] of rows)
      assert.equal(isOneTime({ run_id: '1', run_type: type, job_id: jobId } as Run), isOne, `${type} ${jobId}`);
  });
});

describe('the newer of two runs', () => {
  const run = (id: string, start?: number): Run => ({ run_id: id, start_time: start }) as Run;

  it('is the one that started later', () => {
    assert.equal(isNewer(run('1', 200), run('2', 100)), true);
    assert.equal(isNewer(run('2', 100), run('1', 200)), false);
  });

  it('is the one with the larger id, as a number, where both started at once or one has not started', () => {
    for (const [left, right] of [
      [100, 100],
      [undefined, undefined],
      [undefined, 100],
      [100, undefined],
      [0, 100],
      [100, 0],
    ]) {
      assert.equal(isNewer(run('10', left), run('9', right)), true, `${left} ${right}`);
      assert.equal(isNewer(run('9', left), run('10', right)), false, `${left} ${right}`);
      assert.equal(isNewer(run('9007199254740993', left), run('9007199254740992', right)), true);
    }
    assert.equal(isNewer(run('9', 100), run('9', 100)), false);
  });
});
