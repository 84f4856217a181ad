import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRunners } from '../../../../src/service/runners/createRunners.ts';
import type { RunnerTask, RunRequest } from '../../../../src/service/runners/runner.ts';
import { readRunOutput, runFiles } from '../../../../src/service/runners/runOutput.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { eachWithWorkbench, until, type Workbench } from './workbench.ts';

describe('the runner of a task', () => {
  const runners = createRunners({ root: '/none', dataFolder: '/none/data' });

  it('is one for notebooks, one for what Spark may run, and one for each pipeline', () => {
    const of = (task: object): unknown => runners.forTask(task as RunnerTask);
    const notebook = of({ notebook_task: { notebook_path: '/n' } });
    const spark = of({ spark_python_task: { python_file: '/a.py' } });
    assert.notEqual(notebook, spark);
    assert.equal(of({ notebook_task: { notebook_path: '/m' } }), notebook);
    for (const task of [{ spark_jar_task: { main_class_name: 'A' } }, { spark_submit_task: { parameters: [] } }])
      assert.equal(of(task), spark);
    const pipeline = of({ pipeline_task: { pipeline_id: 'p' } });
    assert.ok(pipeline !== notebook && pipeline !== spark);
  });

  for (const [task, message, remedy] of [
    [
      { tasks: [] },
      'The job has a list of tasks, which version 2.0 keeps and does not run; nothing was run.',
      /^Make each a job of its own with one task/,
    ],
    [{}, 'The run has no task that can be run here; nothing was run.', /^Give it a notebook, Python file, Spark JAR/],
  ] as const)
    it(`is none for ${JSON.stringify(task)}`, () =>
      assert.throws(
        () => runners.forTask(task as RunnerTask),
        (error) => {
          assert.ok(isAppError(error));
          assert.deepEqual([error.kind, error.message], ['invalid', message]);
          assert.match(error.remedy ?? '', remedy);
          return true;
        },
      ));

  it('has its programs from the settings and no others', async () => {
    const settings = { python: '/none/python', spark: { sparkSubmit: '/none/submit' } };
    const found = await createRunners({ root: '/none', dataFolder: '/none/data', ...settings }).probe();
    assert.deepEqual(found.map(({ name, available }) => [name, available]).slice(0, 3), [
      ['python', false],
      ['jupyter', false],
      ['spark', false],
    ]);
    assert.equal(new Set(found.map(({ name }) => name)).size, found.length, 'each is named once');
  });

  it('reads a pipeline only when that runs', async () => {
    const root = mkdtempSync(join(tmpdir(), 'millrace-runners-'));
    try {
      const { run } = createRunners({ root, dataFolder: join(root, 'data') }).forTask({
        pipeline_task: { pipeline_id: 'p' },
      });
      const request = { task: { pipeline_task: { pipeline_id: 'p' } }, folder: join(root, 'run') };
      const { signal } = new AbortController();
      await assert.rejects(
        run(request as never, { onStarted: () => undefined }, { signal }),
        /pipeline p was not found/,
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('what the runners are told of their service', function () {
  this.timeout(60_000);
  let bench: Workbench;
  eachWithWorkbench((one) => (bench = one));

  it('holds for what they start: named variables, and neither secrets nor what keys are kept under', async () => {
    const variables = {
      COPY_A: 'open',
      COPY_B: 'a secret value',
      COPY_C: 'a private value',
      PRIVATE: 'a private value',
    };
    Object.assign(process.env, variables);
    try {
      writeFileSync(
        join(bench.root, 'a.py'),
        'import os\nprint(*[name for name in sorted(os.environ) if name.startswith("COPY_")])\n',
      );
      const outcome = await bench.run(
        { task: { spark_python_task: { python_file: '/a.py' } } },
        {
          secrets: ['a secret value'],
          environmentNames: ['COPY_*'],
          privateVariables: async () => ['PRIVATE'],
        },
      );
      assert.equal(outcome.resultState, 'SUCCESS', outcome.error);
      assert.equal((await readRunOutput(bench.runFolder('1'))).text, 'COPY_A\n');
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });

  it('gives notebooks their engine and the master of Spark', async () => {
    const book = await bench.write('book.py', '# Databricks notebook source\nprint(1)\n');
    const task = { notebook_task: { notebook_path: book.slice(bench.root.length) } };
    for (const [found, notebookEngine] of [
      ['"1.0"', 'builtin'],
      ['null', 'jupyter'],
    ] as const) {
      const python = join(bench.folder, `python-${notebookEngine}`);
      writeFileSync(
        python,
        `#!/bin/sh\npython3 "$@" | sed -E 's/"nbclient": *(null|"[^"]*")/"nbclient": ${found}/'\n`,
        {
          mode: 0o755,
        },
      );
      const running = bench.run({ task }, { notebookEngine, python, spark: { master: 'spark://one:7077' } });
      if (notebookEngine === 'jupyter') {
        await assert.rejects(running, /set to run in Jupyter, which is not installed/);
        continue;
      }
      await running;
      const request = JSON.parse(readFileSync(join(bench.runFolder('1'), runFiles.request), 'utf8')) as object;
      assert.deepEqual(
        Object.entries(request).filter(([name]) =>
          ['sparkMaster', 'kernelFolder', 'root', 'dataFolder'].includes(name),
        ),
        Object.entries({ root: bench.root, dataFolder: bench.dataFolder, sparkMaster: 'spark://one:7077' }),
      );
    }
  });

  /** Spark is not started without a Java; what stands for Spark here needs none. */
  const withJava = async (action: () => Promise<void>): Promise<void> => {
    const { JAVA_HOME: before } = process.env;
    chmodSync(await bench.write('jdk/bin/java', '#!/bin/sh\n'), 0o755);
    process.env['JAVA_HOME'] = join(bench.root, 'jdk');
    try {
      await action();
    } finally {
      if (before === undefined) delete process.env['JAVA_HOME'];
      else process.env['JAVA_HOME'] = before;
    }
  };

  it('gives Spark its program and its master', async () => {
    const sparkSubmit = join(bench.folder, 'submit');
    writeFileSync(sparkSubmit, '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    await withJava(async () => {
      const outcome = await bench.run(
        { task: { spark_jar_task: { main_class_name: 'A', jar_uri: `file:${sparkSubmit}`, parameters: ['x'] } } },
        { spark: { sparkSubmit, master: 'spark://one:7077' } },
      );
      assert.equal(outcome.resultState, 'SUCCESS', outcome.error);
    });
    assert.match((await readRunOutput(bench.runFolder('1'))).text, /--master spark:\/\/one:7077 .*--class A .* x\n$/);
  });

  it('leaves what is cancelled the time that it was given to end by itself', async () => {
    const at = (name: string): string => join(bench.root, name);
    await bench.write(
      'slow.py',
      [
        'import signal, time',
        'def end(*_):',
        '    time.sleep(1)',
        `    open(${JSON.stringify(at('late'))}, "w").close()`,
        'signal.signal(signal.SIGTERM, end)',
        `open(${JSON.stringify(at('ready'))}, "w").close()`,
        'time.sleep(60)',
      ].join('\n'),
    );
    await bench.write('book.py', '# Databricks notebook source\nexec(open("slow.py").read())\n');
    const sparkSubmit = await bench.write('submit', `#!/bin/sh\nexec python3 ${at('slow.py')}\n`);
    chmodSync(sparkSubmit, 0o755);
    await bench.write('init.sh', `exec python3 ${at('slow.py')}\n`);
    const init = { init_scripts: [{ file: { destination: `file:${at('init.sh')}` } }] };
    const local = { existing_cluster_id: 'local' };
    const python = { spark_python_task: { python_file: '/slow.py' } };
    await withJava(async () => {
      for (const [name, task, clusterSpec] of [
        ['file', python, local],
        ['notebook', { notebook_task: { notebook_path: '/book' } }, local],
        ['submit', { spark_submit_task: { parameters: [] as string[] } }, local],
        ['init script', python, { new_cluster: init }],
      ] as const) {
        for (const file of ['ready', 'late']) rmSync(at(file), { force: true });
        const controller = new AbortController();
        const running = bench.run(
          { task, clusterSpec: clusterSpec as RunRequest['clusterSpec'] },
          { graceInMs: 0, spark: name === 'submit' ? { sparkSubmit } : undefined, signal: controller.signal },
        );
        await Promise.race([running, until(() => existsSync(at('ready')))]);
        controller.abort();
        assert.equal((await running).resultState, 'CANCELED', name);
        assert.deepEqual([existsSync(at('ready')), existsSync(at('late'))], [true, false], name);
      }
    });
  });
});
