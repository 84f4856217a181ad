import assert from 'node:assert/strict';
import { mergeCode } from '../../../../src/commands/fix/mergeCode.ts';

const file =
  'import os\n\n\n@cached\ndef one(\n    a,\n):\n    return 1\n\n\nclass Two:\n    x = 1\n\n\nprint(one())\n';
const job =
  'name: a\n# why\nspark_python_task:\n  python_file: /a.py\nlibraries:\n- pypi:\n    package: x\nexisting_cluster_id: local\n';
const merged = (name: string, before: string, code: string): string | undefined => mergeCode(name, before, code)?.text;

describe('code of an answer in its file', () => {
  it('takes the place of the functions and classes of the same names, with their decorators', () => {
    assert.equal(
      merged('x.py', file, 'def one(a, b):\n    return 2\n\n\nclass Two:\n    x = 2\n'),
      'import os\n\n\ndef one(a, b):\n    return 2\n\n\nclass Two:\n    x = 2\n\n\nprint(one())\n',
    );
  });

  it('is the whole file where it has anything else, or a name that the file has not, and says so', () => {
    for (const code of ['import re\n\n\ndef one():\n    pass\n', 'def three():\n    pass\n'])
      assert.deepEqual(mergeCode('x.py', file, code), { text: code, isWhole: true });
    assert.equal(mergeCode('x.py', file, 'class Two:\n    pass')?.isWhole, false);
  });

  it('goes between its first and last line where the file has both once', () => {
    assert.equal(merged('x.sh', 'a\nb\nc\nd\n', 'b\nx\ny\nd'), 'a\nb\nx\ny\nd\n');
    assert.equal(merged('x.sh', 'a\nb\nc\nb\n', 'b\nx\nc'), 'b\nx\nc\n');
  });

  it('changes the settings of a job file that it has, and adds those that are new', () => {
    assert.equal(
      merged('a.job.yml', job, 'libraries:\n- pypi:\n    package: rich\nmax_retries: 2\n'),
      job.replace('package: x', 'package: rich') + 'max_retries: 2\n',
    );
    assert.equal(mergeCode('a.yml', job, 'other: 1\n')?.isWhole, true);
  });

  it('keeps the line ends of the file', () => {
    assert.equal(
      merged('a.job.yml', job.replaceAll('\n', '\r\n'), 'name: b\n'),
      job.replace('a\n', 'b\n').replaceAll('\n', '\r\n'),
    );
    assert.equal(merged('x.txt', 'a\r\n', 'b\nc'), 'b\r\nc\r\n');
  });

  it('is no diff where a comment or the head of a document begins with dashes', () => {
    assert.equal(merged('x.sql', 'select 2\n', '--- totals\nselect 1\n'), '--- totals\nselect 1\n');
    assert.equal(merged('x.yml', 'a: 1\n', '--- # mine\n- item\n'), '--- # mine\n- item\n');
  });

  it('may be a diff, which is refused where it is about other lines', () => {
    assert.equal(merged('x.py', 'a\n', '@@ -1 +1 @@\n-a\n+b\n'), 'b\n');
    assert.equal(merged('x.py', 'a\n', '@@ -1 +1 @@\n-x\n+b\n'), undefined);
  });
});
