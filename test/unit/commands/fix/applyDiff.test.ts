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

  it('is none where the text is something else, or changes nothing', () => {
    assert.deepEqual(readDiff('x = 1\nprint(x)\n'), []);
    assert.deepEqual(readDiff('--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n'), []);
  });
});
