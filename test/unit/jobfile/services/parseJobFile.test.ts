import assert from 'node:assert/strict';
import { writtenSettings } from '../../../../src/jobfile/services/parseJobFile.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

describe('what a job file says as settings', () => {
  const written = (text: string): object => writtenSettings(parseDocument(text));

  it('is nothing where it holds no map', () => {
    for (const text of ['', '# words\n', 'text', '- a\n- b\n', 'null\n', '7'])
      assert.deepEqual(written(text), {}, text);
  });

  it('is all but the number of the job and what anchors share, without keys that have no value', () => {
    assert.deepEqual(written('job_id: 7\nx-a: &a {b: 1}\nname: n\nmax_retries:\nother: *a\n'), {
      name: 'n',
      other: { b: 1 },
    });
    assert.deepEqual(written('libraries:\n  - jar: a\n    egg:\n  - {whl: null}\n'), { libraries: [{ jar: 'a' }, {}] });
    // A job as the service answers it: its settings alone.
    assert.deepEqual(written('job_id: 7\nsettings:\n  name: n\n  x-b: 1\n  job_id: 8\n'), { name: 'n', job_id: 8 });
  });
});
