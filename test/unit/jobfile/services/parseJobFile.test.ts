import assert from 'node:assert/strict';
import { parseJobFile } from '../../../../src/jobfile/services/parseJobFile.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

describe('a job file that is read', () => {
  const job = 'name: n\nexisting_cluster_id: c\nspark_python_task: {python_file: "dfs:/a"}\n';
  const settings = { name: 'n', existing_cluster_id: 'c', spark_python_task: { python_file: 'dfs:/a' } };

  it('has its settings and the number of its job', () => {
    assert.deepEqual(parseJobFile(job), { document: parseDocument(job), problems: [], settings });
    for (const [written, id] of [
      ['7', '7'],
      ['"7"', '7'],
      ['9223372036854775807', '9223372036854775807'],
      ['0', '0'],
    ] as const) {
      const read = parseJobFile(`job_id: ${written}\n${job}`);
      assert.deepEqual([read.jobId, read.settings], [id, settings], written);
    }
    for (const written of ['', 'x', '-7', '1.5', 'true', 'null', '[7]', '{a: 7}', '12345678901234567890', '7 8'])
      assert.equal('jobId' in parseJobFile(`job_id: ${written}\n${job}`), false, written);
    assert.equal(parseJobFile(`job_id: &a 7\n${job}`).jobId, '7');
    assert.equal(parseJobFile(`x-id: &a 7\njob_id: *a\n${job}`).jobId, '7');
    const answered = parseJobFile(`job_id: 7\nsettings:\n${job.replace(/^/gm, '  ').trimEnd()}\n`);
    assert.deepEqual([answered.jobId, answered.settings], ['7', settings]);
  });

  it('has no settings as long as one of its problems is an error, wished away or not', () => {
    const wished = parseJobFile(`${job}max_retries: many # millrace-ignore\n`);
    assert.deepEqual([wished.settings, wished.problems.map(({ code }) => code)], [undefined, ['wrongType']]);
    const warned = parseJobFile(`${job}colour: red # millrace-ignore\n`);
    assert.deepEqual(
      [warned.settings, warned.problems.map(({ code }) => code)],
      [{ ...settings, colour: 'red' }, ['unknownField']],
    );
    const broken = parseJobFile(`job_id: 7\n${job}description: "x\n`);
    assert.deepEqual([broken.settings, broken.jobId], [undefined, '7']);
  });

});
