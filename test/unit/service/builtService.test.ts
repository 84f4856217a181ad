import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { jupyterCell, jupyterFile } from '../../support/jupyterFile.ts';
import { needsPython } from './runners/workbench.ts';
import { startBuiltService, type BuiltService } from './support/builtService.ts';

/** A spark-submit that says what it was asked for, in place of a Spark. */
const fakeSubmit = '#!/bin/sh\necho "submitted $*"\n';

/** What works from the sources may not work once it is bundled: one task of each kind, by the program that users get. */
describe('Built service', function () {
  this.timeout(120_000);
  let service: BuiltService;

  before(async function () {
    needsPython(this);
    if (process.platform === 'win32') this.skip();
    service = await startBuiltService({ notebookEngine: 'builtin' });
    await service.write('file.py', 'import sys\nprint("file", *sys.argv[1:])\n');
    await service.write(
      'book.py',
      '# Databricks notebook source\nprint("book", dbutils.widgets.get("colour"))\n# COMMAND ----------\ndbutils.notebook.exit("left")\n',
    );
    await service.write(
      'book.ipynb',
      jupyterFile([jupyterCell('markdown', ['Caf&eacute; *black*']), jupyterCell('code', ['print("ipynb")'])]),
    );
  });
  after(async () => {
    await service?.remove();
  });
  const book = { notebook_path: '/book', base_parameters: { colour: 'red' } };

  it('runs a Python file', async () => {
    const run = await service.runTask({ spark_python_task: { python_file: '/file.py', parameters: ['a', 'b'] } });
    assert.deepEqual([run.lifeCycle, run.result, run.logs], ['TERMINATED', 'SUCCESS', 'file a b\n']);
  });

  it('runs notebooks of both forms', async () => {
    const run = await service.runTask({ notebook_task: book });
    assert.deepEqual([run.result, run.logs, run.notebookResult], ['SUCCESS', 'book red\n', 'left']);
    const other = await service.runTask({ notebook_task: { notebook_path: '/book.ipynb' } });
    assert.deepEqual(other.logs, 'ipynb\n');
    const exported = async (runId: string): Promise<string> =>
      (await service.call('GET', `/api/2.0/jobs/runs/export?run_id=${runId}`)).json.views[0].content;
    assert.match(await exported(run.runId), /book/);
    assert.ok((await exported(other.runId)).includes('<p>Café <em>black</em></p>'));
  });

  const pipeline = {
    configuration: { colour: 'red' },
    libraries: [{ notebook: { path: '/book' } }, { file: { path: '/file.py' } }],
  };
  const yaml = 'configuration:\n  colour: red\nlibraries:\n  - notebook: {path: /book}\n  - file: {path: /file.py}\n';
  for (const [extension, content] of [
    ['yml', yaml],
    ['yaml', yaml],
    ['json', JSON.stringify(pipeline)],
  ] as const) {
    it(`runs a pipeline of a .${extension} file`, async () => {
      await service.write(`pipelines/${extension}.${extension}`, content);
      const run = await service.runTask({ pipeline_task: { pipeline_id: extension } });
      assert.deepEqual([run.result, run.message], ['SUCCESS', 'The pipeline ran 2 steps.']);
      assert.equal(run.logs, '--- Step 1: /book\nbook red\nExit value: left\n--- Step 2: /file.py\nfile\n');
    });
  }

  it('hands JAR, spark-submit and PySpark tasks to Spark', async () => {
    const tools = join(service.root, '..', 'tools');
    await mkdir(join(tools, 'bin'), { recursive: true });
    for (const [path, content] of [
      [join('bin', 'spark-submit'), fakeSubmit],
      ['java', '#!/bin/sh\n'],
    ] as const) {
      await writeFile(join(tools, path), content);
      await chmod(join(tools, path), 0o755);
    }
    const withSpark = await startBuiltService(
      { spark: { sparkSubmit: join(tools, 'bin', 'spark-submit') } },
      { PATH: tools + delimiter + process.env['PATH'], JAVA_HOME: '' },
    );
    try {
      await withSpark.write('mill.jar', '');
      await withSpark.write('spark.py', 'import pyspark\n');
      const jar = await withSpark.runTask({
        spark_jar_task: { main_class_name: 'Mill', parameters: ['7'] },
        libraries: [{ jar: '/mill.jar' }],
      });
      assert.match(jar.logs, /^submitted --master local\[\*\] .*--class Mill \S+\/mill\.jar 7$/m);
      const submit = await withSpark.runTask({
        new_cluster: { spark_version: '15', node_type_id: 'x', num_workers: 0 },
        spark_submit_task: { parameters: ['--class', 'Mill', '/mill.jar', 'x'] },
      });
      assert.match(submit.logs, /^submitted .*--class Mill \S+\/mill\.jar x$/m);
      assert.match(
        (await withSpark.runTask({ spark_python_task: { python_file: '/spark.py' } })).logs,
        /^submitted .*\/spark\.py$/m,
      );
    } finally {
      await withSpark.remove();
    }
  });

  it('fails a task with a wrong path and says what is missing', async () => {
    for (const task of [
      { spark_python_task: { python_file: '/none.py' } },
      { notebook_task: { notebook_path: '/none' } },
      { pipeline_task: { pipeline_id: 'none' } },
    ]) {
      const run = await service.runTask(task);
      assert.deepEqual([run.lifeCycle, run.result], ['TERMINATED', 'FAILED']);
      assert.match(run.message, /was not found; nothing was run\. (Put it at|Write what it runs into) \S+none/);
      assert.equal(run.error, run.message);
    }
    const without = await startBuiltService({ python: '/nowhere/python' });
    try {
      await without.write('file.py', '');
      const run = await without.runTask({ spark_python_task: { python_file: '/file.py' } });
      assert.deepEqual([run.lifeCycle, run.result], ['INTERNAL_ERROR', undefined]);
      assert.match(run.message, /No usable Python was found .* Install Python 3\.8/);
    } finally {
      await without.remove();
    }
  });
});
