import assert from 'node:assert/strict';
import { failedRunOf } from './failedRunOf.ts';

const traceOf = (...places: readonly string[]): string =>
  ['Traceback (most recent call last):', ...places.map((place) => `  ${place}, in f`), 'KeyError: 1'].join('\n');

describe('what is known of a failure', () => {
  it('is in the file whose path is the longest that fits, the innermost place first', async () => {
    const files = { 'etl.py': 'a', 'jobs/etl.py': 'b', 'x/jobs/etl.py': 'c', 'other.py': 'd' };
    const { steps, error } = await failedRunOf(files, {
      error_trace: traceOf(
        'File "/w/other.py", line 9',
        'File "/w/jobs/etl.py", line 3',
        'File "/lib/python3/json.py", line 1',
      ),
    });
    assert.deepEqual(
      steps.map(({ file, line }) => `${file.path}:${line}`),
      ['jobs/etl.py:3', 'other.py:9'],
    );
    assert.equal(error, 'KeyError: 1');
  });

  it('ends with what was written last where nothing was raised, and without it where something was', async () => {
    const logs = `${'a'.repeat(10)}${'b'.repeat(4000)}`;
    const silent = await failedRunOf({}, { logs, state_message: ' Exit code 1. ' });
    assert.deepEqual(
      [silent.error, silent.text, silent.steps],
      ['Exit code 1.', ` Exit code 1. \n${'b'.repeat(4000)}`, []],
    );
    const trace = traceOf('File "/w/a.py", line 1');
    assert.equal((await failedRunOf({}, { logs, error_trace: trace, state_message: 'm' })).text, `${trace}\nm`);
  });
});
