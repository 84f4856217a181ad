import assert from 'node:assert/strict';
import type { RunRecord } from '../../../../src/service/engine/runRecord.ts';
import { outcomeParts } from '../../../../src/service/engine/runWire.ts';

describe('what is told of a run beside its output', () => {
  const run = (more: object): RunRecord => ({ detail: '', message: 'No Python.', endedAt: 5, ...more }) as never;
  const notebook = run({ detail: '"task":{"notebook_task":{}}', result: 'SUCCESS' });

  it('is the result of a notebook, and of nothing else', () => {
    const outcome = { notebookResult: { result: '42' } };
    assert.deepEqual(outcomeParts(notebook, outcome), { notebook_output: { result: '42' } });
    assert.deepEqual(outcomeParts(notebook, {}), {});
    assert.deepEqual(outcomeParts(run({ result: 'SUCCESS' }), outcome), {});
  });

  it('is why it failed: its own error, else what the service says of a run that ended without a result', () => {
    const failed = { error: 'ValueError: no', errorTrace: 'Traceback' };
    assert.deepEqual(outcomeParts(run({ result: 'FAILED' }), failed), {
      error: 'ValueError: no',
      error_trace: 'Traceback',
    });
    assert.deepEqual(outcomeParts(run({}), undefined), { error: 'No Python.' });
    assert.deepEqual(outcomeParts(run({ endedAt: undefined }), undefined), {});
    assert.deepEqual(outcomeParts(run({ result: 'SUCCESS' }), undefined), {});
  });
});
