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

  it('is no part where a name is there twice, or nothing of it has a name', () => {
    const twice = 'def one():\n    return 1\n\n\ndef one():\n    return 2\n';
    assert.deepEqual(mergeCode('x.py', twice, 'def one():\n    return 3\n'), {
      text: 'def one():\n    return 3\n',
      isWhole: true,
    });
    assert.deepEqual(mergeCode('x.py', file, '@cached\n'), { text: '@cached\n', isWhole: true });
    assert.deepEqual(mergeCode('x.py', file, '\n'), { text: '\n', isWhole: true });
    assert.deepEqual(mergeCode('x.py', 'x = 1\n', 'def one():\n    pass\n')?.isWhole, true);
  });

  it('keeps what stands around each part, and its blank lines', () => {
    assert.equal(
      merged(
        'x.py',
        'def a():\n    1\n   \n\nx = 1\n\n\n@b\n@c\nasync def d():\n    2\n',
        '@e\nasync def d():\n    3\n\n\ndef a():\n    4\n  \n',
      ),
      'def a():\n    4\n   \n\nx = 1\n\n\n@e\nasync def d():\n    3\n',
    );
    assert.equal(
      merged('x.py', '@b\nx = 1\n\n\ndef a():\n    1\n', 'def a():\n    2'),
      '@b\nx = 1\n\n\ndef a():\n    2\n',
      'what begins as a decorator and is none stays',
    );
    assert.equal(
      merged('x.py', 'def a():\n    1\n@b\ndef c():\n    2\n', 'def a():\n    3'),
      'def a():\n    3\n@b\ndef c():\n    2\n',
    );
  });

  it('takes lists at the margin for a part of a setting in YAML alone', () => {
    assert.equal(merged('a.yaml', 'a:\n- 1\n-\nb: 2\n', 'a:\n- 3\n'), 'a:\n- 3\nb: 2\n');
    assert.equal(mergeCode('x.py', 'def a():\n    1\n- 1\n', 'def a():\n    2\n- 2\n')?.isWhole, true);
    assert.equal(merged('a.yaml.txt', 'a: 1\nb: 2\n', 'a: 3\n'), 'a: 3\n');
    assert.equal(
      merged('a.yml', 'a: 1\n\n# end\n', 'a: 2\nb: 3\n'),
      'a: 2\nb: 3\n\n# end\n',
      'behind the last setting',
    );
  });

  it('goes between its ends only where both are there once, in their order', () => {
    const whole = (before: string, code: string): boolean | undefined => mergeCode('x.sh', before, code)?.isWhole;
    assert.equal(
      merged('x.sh', 'a \nb\n  c\nd\n', 'a\nx\n  c  '),
      'a\nx\n  c\nd\n',
      'blanks at line ends do not count',
    );
    assert.equal(whole('a\nb\nc\n', 'c\nx\na'), true, 'in another order');
    assert.equal(whole('a\nb\nc\n', 'a\nx\nd'), true, 'the last is not there');
    assert.equal(whole('a\nb\nc\n', 'd\nx\nc'), true, 'the first is not there');
    assert.equal(whole('a\nb\n', 'a'), true, 'one line says nothing of an end');
    assert.equal(whole('a\nc\na\n', 'a\nx\nc'), true, 'the first is there twice');
    assert.equal(whole('a\nc\nc\n', 'a\nx\nc'), true, 'the last is there twice');
    assert.equal(whole('  a\nb\nc\n', 'a\nx\nc'), true, 'blanks at the start count');
    assert.equal(merged('x.sh', 'a\nb\n', 'a\nx\nb'), 'a\nx\nb\n');
  });

  it('may be a diff with heads, below words; a diff without its lines changes nothing', () => {
    assert.deepEqual(mergeCode('x.py', 'a\n', '--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n'), {
      text: 'b\n',
      isWhole: false,
    });
    assert.equal(mergeCode('x.py', 'a\n', '@@ -1 +1 @@\n a\n'), undefined);
    assert.equal(merged('x.md', 'a\n', 'an @@ in a line\n'), 'an @@ in a line\n');
  });
});
