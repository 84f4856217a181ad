import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { readNotebook, type NotebookModel } from '../../src/service/runners/notebookModel.ts';
import type { RunOutcome } from '../../src/service/runners/runner.ts';
import { readRunOutput } from '../../src/service/runners/runOutput.ts';
import { cases } from '../support/counts.ts';
import { leftOf, openWorkbench, until, type Workbench } from '../unit/service/runners/workbench.ts';
import { engineEnvironment, skipBecause } from './engineEnvironment.ts';

const source = (...cells: string[]): string =>
  `# Databricks notebook source\n${cells.join('\n\n# COMMAND ----------\n\n')}\n`;

/** Each is run by both engines, and everything that a person can see of it must be the same. The short form runs the first four. */
const notebooks: Record<string, string> = {
  "text, results, forms, names, files, child processes and the service's own modules": source(
    '# MAGIC %md\n# MAGIC # Title',
    'x = 20\nprint("hello")\nx + 1',
    'import sys\nprint("to error", file=sys.stderr)',
    '{"a": list(range(60)), "b": "x" * 100}',
    'x;',
    'None',
    'class Plain:\n    def __repr__(self):\n        return "two\\nlines"\nPlain()',
    '"sys" in globals(), "RUN_FOLDER" in globals()',
    'import sys\n[name for name in sys.modules if "millrace" in name], [path for path in sys.path if "tools" in path]',
    'displayHTML("<b>x</b>")',
    'class Both:\n    def _repr_html_(self):\n        return "<i>y</i>"\n    def __repr__(self):\n        return "y"\ndisplay(Both(), 4)\nBoth()',
    '# MAGIC %sh\n# MAGIC echo shell; exit 0',
    '# MAGIC %run ./helpers',
    'twice(21)',
    'dbutils.notebook.run("child", 60, {"n": "5"})',
    'dbutils.fs.put("dfs:/x.txt", "text", True)\nprint(dbutils.fs.head("dfs:/x.txt"))',
    'import subprocess\nsubprocess.run(["echo", "from a child"], check=True).returncode',
    'import asyncio\nawait asyncio.sleep(0.01, "awaited")',
    'from databricks.sdk.runtime import *\nfrom databricks.sdk.runtime import dbutils as other\nother.widgets.get("a"), other is dbutils',
    'display(1)',
  ),
  'widgets and an exit value': source(
    'dbutils.widgets.text("a", "default")\ndbutils.widgets.dropdown("b", "x", ["x", "y"])\nprint(dbutils.widgets.getAll())',
    'dbutils.notebook.exit("value " + dbutils.widgets.get("a"))',
    'print("never")',
  ),
  'an error with its traceback': source('def f(x):\n    return 1 / x', 'print("before")\nf(0)', 'print("never")'),
  'pandas and matplotlib': source(
    'import pandas as pd\npd.DataFrame({"a": [1, 2], "b": ["x", None]})',
    'display(pd.DataFrame({"a": [1]}))',
    'import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);',
    'figure, axes = plt.subplots()\naxes.bar(["a", "b"], [1, 2])\nprint("drawn")',
  ),
  'an exit inside of handlers': source(
    'try:\n    dbutils.notebook.exit("out")\nexcept Exception:\n    print("caught")\nfinally:\n    print("finally")',
  ),
  'an error caused by another': source(
    'try:\n    {}["k"]\nexcept KeyError as error:\n    raise ValueError("no\\nkey") from error',
  ),
  'a syntax error': source('print("a")', 'def (:\n    pass'),
  SystemExit: source('import sys\nsys.exit(3)'),
  'what is not run here': source('# MAGIC %scala\n# MAGIC val x = 1'),
};

describe('Jupyter through nbclient', function () {
  this.timeout(300_000);
  let bench: Workbench;
  let python: string;

  before(async function () {
    const environment = await engineEnvironment('jupyter', ['nbclient', 'ipykernel', 'pandas', 'matplotlib']);
    if ('reason' in environment) skipBecause(this, environment.reason);
    else python = environment.python;
  });
  beforeEach(async () => {
    bench = await openWorkbench();
  });
  afterEach(async () => {
    await bench.remove();
  });

  const runWith = async (
    engine: 'builtin' | 'jupyter',
    runId: string,
  ): Promise<{ outcome: RunOutcome; model: NotebookModel }> => {
    const task = { notebook_task: { notebook_path: '/book', base_parameters: { a: 'base' } } };
    const outcome = await bench.run({ runId, task }, { python, notebookEngine: engine });
    return { outcome, model: (await readNotebook(bench.runFolder(runId)))! };
  };
  // A bitmap may differ in a byte of its metadata; that there is one is what counts. Jupyter reads what a child process writes beside
  // the rest of the cell, so a result may come before it.
  const visible = (model: NotebookModel): unknown =>
    model.cells.map((cell) => [
      cell.kind,
      cell.source,
      cell.state,
      cell.outputs
        .toSorted((left, right) => Number(right.type === 'stream') - Number(left.type === 'stream'))
        .map((output) =>
          output.type === 'data' && typeof output.data['image/png'] === 'string'
            ? { ...output, data: { ...output.data, 'image/png': output.data['image/png'].slice(0, 20) } }
            : output,
        ),
    ]);

  for (const [name, text] of Object.entries(notebooks).slice(0, cases(Infinity, 4))) {
    it(`behaves like the built-in runner: ${name}`, async () => {
      await bench.write('book.py', text);
      await bench.write('helpers.py', source('def twice(x):\n    return 2 * x', 'print("loaded")'));
      await bench.write('child.py', source('dbutils.notebook.exit("child got " + dbutils.widgets.get("n"))'));
      const jupyter = await runWith('jupyter', '1');
      const builtin = await runWith('builtin', '2');
      assert.equal(jupyter.model.engine, 'jupyter');
      assert.deepEqual(visible(jupyter.model), visible(builtin.model));
      assert.deepEqual(jupyter.model.widgets, builtin.model.widgets);
      assert.deepEqual(jupyter.outcome, builtin.outcome);
      assert.ok(jupyter.model.cells.some((cell) => cell.outputs.length > 0) || jupyter.model.exit);
    });
  }

  it("is used automatically if it is installed, with IPython's magics", async () => {
    await bench.write('book.py', source('%%capture held\nprint("x")', 'print(repr(held.stdout))', '%time 1 + 1'));
    const outcome = await bench.run(
      { task: { notebook_task: { notebook_path: '/book' } } },
      { python, notebookEngine: 'auto' },
    );
    assert.equal(outcome.resultState, 'SUCCESS');
    const model = (await readNotebook(bench.runFolder('1')))!;
    assert.equal(model.engine, 'jupyter');
    assert.deepEqual(model.cells[1]!.outputs, [{ type: 'stream', name: 'stdout', text: "'x\\n'\n" }]);
  });

  it("adds nothing to the log, because only this user can open the kernel's sockets", async () => {
    await bench.write(
      'book.py',
      source(
        'print("first")',
        'import ipykernel.kernelapp, json, os\nfile = ipykernel.kernelapp.IPKernelApp.instance().connection_file\n' +
          'print(json.load(open(file))["transport"], os.stat(os.path.dirname(file)).st_mode & 0o77)',
      ),
    );
    const folders = async (): Promise<string[]> =>
      (await readdir(tmpdir())).filter((name) => /^millrace-\w{6}$/.test(name));
    const before = await folders();
    const { outcome } = await runWith('jupyter', '1');
    assert.equal(outcome.resultState, 'SUCCESS', outcome.error);
    assert.equal((await readRunOutput(bench.runFolder('1'))).text, 'first\nipc 0\n');
    assert.deepEqual(await folders(), before);
  });

  it("cancels the rest if a cell's output exceeds 8 MB, and leaves no kernel", async () => {
    await bench.write('book.py', source('for i in range(9 * 1024):\n    print("x" * 1023)', 'open("reached", "w")'));
    const { outcome } = await runWith('jupyter', '1');
    assert.match(outcome.error!, /The output of cell 1 is above 8 MB/);
    assert.equal(outcome.errorTrace, undefined);
    assert.equal(await leftOf(bench), 0);
  });

  it('shows the progress of a running notebook, and leaves no kernel when it is canceled', async () => {
    await bench.write(
      'book.py',
      source(
        'print("first")',
        'import subprocess, time\nsubprocess.Popen(["sleep", "600"], start_new_session=True)\nprint("second")\ntime.sleep(600)',
      ),
    );
    const controller = new AbortController();
    const running = bench.run(
      { task: { notebook_task: { notebook_path: '/book' } } },
      { python, notebookEngine: 'jupyter', signal: controller.signal },
    );
    await until(async () => ((await readNotebook(bench.runFolder('1')))?.cells[1]?.outputs.length ?? 0) > 0);
    assert.ok((await leftOf(bench)) >= 3);
    controller.abort();
    assert.equal((await running).resultState, 'CANCELED');
    assert.equal(await leftOf(bench), 0);
    assert.deepEqual(
      (await readNotebook(bench.runFolder('1')))!.cells.map((cell) => cell.state),
      ['finished', 'cancelled'],
    );
  });

  it('reports a dead kernel', async () => {
    await bench.write('book.py', source('import os\nos._exit(9)', 'print("never")'));
    const { outcome } = await runWith('jupyter', '1');
    assert.equal(outcome.resultState, 'FAILED');
    assert.match(outcome.error!, /kernel died/i);
    assert.equal(await leftOf(bench), 0);
  });
});
