import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lineOfCell } from '../../../../src/runs/output/cellPlaces.ts';
import { readTrace } from '../../../../src/runs/output/failingPlace.ts';
import { placesIn } from '../../../../src/runs/output/places.ts';
import { root } from '../../../support/paths.ts';

describe('places in an output', () => {
  const shown = (line: string): string[] =>
    placesIn(line).map(({ start, end, file, line: number }) => `${line.slice(start, end)} → ${file}:${number}`);

  it('are those of tracebacks of each language, and of what else names a file with a line', () => {
    assert.deepEqual(shown('  File "/w/billing/rates.py", line 42, in rate_for'), [
      'File "/w/billing/rates.py", line 42 → /w/billing/rates.py:42',
    ]);
    assert.deepEqual(shown('  File "<cell 3>", line 1, in <module>'), ['File "<cell 3>", line 1 → <cell 3>:1']);
    assert.deepEqual(
      shown("SyntaxError: Non-UTF-8 code starting with '\\xe9' in file /w/my job.py on line 2, but no"),
      ['/w/my job.py on line 2 → /w/my job.py:2'],
    );
    assert.deepEqual(shown('Cell In[3], line 2'), ['Cell In[3], line 2 → In[3]:2']);
    assert.deepEqual(shown('File ~/repo/etl.py:12, in run(x)'), ['File ~/repo/etl.py:12 → ~/repo/etl.py:12']);
    assert.deepEqual(shown('\tat com.acme.etl.Job$.main(Job.scala:17)'), ['Job.scala:17 → com/acme/etl/Job.scala:17']);
    assert.deepEqual(shown('File /w/my jobs/etl.py:2, in run(x)'), ['File /w/my jobs/etl.py:2 → /w/my jobs/etl.py:2']);
    assert.deepEqual(shown('File C:\\w\\etl.py:2, in run(x)'), ['File C:\\w\\etl.py:2 → C:\\w\\etl.py:2']);
    assert.deepEqual(shown('\tat app//com.acme.Rates.rate(Rates.java:4)'), ['Rates.java:4 → com/acme/Rates.java:4']);
    assert.deepEqual(shown('\tat java.base@17/java.util.List.of(List.java:9)'), [
      'List.java:9 → java/util/List.java:9',
    ]);
    assert.deepEqual(shown('\tat Main.run(Main.java:3)'), ['Main.java:3 → Main.java:3']);
    assert.deepEqual(shown('  3: f(x) at scripts/model.R#12'), ['scripts/model.R#12 → scripts/model.R:12']);
    assert.deepEqual(shown('tests/test_a.py:8: AssertionError'), ['tests/test_a.py:8 → tests/test_a.py:8']);
    assert.deepEqual(shown('a.py:1 and b.py:2'), ['a.py:1 → a.py:1', 'b.py:2 → b.py:2']);
  });

  it('are not what only looks like one', () => {
    for (const line of ['at 10:42', 'File "x.py"', 'line 3', 'v1.2:3', 'x.py:0', `${'x'.repeat(3000)} a.py:1`, ''])
      assert.deepEqual(shown(line), [], line);
  });
});

describe('the trace of a failure', () => {
  const stepsOf = (...lines: string[]): string[] =>
    (readTrace(lines.join('\n'))?.steps ?? []).map(({ file, line }) => `${file}:${line}`);

  it('has no step of what its error quotes', () => {
    const quoting = `KeyError: 'see File "/w/other.py", line 9'`;
    assert.deepEqual(stepsOf('Traceback (most recent call last):', '  File "/w/a.py", line 2, in f', quoting), [
      '/w/a.py:2',
    ]);
  });

  it('of Python is the last that was not handled, the innermost step first', () => {
    const text = [
      'Traceback (most recent call last):',
      '  File "/w/old.py", line 1, in <module>',
      'KeyError: 1',
      'handled',
      'Traceback (most recent call last):',
      '  File "/w/main.py", line 7, in <module>',
      '    go()',
      '  File "/w/rates.py", line 42, in rate_for',
      '    return 1 / 0',
      'ZeroDivisionError: division by zero',
    ].join('\n');
    assert.deepEqual(readTrace(text), {
      error: 'ZeroDivisionError: division by zero',
      steps: [
        { file: '/w/rates.py', line: 42, name: 'rate_for' },
        { file: '/w/main.py', line: 7 },
      ],
    });
  });
});

/** Written by Python 3.11, IPython 8, Java 17, Spark 4.0 and R 4.2; in some, the cells are named as a kernel names them. */
const written = JSON.parse(readFileSync(path.join(root, 'test/fixtures/tracebacks.json'), 'utf8')) as readonly {
  kind: string;
  file: string;
  line: number;
  text: string;
}[];

describe('the traces that engines have written', () => {
  for (const kind of new Set(written.map((each) => each.kind)))
    it(`lead to the line of one's own code that failed: ${kind}`, () => {
      const isOwn = (file: string): boolean => /^(?:\/w\/|com\/acme\/|<cell |In\[)|^\w+\.R$/.test(file);
      for (const { file, line, text } of written.filter((each) => each.kind === kind)) {
        const step = readTrace(text)?.steps.find((each) => isOwn(each.file));
        assert.deepEqual([step?.file, step?.line], [file, line], text);
      }
    });
});

describe('the lines of a source notebook', () => {
  const notebook = [
    '# Databricks notebook source',
    'import x',
    '',
    '# COMMAND ----------',
    '',
    '# COMMAND ----------',
    '',
    '# DBTITLE 1,Rates',
    'a = 1',
    'b = a / 0',
    '',
    '# COMMAND ----------',
    '# MAGIC %md',
    '# MAGIC # Words',
  ].join('\n');

  it('are found by the number of the cell and of its line', () => {
    assert.deepEqual(
      [
        [1, 1],
        [2, 1],
        [2, 2],
        [3, 2],
      ].map(([cell = 0, line = 0]) => lineOfCell(notebook, cell, line)),
      [2, 9, 10, 14],
    );
    assert.equal(lineOfCell(notebook, 4, 1), undefined);
    // IPython is given no text, and does not count it.
    const text = '# MAGIC %md words\n# COMMAND ----------\nx = 1\n# COMMAND ----------\ny = 2\n';
    assert.deepEqual([lineOfCell(text, 1, 1, true), lineOfCell(text, 2, 1, true)], [3, 5]);
    assert.equal(lineOfCell('# %% [markdown]\n# words\n# %%\nx = 1\n', 1, 1, true), 4);
    assert.equal(lineOfCell(notebook.replaceAll('\n', '\r\n'), 2, 2), 10);
    assert.equal(lineOfCell('# %% one\nx = 1\n# %%\n\ny = 2\n', 2, 1), 5);
    assert.equal(lineOfCell('x = 1\ny = 2', 1, 2), 2);
    const quoted =
      '# Databricks notebook source\nx = """\n  # COMMAND ----------\n"""\n  # COMMAND ----------  \ny = 1';
    assert.deepEqual([lineOfCell(quoted, 1, 3), lineOfCell(quoted, 2, 1)], [4, undefined]);
    assert.equal(lineOfCell('x = 1\n# COMMAND ----------  \n   \ny = 2', 2, 1), 4);
    assert.deepEqual(
      [1, 2, 3].map((line) => lineOfCell('# %% a\nx\n# %% b\ny', 1, line)),
      [2, 2, 2],
      'within the cell',
    );
  });
});
