import assert from 'node:assert/strict';
import { startBuiltService, type BuiltService } from '../unit/service/support/builtService.ts';
import { commandWorks, engineEnvironment, skipBecause } from './engineEnvironment.ts';
import { sparkEnvironment } from './sparkEnvironment.ts';

/** The program that users get, with the engines that its runs need. */
describe('The built service with real engines', function () {
  this.timeout(300_000);
  let service: BuiltService | undefined;
  afterEach(async () => {
    await service?.remove();
    service = undefined;
  });

  it('runs a notebook in Jupyter', async function () {
    const environment = await engineEnvironment('jupyter', ['nbclient', 'ipykernel', 'pandas', 'matplotlib']);
    if ('reason' in environment) skipBecause(this, environment.reason);
    service = await startBuiltService({ python: environment.python, notebookEngine: 'jupyter' });
    await service.write(
      'book.py',
      '# Databricks notebook source\nfrom databricks.sdk.runtime import *\nprint("first")\n# COMMAND ----------\ndbutils.notebook.exit("left")\n',
    );
    const run = await service.runTask({ notebook_task: { notebook_path: '/book' } }, 120_000);
    assert.deepEqual([run.result, run.logs, run.notebookResult], ['SUCCESS', 'first\n', 'left'], run.error);
  });

  it('runs a file on Spark', async function () {
    if (!(await commandWorks('java', ['-version']))) skipBecause(this, 'there is no Java on this machine');
    const environment = await sparkEnvironment();
    if ('reason' in environment) skipBecause(this, environment.reason);
    service = await startBuiltService({ python: environment.python, notebookEngine: 'builtin' });
    await service.write(
      'count.py',
      'from pyspark.sql import SparkSession\nprint("count", SparkSession.builder.getOrCreate().range(5).count())\n',
    );
    const file = await service.runTask({ spark_python_task: { python_file: '/count.py' } }, 200_000);
    assert.match(file.logs, /^count 5$/m, file.error);
  });
});
