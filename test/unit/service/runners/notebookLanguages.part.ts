import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../../../src/service/runners/commandProbe.ts';
import { readNotebook, type NotebookModel } from '../../../../src/service/runners/notebookModel.ts';
import type { RunOutcome } from '../../../../src/service/runners/runner.ts';
import { readRunOutput } from '../../../../src/service/runners/runOutput.ts';
import { needsPython, openWorkbench, type Workbench } from './workbench.ts';

const source = (...cells: string[]): string =>
  `# Databricks notebook source\n${cells.join('\n\n# COMMAND ----------\n\n')}\n`;

/** The same notebook as it is written in each language that a workspace has. */
function notebookIn(comment: string, ...cells: string[]): string {
  return `${comment} Databricks notebook source\n${cells.join(`\n\n${comment} COMMAND ----------\n\n`)}\n`;
}

/** A pyspark that knows one table, in place of a real one, which needs Java. */
const fakeSpark = `
class Frame:
    def __init__(self, text): self.columns, self.text = (["text"] if text.lower().startswith("select") else []), text
    def limit(self, _): return self
    def collect(self): return [(self.text,)]
class Session:
    class builder:
        appName = master = config = staticmethod(lambda *_values: Session.builder)
        getOrCreate = staticmethod(lambda: Session())
    sparkContext = "the context"
    def sql(self, text): return Frame(text.strip())
    def table(self, name): return Frame("select from " + name)
    def stop(self): pass
SparkSession = Session
`;

describe('what notebooks are written in', function () {
  this.timeout(120_000);
  let bench: Workbench;
  const path = process.env['PATH'];
  const pythonPath = process.env['PYTHONPATH'];
  before(function () {
    needsPython(this);
  });
  beforeEach(async () => {
    bench = await openWorkbench();
  });
  afterEach(async () => {
    process.env['PATH'] = path;
    if (pythonPath === undefined) delete process.env['PYTHONPATH'];
    else process.env['PYTHONPATH'] = pythonPath;
    await bench.remove();
  });

  const run = async (notebookPath: string): Promise<{ outcome: RunOutcome; model: NotebookModel; text: string }> => {
    const outcome = await bench.run({ task: { notebook_task: { notebook_path: notebookPath } } });
    return {
      outcome,
      model: (await readNotebook(bench.runFolder('1')))!,
      text: (await readRunOutput(bench.runFolder('1'))).text,
    };
  };
  const withSpark = async (): Promise<void> => {
    const folder = join(bench.folder, 'modules', 'pyspark', 'sql');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '..', '__init__.py'), '');
    await writeFile(join(folder, '__init__.py'), fakeSpark);
    await writeFile(join(folder, 'functions.py'), 'udf = lambda function: function');
    process.env['PYTHONPATH'] = join(bench.folder, 'modules');
  };

  for (const name of ['/book', '/book.sql']) {
    it(`runs ${name} of a SQL notebook`, async () => {
      await withSpark();
      await bench.write(
        'book.sql',
        notebookIn(
          '--',
          '-- MAGIC %md\n-- MAGIC # Title',
          '-- DBTITLE 1,First\nselect 1;\nselect 2',
          '-- MAGIC %python\n-- MAGIC print("python", _sqldf.text)',
          'create view v as select 3',
          '-- MAGIC %python print(_sqldf.text)',
        ),
      );
      const { outcome, model, text } = await run(name);
      assert.equal(outcome.resultState, 'SUCCESS', outcome.error);
      assert.deepEqual(
        model.cells.map((cell) => [cell.kind, cell.title]),
        [
          ['markdown', ''],
          ['sql', 'First'],
          ['code', ''],
          ['sql', ''],
          ['code', ''],
        ],
      );
      assert.equal(model.name, 'book');
      assert.equal(text, 'python select 2\nselect 2\n');
    });
  }

  it('runs a .sql file that is no notebook as one cell', async () => {
    await withSpark();
    await bench.write('plain.sql', 'select 1; -- one\nselect 2\n');
    const { model } = await run('/plain');
    assert.deepEqual(
      model.cells.map((cell) => [cell.kind, cell.state, cell.outputs.length]),
      [['sql', 'finished', 2]],
    );
  });

  it('says of a SQL notebook what is missing where there is no Spark', async () => {
    await mkdir(join(bench.folder, 'none', 'pyspark'), { recursive: true });
    await writeFile(join(bench.folder, 'none', 'pyspark', '__init__.py'), 'raise ImportError("none")');
    process.env['PYTHONPATH'] = join(bench.folder, 'none');
    await bench.write('book.sql', 'select 1');
    assert.match(
      (await run('/book')).outcome.error!,
      /^NotebookError: Spark is not installed for this Python\. Install it with/,
    );
  });

  const refused = [
    ['/book', 'book.scala', '//', 'scala'],
    ['/book.scala', 'book.scala', '//', 'scala'],
    ['/book', 'book.r', '#', 'r'],
    ['/book', 'book.R', '#', 'r'],
    ['/book.r', 'book.r', '#', 'r'],
  ] as const;
  for (const [name, file, comment, language] of refused) {
    it(`refuses ${name} of ${file} in the words of a cell in that language`, async function () {
      if (language === 'r' && (await findOnPath('Rscript')) !== undefined) this.skip();
      await bench.write(
        file,
        notebookIn(comment, `${comment} MAGIC %python\n${comment} MAGIC print("python")`, 'x <- 1'),
      );
      await bench.write('cell.py', source(`# MAGIC %${language}\n# MAGIC x <- 1`));
      const whole = await run(name);
      assert.match(
        whole.outcome.error!,
        new RegExp(`^NotebookError: Cells in ${language} are not run by the local service\\.`),
      );
      assert.equal(whole.text, 'python\n');
      assert.equal(
        (await bench.run({ runId: '2', task: { notebook_task: { notebook_path: '/cell' } } })).error,
        whole.outcome.error,
      );
    });
  }

  it('runs cells in R where there is an R, each after the other in one session', async () => {
    const bin = join(bench.folder, 'bin');
    await mkdir(bin);
    // Evaluates a cell as a shell would, so that this needs no R.
    await writeFile(
      join(bin, 'Rscript'),
      '#!/bin/bash\nshift\nmark="$2"\nwhile read -r path; do . "$path" && printf "\\n%s ok\\n" "$mark" || printf "\\n%s error it failed\\n" "$mark"; done\n',
    );
    await chmod(join(bin, 'Rscript'), 0o755);
    process.env['PATH'] = `${bin}:${path}`;
    await bench.write('book.r', notebookIn('#', 'x=1; printf "first\\nline"', 'echo "x is $x"', 'false', 'echo never'));
    const { outcome, model, text } = await run('/book');
    assert.equal(outcome.error, 'RError: it failed');
    assert.equal(text, 'first\nlinex is 1\n');
    assert.deepEqual(
      model.cells.map((cell) => [cell.kind, cell.language, cell.state]),
      [
        ['code', 'r', 'finished'],
        ['code', 'r', 'finished'],
        ['code', 'r', 'failed'],
        ['code', 'r', 'waiting'],
      ],
    );
  });

  it('imports dbutils, spark and the rest from databricks.sdk.runtime and pyspark.dbutils', async () => {
    await withSpark();
    await bench.write(
      'helper.py',
      'from databricks.sdk.runtime import *\n\ndef answer():\n    return dbutils.widgets.get("a")\n',
    );
    await bench.write(
      'book.py',
      source(
        'from databricks.sdk.runtime import dbutils as other, spark, display, displayHTML, sql, table, udf, sc, sqlContext, getArgument\nother is dbutils',
        'dbutils.widgets.text("a", "1")\nimport helper\nhelper.answer()',
        'sql("select 5").text + table("t").text + spark.sql("select 6").text',
        'import databricks.sdk.runtime as runtime\ntype(runtime.spark).__name__, runtime.sc',
        'from pyspark.dbutils import DBUtils\nDBUtils(spark) is dbutils',
        'from databricks.sdk import WorkspaceClient',
      ),
    );
    const { outcome, model } = await run('/book');
    const shown = model.cells.map((cell) =>
      cell.outputs.map((output) => (output.type === 'data' ? output.data['text/plain'] : output.type)),
    );
    assert.deepEqual(shown, [
      ['True'],
      ["'1'"],
      ["'select 5select from tselect 6'"],
      ["('Session', 'the context')"],
      ['True'],
      ['error'],
    ]);
    assert.match(outcome.error!, /%pip install databricks-sdk/);
  });

  it('imports the same where databricks-sdk is installed, and the rest of it from there', async () => {
    const folder = join(bench.folder, 'modules', 'databricks', 'sdk');
    await mkdir(join(folder, 'runtime'), { recursive: true });
    await writeFile(join(folder, '__init__.py'), 'class WorkspaceClient: pass');
    await writeFile(join(folder, 'runtime', '__init__.py'), 'raise ValueError("cannot configure default credentials")');
    process.env['PYTHONPATH'] = join(bench.folder, 'modules');
    await bench.write(
      'book.py',
      source(
        'from databricks.sdk import WorkspaceClient\nfrom databricks.sdk.runtime import *\nfrom ' +
          'databricks.sdk.runtime import dbutils as other\nprint(other is dbutils, WorkspaceClient.__name__)',
      ),
    );
    assert.equal((await run('/book')).text, 'True WorkspaceClient\n');
  });

  it('knows the magics that take times, and others of IPython', async () => {
    await bench.write(
      'book.py',
      source(
        '%time x = sum(range(10))\nprint(x)',
        '%%time\ny = 3\ny + 1',
        '%timeit -n 2 -r 3 x + 1',
        '%%timeit -n 1 -r 1 z = 1\nz + x',
        '%env COLOUR=red\n!echo $COLOUR {x + 1} ${COLOUR}',
        'lines = !printf "a\\nb"\nlines',
        '%%writefile made.txt\none',
        'print(open("made.txt").read())\n!echo one \\\n  two',
        '%time 1 / 0',
      ),
    );
    const { outcome, model, text } = await run('/book');
    assert.equal(outcome.error, 'ZeroDivisionError: division by zero');
    const shown = text.replace(/[\d.]+ (?:s|ms|μs|ns)\b/g, 'T').split('\n');
    const times = ['CPU times: user T, sys: T, total: T', 'Wall time: T'];
    assert.deepEqual(shown.slice(0, 7), [
      ...times,
      '45',
      ...times,
      'T ± T per loop (mean ± std. dev. of 3 runs, 2 loops each)',
      'T ± T per loop (mean ± std. dev. of 1 run, 1 loop each)',
    ]);
    assert.deepEqual(shown.slice(7), [
      'env: COLOUR=red',
      'red 46 red',
      'Writing made.txt',
      'one',
      '',
      'one two',
      ...times,
      '',
    ]);
    assert.deepEqual(model.cells[1]!.outputs.at(-1), { type: 'data', data: { 'text/plain': '4' }, isResult: true });
    assert.deepEqual(model.cells[5]!.outputs, [{ type: 'data', data: { 'text/plain': "['a', 'b']" }, isResult: true }]);
    assert.match(outcome.errorTrace!, /File "<cell 9>", line 1/);
  });

  it('keeps task values apart by their task', async () => {
    await bench.write(
      'book.py',
      source(
        'values = dbutils.jobs.taskValues\nvalues.set("k", 1)\nprint(values.get("mine", "k"), values.get(taskKey="other", key="k", default=7))',
        'values.get("other", "k")',
      ),
    );
    const outcome = await bench.run({
      task: { notebook_task: { notebook_path: '/book' } },
      dynamicValues: { task_key: 'mine' },
    });
    assert.equal((await readRunOutput(bench.runFolder('1'))).text, '1 7\n');
    assert.match(
      outcome.error!,
      /^ValueError: No task value 'k' is set by the task 'other', which is not part of this run/,
    );
  });
});
