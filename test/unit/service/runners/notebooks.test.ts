import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CellOutput, type NotebookModel, readNotebook } from '../../../../src/service/runners/notebookModel.ts';
import { chooseJupyter } from '../../../../src/service/runners/notebookRunner.ts';
import type { RunOutcome, RunRequest } from '../../../../src/service/runners/runner.ts';
import { readRunOutput } from '../../../../src/service/runners/runOutput.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { jupyterCell, jupyterFile } from '../../../support/jupyterFile.ts';
import { eachWithWorkbench, leftOf, needsPython, openWorkbench, until, type Workbench } from './workbench.ts';

describe('Notebook', function () {
  const separator = '\n\n# COMMAND ----------\n\n';
  const source = (...cells: string[]): string => `# Databricks notebook source\n${cells.join(separator)}\n`;

  this.timeout(120_000);
  let bench: Workbench;
  eachWithWorkbench((one) => (bench = one));

  const run = (path: string, request: Partial<RunRequest> = {}, base?: Record<string, string>): Promise<RunOutcome> =>
    bench.run({ task: { notebook_task: { notebook_path: path, base_parameters: base } }, ...request });
  const outputs = async (runId = '1'): Promise<CellOutput[][]> =>
    ((await readNotebook(bench.runFolder(runId)))?.cells ?? []).map((cell) => cell.outputs);
  const text = (name: 'stdout' | 'stderr', value: string): CellOutput => ({ type: 'stream', name, text: value });
  const result = (value: string): CellOutput => ({ type: 'data', data: { 'text/plain': value }, isResult: true });

  it('runs in Jupyter if available and not disabled', () => {
    const choose = (engine: 'auto' | 'builtin' | 'jupyter', isThere: boolean): boolean =>
      chooseJupyter(engine, isThere, '/python');
    assert.deepEqual(
      [choose('auto', true), choose('auto', false), choose('builtin', true), choose('builtin', false)],
      [true, false, false, false],
    );
    assert.equal(choose('jupyter', true), true);
    assert.throws(
      () => choose('jupyter', false),
      (error) =>
        isAppError(error) &&
        error.kind === 'unavailable' &&
        error.remedy?.startsWith('Install it with: /python -m pip install nbclient ipykernel.') === true,
    );
  });

  it('runs the cells of a source notebook in one namespace', async () => {
    await bench.write(
      'dir/book.py',
      source(
        '# MAGIC %md\n# MAGIC # Title\n# MAGIC\n# MAGIC text',
        'x = 20\nprint("hello")',
        '# DBTITLE 1,The sum\nimport os, sys\nprint("to error", file=sys.stderr)\nos.system("echo from a child")\nx + 1',
        'None',
        '# MAGIC %sh\n# MAGIC echo $((1 + 2))',
      ),
    );
    assert.deepEqual(await run('/dir/book'), {
      resultState: 'SUCCESS',
      notebookResult: { result: undefined, truncated: false },
    });
    const model = (await readNotebook(bench.runFolder('1')))!;
    assert.equal(model.name, 'book');
    assert.equal(model.path, '/dir/book');
    assert.deepEqual(
      model.cells.map((cell) => [cell.kind, cell.title, cell.state]),
      [
        ['markdown', '', 'waiting'],
        ['code', '', 'finished'],
        ['code', 'The sum', 'finished'],
        ['code', '', 'finished'],
        ['shell', '', 'finished'],
      ],
    );
    assert.equal(model.cells[0]!.source, '# Title\n\ntext');
    assert.deepEqual(
      model.cells.map((cell) => cell.outputs),
      [
        [],
        [text('stdout', 'hello\n')],
        [text('stderr', 'to error\n'), text('stdout', 'from a child\n'), result('21')],
        [],
        [text('stdout', '3\n')],
      ],
    );
    assert.match((await readRunOutput(bench.runFolder('1'))).text, /hello/);
  });

  it('runs # %% cells and .ipynb files', async () => {
    await bench.write('percent.py', '# %% [markdown]\n# # Title\n# more\n\n# %% The sum\n1 + 1\n# %%\nprint(_)\n');
    await bench.write(
      'book.ipynb',
      jupyterFile([
        jupyterCell('markdown', ['# Title\n', 'more']),
        jupyterCell('code', ['1 + 1']),
        jupyterCell('code', 'print(_)'),
      ]),
    );
    for (const [runId, path] of [
      ['1', '/percent'],
      ['2', '/book'],
    ] as const) {
      assert.equal((await run(path, { runId })).resultState, 'SUCCESS', path);
      const model = (await readNotebook(bench.runFolder(runId)))!;
      assert.deepEqual(
        model.cells.map((cell) => [cell.kind, cell.source]),
        [
          ['markdown', '# Title\nmore'],
          ['code', '1 + 1'],
          ['code', 'print(_)'],
        ],
        path,
      );
      assert.deepEqual(
        model.cells.map((cell) => cell.outputs),
        [[], [result('2')], [text('stdout', '2\n')]],
        path,
      );
    }
  });

  it("gives widgets the run's value, the base parameter or the default", async () => {
    await bench.write(
      'book.py',
      source(
        [
          'dbutils.widgets.text("a", "default a", "A label")',
          'dbutils.widgets.dropdown("b", "default b", ["default b", "x"])',
          'dbutils.widgets.text("c", "default c")',
          'print([dbutils.widgets.get(n) for n in "abcd"], getArgument("e", "fallback"), sorted(dbutils.widgets.getAll()))',
          'dbutils.widgets.get("missing")',
        ].join('\n'),
      ),
    );
    const outcome = await run(
      '/book',
      { parameters: { notebook_params: { a: 'run {{run_id}}', d: 'only run' } }, dynamicValues: { run_id: '77' } },
      { a: 'base', b: 'base' },
    );
    assert.deepEqual(
      (await outputs())[0]![0],
      text('stdout', "['run 77', 'base', 'default c', 'only run'] fallback ['a', 'b', 'c', 'd']\n"),
    );
    assert.equal(outcome.error, 'ValueError: InputWidgetNotDefined: No input widget named missing is defined');
    assert.deepEqual(
      (await readNotebook(bench.runFolder('1')))!.widgets.map((each) => [each.name, each.kind, each.value, each.label]),
      [
        ['a', 'text', 'run 77', 'A label'],
        ['b', 'dropdown', 'base', ''],
        ['c', 'text', 'default c', ''],
      ],
    );
  });

  it('ends with SUCCESS and the value at exit', async () => {
    await bench.write(
      'book.py',
      source('try:\n    dbutils.notebook.exit({"a": 1})\nexcept Exception:\n    print("caught")', 'print("never")'),
    );
    assert.deepEqual(await run('/book'), {
      resultState: 'SUCCESS',
      notebookResult: { result: "{'a': 1}", truncated: false },
    });
    assert.deepEqual(await outputs(), [[], []]);
  });

  it('stops at a failing cell and names it', async () => {
    await bench.write('book.py', source('def f():\n    return 1 / 0', 'print("before")\nf()', 'print("never")'));
    const outcome = await run('/book');
    assert.equal(outcome.resultState, 'FAILED');
    assert.equal(outcome.stateMessage, 'Cell 2 failed.');
    assert.equal(outcome.error, 'ZeroDivisionError: division by zero');
    assert.equal(outcome.errorTrace!.includes('millrace_runner'), false);
    assert.match(
      outcome.errorTrace!,
      /^Traceback \(most recent call last\):\n {2}File "<cell 2>", line 2, in <module>\n {4}f\(\)[\s\S]*File "<cell 1>", line 2, in f\n {4}return 1 \/ 0/,
    );
    assert.deepEqual(
      (await readNotebook(bench.runFolder('1')))!.cells.map((cell) => cell.state),
      ['finished', 'failed', 'waiting'],
    );
    assert.equal(outcome.notebookResult!.result, undefined);
  });

  it("is ended when a cell's output exceeds 8 MB", async () => {
    await bench.write(
      'book.py',
      source(
        'try:\n    for i in range(9 * 1024):\n        print("x" * 1023)\nexcept BaseException:\n    pass',
        'open("reached", "w")',
      ),
    );
    const outcome = await run('/book');
    assert.equal(outcome.resultState, 'FAILED');
    assert.match(outcome.error!, /The output of cell 1 is above 8 MB/);
    const [first] = (await outputs())[0]!;
    assert.equal(first?.type === 'stream' && first.text.length, 8 * 1024 * 1024);
    await assert.rejects(readFile(join(bench.root, 'reached')));
  });

  it('shows progress while running, and ends all it started', async () => {
    await bench.write(
      'book.py',
      source(
        'print("first")',
        'import subprocess, time\nprint("second")\nsubprocess.Popen(["sleep", "600"])\ntime.sleep(600)',
        'print("never")',
      ),
    );
    const controller = new AbortController();
    const running = bench.run({ task: { notebook_task: { notebook_path: '/book' } } }, { signal: controller.signal });
    await until(async () => (await outputs()).at(1)?.length === 1);
    const model = (await readNotebook(bench.runFolder('1')))!;
    assert.deepEqual(
      model.cells.map((cell) => cell.state),
      ['finished', 'running', 'waiting'],
    );
    controller.abort();
    assert.equal((await running).resultState, 'CANCELED');
    assert.equal(await leftOf(bench), 0);
    assert.deepEqual(
      (await readNotebook(bench.runFolder('1')))!.cells.map((cell) => cell.state),
      ['finished', 'cancelled', 'waiting'],
    );
  });

  it('runs other notebooks by %run and dbutils.notebook.run', async () => {
    await bench.write('lib/helpers.py', source('def twice(x):\n    return 2 * x', 'print("loaded")'));
    await bench.write('child.py', source('dbutils.notebook.exit("child got " + dbutils.widgets.get("n"))'));
    await bench.write('bad.py', source('raise KeyError("k")'));
    await bench.write(
      'book.py',
      source(
        '# MAGIC %run ./lib/helpers',
        'twice(4)',
        'dbutils.notebook.run("/child", 60, {"n": 5})',
        'dbutils.notebook.run("bad", 60)',
      ),
    );
    const outcome = await run('/book');
    assert.deepEqual((await outputs()).slice(0, 3), [
      [text('stdout', 'loaded\n')],
      [result('8')],
      [result("'child got 5'")],
    ]);
    assert.equal(outcome.error, "RuntimeError: Notebook bad failed: KeyError: 'k'");
  });

  it('names what it cannot carry out', async () => {
    await bench.write('scala.py', source('# MAGIC %scala\n# MAGIC val x = 1'));
    await bench.write('magic.py', source('%%latex\nx'));
    await bench.write('broken.ipynb', '{"cells": 3');
    await bench.write('secret.py', source('dbutils.secrets.get("scope", "key")'));
    await bench.write('outside.py', source('dbutils.fs.ls("dfs:/../..")'));
    assert.match((await run('/scala')).error!, /Cells in scala are not run by the local service/);
    assert.match((await run('/magic', { runId: '2' })).error!, /The magic %%latex is not known/);
    assert.match((await run('/broken', { runId: '3' })).error!, /broken\.ipynb is not a Jupyter notebook/);
    assert.match((await run('/secret', { runId: '4' })).error!, /keeps no secrets/);
    assert.match((await run('/outside', { runId: '5' })).error!, /leads out of/);
  });

  it('reads and writes files through dbutils.fs', async () => {
    await bench.write(
      'book.py',
      source(
        'dbutils.fs.put("dfs:/a/b.txt", "text")\nprint(dbutils.fs.head("/a/b.txt"), dbutils.fs.ls("dfs:/a")[0].path)',
      ),
    );
    assert.equal((await run('/book')).resultState, 'SUCCESS');
    assert.equal(await readFile(join(bench.dataFolder, 'dfs', 'a', 'b.txt'), 'utf8'), 'text');
    assert.deepEqual(await outputs(), [[text('stdout', 'text dfs:/a/b.txt\n')]]);
  });
});

describe('Notebook language', function () {
  const source = (...cells: string[]): string =>
    `# Databricks notebook source\n${cells.join('\n\n# COMMAND ----------\n\n')}\n`;

  this.timeout(120_000);
  let bench: Workbench;
  const pythonPath = process.env['PYTHONPATH'];
  before(function () {
    needsPython(this);
  });
  beforeEach(async () => {
    bench = await openWorkbench();
  });
  afterEach(async () => {
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

  it('reports missing Spark for SQL', async () => {
    await mkdir(join(bench.folder, 'none', 'pyspark'), { recursive: true });
    await writeFile(join(bench.folder, 'none', 'pyspark', '__init__.py'), 'raise ImportError("none")');
    process.env['PYTHONPATH'] = join(bench.folder, 'none');
    await bench.write('book.sql', 'select 1');
    const { error = '' } = (await run('/book')).outcome;
    assert.match(error, /^NotebookError: Spark is not installed .*%pip install pyspark/);
    assert.ok(!error.includes(bench.folder), 'a Python of the run is gone when the run is over');
  });

  it('keeps task values apart by task', async () => {
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
