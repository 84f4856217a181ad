import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileMap } from '../../../../src/service/base/fileMap.ts';
import type { Debugging } from '../../../../src/service/runners/debugging.ts';
import type { LocalCluster, PreparedCluster } from '../../../../src/service/runners/localCluster.ts';
import { createNotebookRunner } from '../../../../src/service/runners/notebookRunner.ts';
import { createPythonFinder } from '../../../../src/service/runners/python.ts';
import { runFiles } from '../../../../src/service/runners/runOutput.ts';
import { ended, eachWithWorkbench, type Workbench } from './workbench.ts';

describe('what a notebook is run with', function () {
  this.timeout(60_000);
  let bench: Workbench;
  eachWithWorkbench((one) => (bench = one));

  it('is written down for its program, with where the debugger waits, the libraries and what the run sets', async () => {
    await bench.write('dir/book.py', '# Databricks notebook source\n1\n');
    const python = createPythonFinder();
    const { signal } = new AbortController();
    const programs: Parameters<PreparedCluster['run']>[0][] = [];
    const prepared = {
      python: await python.find(),
      environment: { OWN: 'yes' },
      ...{ jars: ['/a.jar', '/b.jar'], packages: ['g:a:1', 'g:b:1'], repositories: ['https://r'], exclusions: ['x:y'] },
      run: async (program: (typeof programs)[number]) => (programs.push(program), ended()),
    };
    const runner = createNotebookRunner({
      ...{ root: bench.root, dataFolder: bench.dataFolder, python, engine: 'builtin' },
      files: createFileMap({ root: bench.root, dataFolder: bench.dataFolder }),
      cluster: { use: (_use: unknown, body: (given: unknown) => unknown) => body(prepared) } as unknown as LocalCluster,
      debugging: {
        use: (_request, _prepared, _events, _signal, body) =>
          body({ options: ['-Xown'], through: ['/debugged.py'], session: '/session.json', signal }),
      } satisfies Debugging,
    });
    const request = bench.request({
      task: { notebook_task: { notebook_path: '/dir/book', base_parameters: { a: '1', b: '{{task_key}}' } } },
      clusterSpec: { new_cluster: { spark_conf: { 'spark.x': 'y' } } },
      parameters: { notebook_params: { a: '2' } },
      dynamicValues: { task_key: 'one' },
    });
    await mkdir(request.folder, { recursive: true });
    const outcome = await runner.run(request, { onStarted: () => undefined }, { signal });
    assert.equal(outcome.resultState, 'SUCCESS');
    const written = await readFile(join(request.folder, runFiles.request), 'utf8');
    assert.deepEqual(JSON.parse(written), {
      path: join(bench.root, 'dir', 'book.py'),
      notebookPath: '/dir/book',
      name: 'book',
      root: bench.root,
      dataFolder: bench.dataFolder,
      parameters: { a: '2', b: 'one' },
      cellLimitBytes: 8 * 1024 * 1024,
      debugSession: '/session.json',
      pythonOptions: ['-Xown'],
      taskKey: 'one',
      sparkConf: {
        'spark.x': 'y',
        'spark.jars': '/a.jar,/b.jar',
        'spark.jars.packages': 'g:a:1,g:b:1',
        'spark.jars.repositories': 'https://r',
        'spark.jars.excludes': 'x:y',
      },
    });
    const { command, parameters = [], environment } = programs.at(-1) ?? {};
    assert.ok(command?.startsWith(join(request.folder, 'python')), 'in an environment of its own');
    assert.deepEqual([parameters[0], parameters[2]], ['-Xown', request.folder]);
    assert.match(parameters[1] ?? '', /run_notebook\.py$/);
    assert.equal(environment?.['OWN'], 'yes');
  });
});
