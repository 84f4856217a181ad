import assert from 'node:assert/strict';
import { readNotebook } from '../../src/service/runners/notebookModel.ts';
import { readRunOutput } from '../../src/service/runners/runOutput.ts';
import { leftOf, openWorkbench, type Workbench } from '../unit/service/runners/workbench.ts';
import { commandWorks, skipBecause } from './engineEnvironment.ts';

describe('Python with libraries from PyPI', function () {
  this.timeout(300_000);
  let bench: Workbench;
  before(async function () {
    if (!(await commandWorks('python3', ['--version']))) skipBecause(this, 'there is no python3 on this machine');
    if (
      !(await commandWorks('python3', [
        '-m',
        'pip',
        'download',
        '-q',
        '--no-deps',
        '-d',
        '.cache/engines/downloads',
        'tabulate==0.9.0',
      ]))
    )
      skipBecause(this, 'PyPI cannot be reached from this machine');
    bench = await openWorkbench();
  });
  after(async () => {
    await bench?.remove();
  });
  const clusterSpec = { libraries: [{ pypi: { package: 'tabulate==0.9.0' } }] };

  it('installs a package for a Python file, and the next run finds it installed', async () => {
    await bench.write('x.py', 'import tabulate\nprint(tabulate.__version__)');
    const durations: number[] = [];
    for (const runId of ['1', '2']) {
      const start = Date.now();
      const outcome = await bench.run({ runId, task: { spark_python_task: { python_file: '/x.py' } }, clusterSpec });
      durations.push(Date.now() - start);
      assert.equal(outcome.resultState, 'SUCCESS', JSON.stringify(outcome));
      assert.equal((await readRunOutput(bench.runFolder(runId))).text, '0.9.0\n');
    }
    assert.ok(durations[1]! < durations[0]!, `the second took ${durations[1]} ms, the first ${durations[0]} ms`);
    assert.equal(await leftOf(bench), 0);
  });

  it('gives a notebook the same package', async () => {
    await bench.write(
      'book.py',
      '# Databricks notebook source\nimport tabulate\ntabulate.tabulate([[1, 2]], tablefmt="plain")\n',
    );
    assert.equal(
      (await bench.run({ runId: '3', task: { notebook_task: { notebook_path: '/book' } }, clusterSpec })).resultState,
      'SUCCESS',
    );
    assert.deepEqual((await readNotebook(bench.runFolder('3')))!.cells[0]!.outputs, [
      { type: 'data', data: { 'text/plain': "'1  2'" }, isResult: true },
    ]);
  });

  it('names a package that does not exist', async () => {
    await bench.write('x.py', '');
    await assert.rejects(
      bench.run({
        runId: '4',
        task: { spark_python_task: { python_file: '/x.py' } },
        clusterSpec: { libraries: [{ pypi: { package: 'tabulate==999' } }] },
      }),
      /Installing tabulate==999 failed, so the run was not started\..*tabulate==999/,
    );
  });
});
