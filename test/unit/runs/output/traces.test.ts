import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lineOfCell } from '../../../../src/runs/output/cellPlaces.ts';
import { readTrace } from '../../../../src/runs/output/failingPlace.ts';
import { placesIn } from '../../../../src/runs/output/places.ts';
import { root } from '../../../support/paths.ts';

const head = 'Traceback (most recent call last):';
/** Enough lines to separate two tracebacks. */
const between = ['it goes on', 'it goes on', 'it goes on'];
const at = (file: string, line: number, name = '<module>'): string => `  File "/w/${file}", line ${line}, in ${name}`;
const trace = (...lines: string[]) => readTrace(lines.join('\n'));
const step = (file: string, line: number, name?: string): object => ({
  file: `/w/${file}`,
  line,
  ...(name === undefined ? {} : { name }),
});
/** Output of Python 3.11, IPython 8, Java 17, Spark 4.0 and R 4.2; some cells are named as a kernel names them. */
const written = JSON.parse(readFileSync(path.join(root, 'test/fixtures/tracebacks.json'), 'utf8')) as readonly {
  kind: string;
  file: string;
  line: number;
  text: string;
}[];

describe('the trace of a failed task', () => {
  it('skips tracebacks that were only logged, unless there is no other', () => {
    const ignored = [
      'Exception ignored in: <function A.__del__ at 0x7f>',
      head,
      at('aside.py', 9, '__del__'),
      'KeyError: 2',
    ];
    const own = [head, at('a.py', 2), 'ValueError: no'];
    const expected = { steps: [step('a.py', 2)], error: 'ValueError: no' };
    assert.deepEqual(trace(...own, ...between, ...ignored), expected);
    assert.deepEqual(trace(...ignored, ...between, ...own), expected);
    assert.deepEqual(trace(...ignored), { steps: [step('aside.py', 9, '__del__')] }, 'for want of another');
  });

  it('is not one that the message of the error quotes', () => {
    const quoted = [head, at('b.py', 9), 'KeyError: 1'];
    const text = [head, at('a.py', 2), 'ValueError: no', ...quoted].join('\n');
    assert.deepEqual(readTrace(text, 'ValueError: no'), { steps: [step('a.py', 2)], error: 'ValueError: no' });
  });

  it('prefers a complete traceback to a truncated one', () => {
    const cut = [head, at('cut.py', 7), '    f()', at('cut.py', 8, 'f')];
    assert.deepEqual(trace(head, at('a.py', 2), 'ValueError: no', ...cut), {
      steps: [step('a.py', 2)],
      error: 'ValueError: no',
    });
    assert.deepEqual(trace(...cut), { steps: [step('cut.py', 8, 'f'), step('cut.py', 7)] });
    const aside = ['--- Logging error ---', head, at('aside.py', 9)];
    assert.deepEqual(trace(...cut, ...between, ...aside), {
      steps: [step('cut.py', 8, 'f'), step('cut.py', 7)],
    });
  });

  it('continues with the causing traceback only if its error is the same', () => {
    const lead = 'The above exception was the direct cause of the following exception:';
    const first = (error: string): string[] => [head, at('child.py', 3, 'work'), error];
    const last = [head, at('main.py', 3), 'ValueError: no'];
    const [main, child] = [step('main.py', 3), step('child.py', 3, 'work')];
    assert.deepEqual(trace(...first('ValueError: no'), '', lead, '', ...last)?.steps, [child, main]);
    assert.deepEqual(trace(...first('KeyError: 1'), '', lead, '', ...last)?.steps, [main]);
    assert.deepEqual(trace(...first('ValueError: no'), '', 'and again', '', ...last)?.steps, [main]);
  });

  it('covers only the last 2,000 lines', () => {
    const deep = (count: number): number[] => {
      const lines = Array.from({ length: count }, (_, line) => at('a.py', line + 1, 'f'));
      const steps = trace(head, ...lines, 'RecursionError: deep')?.steps ?? [];
      return [steps.length, steps[0]?.line ?? 0, steps.at(-1)?.line ?? 0];
    };
    assert.deepEqual(deep(2000), [2000, 2000, 1]);
    assert.deepEqual(deep(2001), [2000, 2001, 2]);
    const java = Array.from({ length: 2001 }, (_, line) => `\tat com.acme.A.b(A.java:${line + 1})`);
    const steps = trace(...java)?.steps ?? [];
    assert.deepEqual([steps.length, steps[0]?.line], [2000, 2]);
  });

  it('takes the last named error of a Java stack trace', () => {
    const places = ['\tat org.apache.spark.rdd.RDD.map(RDD.scala:4)', '\tat Main.run(Main.java:3)'];
    const steps = [
      { file: 'org/apache/spark/rdd/RDD.scala', line: 4, name: 'RDD.map' },
      { file: 'Main.java', line: 3, name: 'Main.run' },
    ];
    const rows: [line: string, error: string][] = [
      ['Exception in thread "main" java.lang.Error: no', 'java.lang.Error: no'],
      ['Exception in thread "" java.lang.Error', 'java.lang.Error'],
      ['Caused by: java.io.IOException: no', 'java.io.IOException: no'],
      ['java.lang.IllegalStateException: no', 'java.lang.IllegalStateException: no'],
      ['java.lang.OutOfMemoryError', 'java.lang.OutOfMemoryError'],
      ['a.SparkException: see Caused by: x', 'a.SparkException: see Caused by: x'],
    ];
    for (const [line, error] of rows)
      assert.deepEqual(trace('\tat before.A.b(A.java:1)', line, ...places), { steps, error }, line);
    for (const line of ['said java.lang.Error: no', 'java.lang.ErrorBox: no'])
      assert.deepEqual(trace(line, ...places), { steps }, line);
  });

  it('follows a Java cause to the code that led to it', () => {
    const steps = (...names: string[]): string[] =>
      names.map((name, index) => `\tat com.acme.${name}.f(${name}.java:${index + 1})`);
    const all = [
      'java.lang.Error: earlier',
      ...steps('Earlier'),
      'java.lang.RuntimeException: cannot load',
      ...steps('Loader', 'Main'),
      'Caused by: java.io.IOException: closed',
      ...steps('Reader'),
      '\t... 1 more',
    ];
    const { error, steps: found } = trace(...all)!;
    assert.equal(error, 'java.io.IOException: closed');
    assert.deepEqual(
      found.map(({ file }) => file),
      ['com/acme/Reader.java', 'com/acme/Loader.java', 'com/acme/Main.java'],
    );
    assert.deepEqual(
      trace('Caused by: a.E: cut', ...steps('A'))?.steps.map(({ file }) => file),
      ['com/acme/A.java'],
    );
  });
});

describe('the trace of a pytest report', () => {
  const title = '______________________ test_half ______________________';
  const report = [
    '================ FAILURES ================',
    `\x1b[31m\x1b[1m${title}\x1b[0m`,
    '\x1b[1m\x1b[31mtests/test_fix.py\x1b[0m:4: in test_half',
    '    assert half("x") == 1',
    'helper.py:2: in half',
    '>   return n / 2  # as in other.py:7',
    'E   TypeError: unsupported, see other.py:9',
  ];
  const second = ['____ test_other ____', 'tests/test_other.py:8: AssertionError'];
  const logged = ['---------- Captured log call ----------', head, at('logged.py', 3), 'KeyError: 1'];
  const summary = [
    '=========== short test summary info ===========',
    'FAILED tests/test_fix.py::test_half:1 - TypeError',
  ];
  const expected = {
    error: 'TypeError: unsupported, see other.py:9',
    steps: [
      { file: 'helper.py', line: 2, name: 'half' },
      { file: 'tests/test_fix.py', line: 4, name: 'test_half' },
    ],
  };

  it('starts at the first failed test', () => {
    assert.deepEqual(trace('F', ...report), expected);
    assert.deepEqual(trace('F', ...report, ...logged, ...second, ...summary), expected);
    assert.deepEqual(trace(...second.map((line, index) => (index === 0 ? `=== ERRORS ===\n${line}` : line))), {
      steps: [{ file: 'tests/test_other.py', line: 8 }],
    });
  });

  it('yields to a later traceback of the program', () => {
    assert.deepEqual(trace(...report, ...summary, head, at('main.py', 3), 'ValueError: tests failed')?.steps, [
      step('main.py', 3),
    ]);
    assert.deepEqual(trace(head, at('main.py', 3), 'ValueError: before', ...report, ...summary), expected);
  });
});

describe('places in an output', () => {
  const shown = (line: string): string[] =>
    placesIn(line).map(({ start, end, file, line: number }) => `${line.slice(start, end)} → ${file}:${number}`);

  it('are found in tracebacks of every language, and wherever a file has a line number', () => {
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

  it('are not found in similar texts', () => {
    for (const line of ['at 10:42', 'File "x.py"', 'line 3', 'v1.2:3', 'x.py:0', `${'x'.repeat(3000)} a.py:1`, ''])
      assert.deepEqual(shown(line), [], line);
  });
});

describe('the trace of a failure', () => {
  const stepsOf = (...lines: string[]): string[] =>
    (readTrace(lines.join('\n'))?.steps ?? []).map(({ file, line }) => `${file}:${line}`);

  it('ignores places that the error quotes', () => {
    const quoting = `KeyError: 'see File "/w/other.py", line 9'`;
    assert.deepEqual(stepsOf('Traceback (most recent call last):', '  File "/w/a.py", line 2, in f', quoting), [
      '/w/a.py:2',
    ]);
  });
});

describe('recorded traces', () => {
  for (const kind of new Set(written.map((each) => each.kind)))
    it(`lead to the failing line of the user's own code: ${kind}`, () => {
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

  it('are found by the numbers of the cell and its line', () => {
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
    // IPython receives no Markdown cells, so its numbers skip them.
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
