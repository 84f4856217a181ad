import assert from 'node:assert/strict';
import { applyDiff, readDiff } from '../../../../src/commands/fix/applyDiff.ts';

const file = 'import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 1\n';

function changed(before: string, diff: string): string | undefined {
  const [first] = readDiff(diff);
  return first && applyDiff(before, first);
}

describe('a diff that a model writes', () => {
  it('changes the place that it names, also where its line numbers and counts are wrong', () => {
    const diff = '--- a/jobs/x.py\n+++ b/jobs/x.py\n@@ -8,1 +9,9 @@\n def two():\n-    return 1\n+    return 2\n';
    assert.equal(changed(file, diff), file.replace(/return 1\n$/, 'return 2\n'));
    assert.equal(readDiff(diff)[0]?.path, 'jobs/x.py');
    assert.equal(changed(file, diff.replace('-8,1', '-1,7')), file.replace(/return 1\n$/, 'return 2\n'));
  });

  it('takes of places that are alike the nearest one, and none where nothing tells which', () => {
    assert.equal(
      changed(file, '@@ -8 +8 @@\n-    return 1\n+    return 2\n'),
      file.replace(/return 1\n$/, 'return 2\n'),
    );
    assert.equal(changed(file, '@@ -4 +4 @@\n-    return 1\n+    return 2\n'), file.replace('return 1', 'return 2'));
    assert.equal(changed(file, '@@\n-    return 1\n+    return 2\n'), undefined);
    assert.equal(changed(file, '@@ @@\n-    return 7\n+    return 2\n'), undefined);
  });

  it('needs no heads, and an empty line of it no blank', () => {
    assert.equal(changed(file, '-import os\n+import sys\n\n\n def one():\n'), file.replace('os', 'sys'));
    assert.equal(changed('a\nb', '@@ -1,2 +1,3 @@\n a\n+c\n b\n\\ No newline at end of file\n'), 'a\nc\nb');
  });

  it('shifts later places by what the ones before add, and adds lines where nothing stands beside them', () => {
    const diff = '@@ -1 +1,3 @@\n import os\n+import sys\n+import re\n@@ -5 +7 @@\n-    return 1\n+    return 3\n';
    assert.equal(
      changed(file, diff),
      file.replace('os\n', 'os\nimport sys\nimport re\n').replace('return 1', 'return 3'),
    );
    assert.equal(changed('a\nb\nr\nr\n', '@@ -1 +1,3 @@\n a\n+x\n+y\n@@ -4 +6 @@\n-r\n+s\n'), 'a\nx\ny\nb\nr\ns\n');
    assert.equal(changed('a\n', '@@ -1,0 +1 @@\n+b\n'), 'b\na\n');
    assert.equal(changed('a\n', '@@ -9,0 +9 @@\n+b\n'), undefined);
  });

  it('keeps the line ends of the file, and the blanks of lines that stay', () => {
    assert.equal(changed('a  \r\nb\r\n', '@@ -1,2 +1,3 @@\n a\n+x\n b\n'), 'a  \r\nx\r\nb\r\n');
  });

  it('may be about several files, one of them new', () => {
    const diff =
      'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n' +
      'diff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+n\n';
    assert.deepEqual(
      readDiff(diff).map(({ path, hunks }) => [path, hunks.length]),
      [
        ['x', 1],
        ['y', 1],
      ],
    );
  });

  it('has no line of what git says between two files', () => {
    const second = '--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n';
    for (const head of [
      'diff --git a/y b/y\nindex 1..2 100644\n',
      'index 1..2 100644\n',
      'new file mode 100644\n',
      'deleted file mode 100644\n',
    ]) {
      const diff = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n${head}-lost\n${second}`;
      assert.deepEqual(
        readDiff(diff).map(({ hunks }) => hunks.map(({ old, now }) => [old, now])),
        [[[['a'], ['b']]], [[['c'], ['d']]]],
        head,
      );
    }
  });

  it('is none where the text is something else, or changes nothing', () => {
    assert.deepEqual(readDiff('x = 1\nprint(x)\n'), []);
    assert.deepEqual(readDiff('--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n'), []);
  });

  it('names its file as git and others write it, and none where it names nothing', () => {
    const paths = (heads: string): (string | undefined)[] =>
      readDiff(`${heads}\n@@ -1 +1 @@\n-a\n+b\n`).map(({ path }) => path);
    assert.deepEqual(paths('--- a/lib/b/x.py\t2024-01-01\n+++ b/lib/b/x.py\t2024-01-02'), ['lib/b/x.py']);
    assert.deepEqual(paths('--- x.py \n+++  y.py '), ['y.py']);
    assert.deepEqual(paths('--- a/gone.py\n+++ /dev/null'), ['gone.py']);
    assert.deepEqual(paths('--- /dev/null\n+++ b/'), [undefined]);
    assert.deepEqual(paths('nothing'), [undefined]);
  });

  it('ends where the next file or another word of git begins', () => {
    const [first, second, more] = readDiff(
      '--- a/x\n+++ b/x\n@@ -3 +3 @@\n-a\n+b\ndiff --git a/y b/y\ndeleted file mode 100644\nindex 1..2\nnoise\n--- a/y\n+++ b/y\n@@\n-c\n+d\n',
    );
    assert.deepEqual(first, { path: 'x', hunks: [{ hint: 2, old: ['a'], now: ['b'] }] });
    assert.deepEqual(second, { path: 'y', hunks: [{ hint: undefined, old: ['c'], now: ['d'] }] });
    assert.equal(more, undefined);
  });

  it('takes lines that only look like a head for lines', () => {
    assert.deepEqual(readDiff('@@ -1,2 +1,2 @@\n--- x\n+-- y\n @@ z\n')[0]?.hunks, [
      { hint: 0, old: ['-- x', '@@ z'], now: ['-- y', '@@ z'] },
    ]);
    assert.deepEqual(readDiff('-a\n+b\n')[0]?.hunks, [{ hint: undefined, old: ['a'], now: ['b'] }]);
    assert.deepEqual(readDiff('words\n  - a list\n'), []);
    assert.deepEqual(readDiff('@@ -0,0 +1 @@\n+a\n')[0]?.hunks, [{ hint: 0, old: [], now: ['a'] }]);
    assert.deepEqual(readDiff('@@ x @@ -7 +7\n+a\n')[0]?.hunks, [{ hint: undefined, old: [], now: ['a'] }]);
  });

  it('of which one place of several changes something is a diff', () => {
    assert.equal(changed('a\nb\nc\n', '@@ -1 +1 @@\n a\n@@ -3 +3 @@\n-c\n+d\n'), 'a\nb\nd\n');
  });

  it('changes its places in their order, each behind the one before', () => {
    assert.equal(changed('r\nx\nr\n', '@@ -3 +3 @@\n-r\n+s\n@@ -1 +1 @@\n-r\n+t\n'), undefined);
    assert.equal(changed('a\nb\nc\nd\n', '@@ -2,2 +2 @@\n-b\n-c\n@@ -4,0 +3 @@\n+e\n'), 'a\ne\nd\n');
    assert.equal(changed('a\nb\n', '@@ -1 +1 @@\n-a\n+c\n@@ -1,0 +1 @@\n+d\n'), 'c\nd\nb\n');
    assert.equal(changed('a', '@@ -2,0 +2 @@\n+b\n'), 'a\nb');
    assert.equal(changed('a\nb', '@@\n+x\n'), undefined, 'nothing says where');
    assert.equal(changed('a\nb\n', '@@ -1,3 +1 @@\n-a\n-b\n-\n-\n+c\n'), undefined, 'longer than the file');
  });
});
