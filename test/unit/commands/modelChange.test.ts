import assert from 'node:assert/strict';
import type { ChatMessage } from '../../../src/api/schema/inference/schemas.ts';
import { applyDiff, readDiff } from '../../../src/commands/fix/applyDiff.ts';
import { askModel } from '../../../src/commands/fix/askModel.ts';
import { cellFile, type Proposal } from '../../../src/commands/fix/failedRun.ts';
import { mergeCode } from '../../../src/commands/fix/mergeCode.ts';
import { failedRunOf, plainJob } from './failedRunOf.ts';

const file = 'import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 1\n';

function changed(before: string, diff: string): string | undefined {
  const [first] = readDiff(diff);
  return first && applyDiff(before, first);
}

describe('a diff from a model', () => {
  it('applies despite wrong line numbers and counts', () => {
    const diff = '--- a/jobs/x.py\n+++ b/jobs/x.py\n@@ -8,1 +9,9 @@\n def two():\n-    return 1\n+    return 2\n';
    assert.equal(changed(file, diff), file.replace(/return 1\n$/, 'return 2\n'));
    assert.equal(readDiff(diff)[0]?.path, 'jobs/x.py');
    assert.equal(changed(file, diff.replace('-8,1', '-1,7')), file.replace(/return 1\n$/, 'return 2\n'));
  });

  it('applies at the nearest of equal places, or nowhere if none is nearest', () => {
    assert.equal(
      changed(file, '@@ -8 +8 @@\n-    return 1\n+    return 2\n'),
      file.replace(/return 1\n$/, 'return 2\n'),
    );
    assert.equal(changed(file, '@@ -4 +4 @@\n-    return 1\n+    return 2\n'), file.replace('return 1', 'return 2'));
    assert.equal(changed(file, '@@\n-    return 1\n+    return 2\n'), undefined);
    assert.equal(changed(file, '@@ @@\n-    return 7\n+    return 2\n'), undefined);
  });

  it('keeps line endings and trailing blanks', () => {
    assert.equal(changed('a  \r\nb\r\n', '@@ -1,2 +1,3 @@\n a\n+x\n b\n'), 'a  \r\nx\r\nb\r\n');
  });

  it('can cover several files, one of them new', () => {
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

  it('is rejected when it is other text or changes nothing', () => {
    assert.deepEqual(readDiff('x = 1\nprint(x)\n'), []);
    assert.deepEqual(readDiff('--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n'), []);
  });

  it('names its file in the formats of git and other tools', () => {
    const paths = (heads: string): (string | undefined)[] =>
      readDiff(`${heads}\n@@ -1 +1 @@\n-a\n+b\n`).map(({ path }) => path);
    assert.deepEqual(paths('--- a/lib/b/x.py\t2024-01-01\n+++ b/lib/b/x.py\t2024-01-02'), ['lib/b/x.py']);
    assert.deepEqual(paths('--- x.py \n+++  y.py '), ['y.py']);
    assert.deepEqual(paths('--- a/gone.py\n+++ /dev/null'), ['gone.py']);
    assert.deepEqual(paths('--- /dev/null\n+++ b/'), [undefined]);
    assert.deepEqual(paths('nothing'), [undefined]);
  });

  it('ends at the next file', () => {
    const [first, second, more] = readDiff(
      '--- a/x\n+++ b/x\n@@ -3 +3 @@\n-a\n+b\ndiff --git a/y b/y\ndeleted file mode 100644\nindex 1..2\nnoise\n--- a/y\n+++ b/y\n@@\n-c\n+d\n',
    );
    assert.deepEqual(first, { path: 'x', hunks: [{ hint: 2, old: ['a'], now: ['b'] }] });
    assert.deepEqual(second, { path: 'y', hunks: [{ hint: undefined, old: ['c'], now: ['d'] }] });
    assert.equal(more, undefined);
  });
});

describe('code of an answer', () => {
  const file =
    'import os\n\n\n@cached\ndef one(\n    a,\n):\n    return 1\n\n\nclass Two:\n    x = 1\n\n\nprint(one())\n';

  const job =
    'name: a\n# why\nspark_python_task:\n  python_file: /a.py\nlibraries:\n- pypi:\n    package: x\nexisting_cluster_id: local\n';

  const merged = (name: string, before: string, code: string): string | undefined =>
    mergeCode(name, before, code)?.text;

  it('replaces the functions and classes of the same names, with their decorators', () => {
    assert.equal(
      merged('x.py', file, 'def one(a, b):\n    return 2\n\n\nclass Two:\n    x = 2\n'),
      'import os\n\n\ndef one(a, b):\n    return 2\n\n\nclass Two:\n    x = 2\n\n\nprint(one())\n',
    );
  });

  it('is the whole file when it has anything else', () => {
    for (const code of ['import re\n\n\ndef one():\n    pass\n', 'def three():\n    pass\n'])
      assert.deepEqual(mergeCode('x.py', file, code), { text: code, isWhole: true });
    assert.equal(mergeCode('x.py', file, 'class Two:\n    pass')?.isWhole, false);
  });

  it('replaces the lines between its first and last line if both are unique', () => {
    assert.equal(merged('x.sh', 'a\nb\nc\nd\n', 'b\nx\ny\nd'), 'a\nb\nx\ny\nd\n');
    assert.equal(merged('x.sh', 'a\nb\nc\nb\n', 'b\nx\nc'), 'b\nx\nc\n');
  });

  it('changes the settings of a job file and adds new ones', () => {
    assert.equal(
      merged('a.job.yml', job, 'libraries:\n- pypi:\n    package: rich\nmax_retries: 2\n'),
      job.replace('package: x', 'package: rich') + 'max_retries: 2\n',
    );
    assert.equal(mergeCode('a.yml', job, 'other: 1\n')?.isWhole, true);
  });

  it('can be a diff, which is refused for other lines', () => {
    assert.equal(merged('x.py', 'a\n', '@@ -1 +1 @@\n-a\n+b\n'), 'b\n');
    assert.equal(merged('x.py', 'a\n', '@@ -1 +1 @@\n-x\n+b\n'), undefined);
  });

  it('is the whole file when a name occurs twice or is missing', () => {
    const twice = 'def one():\n    return 1\n\n\ndef one():\n    return 2\n';
    assert.deepEqual(mergeCode('x.py', twice, 'def one():\n    return 3\n'), {
      text: 'def one():\n    return 3\n',
      isWhole: true,
    });
    assert.deepEqual(mergeCode('x.py', file, '@cached\n'), { text: '@cached\n', isWhole: true });
    assert.deepEqual(mergeCode('x.py', file, '\n'), { text: '\n', isWhole: true });
    assert.deepEqual(mergeCode('x.py', 'x = 1\n', 'def one():\n    pass\n')?.isWhole, true);
  });
});

const error = 'ValueError: no';

const trace = [
  'Traceback (most recent call last):',
  '  File "/w/jobs/etl.py", line 2, in <module>\n    run()',
  '  File "/w/lib/own.py", line 1, in run\n    x',
  error,
].join('\n');

const files = {
  'etl.job.yml': plainJob,
  'jobs/etl.py': 'from own import run\nrun()\n',
  'lib/own.py': 'def run(): x\n',
  'notes.md': 'N\n',
};

describe('asking a model for a fix', () => {
  let asked: ChatMessage[][];
  beforeEach(() => void (asked = []));

  async function ask(
    content: string,
    present: Readonly<Record<string, string>> = files,
    output: Record<string, string> = { error, error_trace: trace },
  ): Promise<Proposal | string> {
    return askModel(
      async (messages) => {
        asked.push(messages);
        return content;
      },
      await failedRunOf(present, output),
    );
  }
  /** Returns the path and the new text of the file that the answer changes. */
  async function changed(content: string, present = files): Promise<readonly [string, string] | string> {
    const made = await ask(content, present);
    return typeof made === 'string' ? made : [made.file.path, made.text];
  }

  it('sends the error, the files of the trace and the job file', async () => {
    await ask('no');
    const [messages = assert.fail()] = asked;
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user'],
    );
    assert.match(
      String(messages[0]?.content),
      /^A job failed\. .* unified diff of that file .* Change no other file\. /,
    );
    assert.equal(
      messages[1]?.content,
      [
        `Error:\n${trace}\n${error}\n`,
        'It happened in lib/own.py, line 1.',
        'Parameters: null',
        'Files: etl.job.yml, jobs/etl.py, lib/own.py, notes.md',
        'lib/own.py:\n```\ndef run(): x\n\n```',
        'jobs/etl.py:\n```\nfrom own import run\nrun()\n\n```',
        `etl.job.yml:\n\`\`\`\n${plainJob}\n\`\`\``,
      ].join('\n\n'),
    );
  });

  it('changes the file that the diff names', async () => {
    const diff = (path: string, line: string, now: string): string =>
      `It is x.\n\n\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${line}\n+${now}\n\`\`\`\n`;
    assert.deepEqual(await changed(diff('lib/own.py', 'def run(): x', 'def run(): y')), [
      'lib/own.py',
      'def run(): y\n',
    ]);
    assert.deepEqual(await changed(diff('own.py', 'def run(): x', 'def run(): y')), ['lib/own.py', 'def run(): y\n']);
    assert.deepEqual(await changed(diff('/notes.md', 'N', 'M')), ['notes.md', 'M\n']);
    assert.equal(await changed(diff('wn.py', 'def run(): x', 'y')), 'It is x.', 'no end of a name');
    assert.equal(await changed(diff('lib/own.py', 'def other()', 'y')), 'It is x.', 'other lines');
    const made = await ask(diff('notes.md', 'N', 'M'));
    assert.equal((made as Proposal).what, 'It is x.');
  });

  it('applies code to the named file, otherwise to the innermost file of the trace', async () => {
    const code = '```python\ndef run(): z\n```';
    assert.deepEqual(await changed(`Broken.\n\n${code}\n`), ['lib/own.py', 'def run(): z\n']);
    assert.deepEqual(await changed('In `jobs/etl.py`:\n\n~~~python\nrun2()\n~~~\n'), ['jobs/etl.py', 'run2()\n']);
    assert.deepEqual(await changed('````\n```\ndef run(): z\n````\n'), ['lib/own.py', '```\ndef run(): z\n']);
    assert.equal(await changed('Broken.\n\n```python\ndef run(): x\n```\n'), 'Broken.', 'that is what it says already');
  });

  it('reports the first sentence of an answer without a change', async () => {
    assert.equal(await ask('\n  The disk is full.  \nMore.'), 'The disk is full.');
    assert.equal(await ask('<think>Hm.\n```\nx\n```\n</think>The disk is full.'), 'The disk is full.');
    assert.equal(await ask('```\nnot closed'), 'not closed');
    assert.equal(await ask('x'.repeat(400)), 'x'.repeat(300));
    for (const blank of ['', '\n', '  \n\t\n'])
      assert.equal(
        await changed(`The disk is full.\n\n\`\`\`python\n${blank}\`\`\`\n`),
        'The disk is full.',
        'no file is emptied',
      );
    for (const nothing of ['', '```\n```'])
      assert.equal(await ask(nothing), 'The model gave no usable answer.', nothing);
  });
});

describe('the code of a notebook cell', () => {
  const book = (cells: unknown[], indent: number | string = 1, end = '\n'): string =>
    JSON.stringify({ cells, metadata: {}, nbformat: 4 }, undefined, indent) + end;

  const file = (text: string) => ({
    path: 'jobs/book.ipynb',
    name: 'book.ipynb',
    uri: 'file:///w/jobs/book.ipynb',
    text,
    isJobFile: false,
    isDirty: false,
  });

  const code = (source: unknown, more: object = {}): object => ({ cell_type: 'code', source, ...more });

  const cells = [
    { cell_type: 'raw', source: 'raw' },
    { cell_type: 'markdown', source: ['# Title\n'] },
    code(['a = 1\n', 'b = 2']),
    code(' \n'),
    code('c = 3', { outputs: [{ text: 'kept' }] }),
  ];

  it('is changed in the notebook, whose other text stays', () => {
    for (const indent of [1, 2, 4, '\t', 0])
      for (const end of ['\n', '']) {
        const text = book(cells, indent, end);
        const lines = cellFile(file(text), 2);
        assert.equal(lines?.notebook.text, text);
        assert.equal(
          lines?.notebookWith('x\ny\n'),
          book(cells.with(2, code(['x\n', 'y\n'])), indent, end),
          'a list of lines stays one',
        );
        assert.equal(
          cellFile(file(text), 4)?.notebookWith('x\ny'),
          book(cells.with(4, code('x\ny', { outputs: [{ text: 'kept' }] })), indent, end),
          'a text stays one',
        );
      }
  });

  it('is undefined for text cells, other languages and unusual notebooks', () => {
    for (const text of [
      book([code('%%sql\nSELECT 1')]),
      book([code('  !ls')]),
      book([code('a')], 3),
      `${book([code('a')])}\n`,
      book([{ cell_type: 'code' }]),
      '{"cells": 5}',
      'null',
      '{',
    ])
      assert.equal(cellFile(file(text), 1), undefined, text);
    assert.equal(cellFile(file(book([code('a %b')])), 1)?.text, 'a %b');
  });
});
