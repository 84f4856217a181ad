import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createFileMap } from '../../../../src/service/base/fileMap.ts';
import { createKeyVariables } from '../../../../src/service/models/upstream/upstreams.ts';
import { createLibraryInstaller } from '../../../../src/service/runners/libraries.ts';
import type { ProcessEnd } from '../../../../src/service/runners/managedProcess.ts';
import { removeSetAsideEnvironments, setAsideEnvironments } from '../../../../src/service/runners/pruneEnvironments.ts';
import { createPythonFinder, type Python } from '../../../../src/service/runners/python.ts';
import type { RunnerLibrary } from '../../../../src/service/runners/runner.ts';
import { readRunOutput } from '../../../../src/service/runners/runOutput.ts';
import { type AppError, isAppError } from '../../../../src/shared/errors.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { eachWithWorkbench, ended, leftOf, until, wheel, zip, type Workbench } from './workbench.ts';

describe('Local cluster', function () {
  this.timeout(120_000);
  let bench: Workbench;
  eachWithWorkbench((one) => (bench = one));
  const task = { spark_python_task: { python_file: '/x.py' } };

  it('installs wheels and eggs once for a set, and again after a change', async () => {
    const store = join(bench.dataFolder, 'dfs');
    await mkdir(store, { recursive: true });
    wheel(join(store, 'tiny_lib-1.0-py3-none-any.whl'), 'tiny_lib', 'value = "from the wheel"');
    zip(join(store, 'old_lib.egg'), { 'old_lib.py': 'value = "from the egg"' });
    await bench.write('x.py', 'import tiny_lib, old_lib\nprint(tiny_lib.value, old_lib.value)');
    const clusterSpec = { libraries: [{ whl: 'dfs:/tiny_lib-1.0-py3-none-any.whl' }, { egg: 'dfs:/old_lib.egg' }] };
    const [first, second] = await Promise.all(['1', '2'].map((runId) => bench.run({ runId, task, clusterSpec })));
    assert.deepEqual(
      [first, second].map((each) => each!.resultState),
      ['SUCCESS', 'SUCCESS'],
    );
    assert.equal((await readRunOutput(bench.runFolder('2'))).text, 'from the wheel from the egg\n');
    assert.equal((await readdir(join(bench.dataFolder, 'environments'))).length, 1);
    wheel(join(store, 'tiny_lib-1.0-py3-none-any.whl'), 'tiny_lib', 'value = "changed"');
    await bench.run({ runId: '3', task, clusterSpec });
    assert.equal((await readRunOutput(bench.runFolder('3'))).text, 'changed from the egg\n');
    assert.equal((await readdir(join(bench.dataFolder, 'environments'))).length, 2);
    // What the job itself says of a variable comes before what the libraries need, which is still found.
    await bench.write('x.py', 'import os\nprint(os.environ["PYTHONPATH"], os.environ["PYTHONUTF8"])');
    const own = { ...clusterSpec, new_cluster: { spark_env_vars: { PYTHONPATH: '/own', PYTHONUTF8: '0' } } };
    assert.equal((await bench.run({ runId: '4', task, clusterSpec: own })).resultState, 'SUCCESS');
    assert.equal((await readRunOutput(bench.runFolder('4'))).text, `/own${delimiter}${join(store, 'old_lib.egg')} 0\n`);
  });

  it('removes environments that no run has used for 30 days', async () => {
    const environments = join(bench.dataFolder, 'environments');
    const day = 86_400_000;
    const now = Date.now();
    const age = async (name: string, days: number, file?: string): Promise<void> => {
      await mkdir(join(environments, name), { recursive: true });
      const path = file === undefined ? join(environments, name) : join(environments, name, file);
      if (file !== undefined) await writeFile(path, '{}');
      await utimes(path, new Date(now - days * day), new Date(now - days * day));
    };
    await age('used', 29, 'ready.json');
    await age('old', 31, 'ready.json');
    await age('broken-off', 31);
    await age('being-built', 0);
    await age('removed-before', 0);
    assert.equal(await setAsideEnvironments(bench.dataFolder, now), 2);
    await removeSetAsideEnvironments(bench.dataFolder);
    assert.deepEqual((await readdir(environments)).sort(), ['being-built', 'used']);
    assert.equal(await setAsideEnvironments(join(bench.folder, 'none'), now), 0);
  });

  it('keeps upstream API keys out of tasks', async () => {
    await mkdir(bench.dataFolder, { recursive: true });
    await bench.write(
      'x.py',
      'import os\nprint(*[name for name in ("LAB_ONE", "LAB_TWO", "LAB_COPY", "LAB_OTHER") if name in os.environ])',
    );
    await writeFile(join(bench.dataFolder, 'models.json'), '{"upstreams": [{"apiKeyVariable": "LAB_ONE"}], broken');
    const privateVariables = createKeyVariables(bench.dataFolder, [
      { name: 'x', apiKeyVariable: 'LAB_TWO' },
      { name: 'y', apiKeyVariable: 'LAB_EMPTY' },
    ]);
    Object.assign(process.env, {
      LAB_ONE: 'first-value',
      LAB_TWO: 'second-value',
      LAB_COPY: 'see first-value',
      LAB_OTHER: 'open',
      LAB_EMPTY: '',
    });
    try {
      await bench.run({ task }, { privateVariables, environmentNames: ['LAB_*'] });
      assert.equal((await readRunOutput(bench.runFolder('1'))).text, 'LAB_OTHER\n');
      await writeFile(join(bench.dataFolder, 'models.json'), '{"upstreams": [{"apiKeyVariable": "LAB_OTHER"}]}');
      await bench.run({ runId: '2', task }, { privateVariables, environmentNames: ['LAB_*'] });
      assert.equal((await readRunOutput(bench.runFolder('2'))).text, '\n');
    } finally {
      for (const name of ['LAB_ONE', 'LAB_TWO', 'LAB_COPY', 'LAB_OTHER', 'LAB_EMPTY']) delete process.env[name];
    }
  });

  it('runs init scripts in order before the task and delivers logs', async () => {
    await bench.write('a.sh', 'echo "a $COLOUR" >> "$TARGET"; echo from-a');
    await bench.write('b.sh', 'echo b >> "$TARGET"');
    await bench.write('x.py', 'import os\nprint(open(os.environ["TARGET"]).read(), end="")');
    const outcome = await bench.run({
      task,
      clusterId: '1120-1',
      clusterSpec: {
        new_cluster: {
          spark_env_vars: { COLOUR: 'green', TARGET: join(bench.folder, 'order') },
          init_scripts: [{ workspace: { destination: '/a.sh' } }, { workspace: { destination: '/b.sh' } }],
          cluster_log_conf: { dfs: { destination: 'dfs:/logs/' } },
        },
      },
    });
    assert.equal(outcome.resultState, 'SUCCESS');
    const logs = join(bench.dataFolder, 'dfs', 'logs', '1120-1');
    assert.equal(await readFile(join(logs, 'driver', 'stdout'), 'utf8'), 'a green\nb\n');
    assert.equal(await readFile(join(logs, 'driver', 'stderr'), 'utf8'), '');
    assert.deepEqual((await readdir(join(logs, 'init_scripts'))).sort(), ['init_01_a.sh.log', 'init_02_b.sh.log']);
    assert.equal(await readFile(join(logs, 'init_scripts', 'init_01_a.sh.log'), 'utf8'), 'from-a\n');
  });

  it('delivers logs every five minutes and at the end', async () => {
    const clock = new FakeClock();
    await bench.write(
      'x.py',
      'import pathlib, time\nprint("one", flush=True)\nwhile not pathlib.Path("go").exists(): time.sleep(0.02)\nprint("two")\n',
    );
    const running = bench.run(
      {
        task,
        clusterId: 'c',
        clusterSpec: { new_cluster: { cluster_log_conf: { dfs: { destination: 'dfs:/logs' } } } },
      },
      { clock },
    );
    const delivered = (): Promise<string | undefined> =>
      readFile(join(bench.dataFolder, 'dfs', 'logs', 'c', 'driver', 'stdout'), 'utf8').catch(() => undefined);
    await until(async () => (await readRunOutput(bench.runFolder('1'))).text === 'one\n' && clock.pending === 1);
    await clock.advance(5 * 60_000 - 1);
    assert.equal(await delivered(), undefined);
    await clock.advance(1);
    await until(async () => (await delivered()) === 'one\n');
    await rm(join(bench.dataFolder, 'dfs', 'logs'), { recursive: true });
    await clock.advance(5 * 60_000);
    await until(async () => (await delivered()) === 'one\n');
    await bench.write('go', '');
    assert.equal((await running).resultState, 'SUCCESS');
    assert.equal(await delivered(), 'one\ntwo\n');
    assert.equal(clock.pending, 0);
  });

  it('says in its message that the logs could not be delivered', async () => {
    await bench.write('x.py', '');
    const target = join(bench.folder, 'taken');
    await writeFile(target, 'a file, not a folder');
    const outcome = await bench.run({
      task,
      clusterSpec: { new_cluster: { cluster_log_conf: { file: { destination: `file:${target}` } } } },
    });
    assert.equal(outcome.resultState, 'SUCCESS');
    assert.match(outcome.note ?? '', /logs were not delivered to file:/);
  });

  it('starts no task after a failed init script', async () => {
    await bench.write('a.sh', 'echo broken >&2; exit 3');
    await bench.write('x.py', 'open("made", "w")');
    let started = false;
    await assert.rejects(
      bench.run(
        { task, clusterSpec: { new_cluster: { init_scripts: [{ workspace: { destination: '/a.sh' } }] } } },
        {
          events: {
            onStarted: () => void (started = true),
          },
        },
      ),
      (error) =>
        isAppError(error) &&
        /Init script \/a\.sh ended with code 3/.test(error.message) &&
        /broken/.test(error.message),
    );
    assert.equal(started, false);
  });

  it('can be cancelled while it prepares', async () => {
    await bench.write('a.sh', 'echo ready; sleep 600');
    await bench.write('x.py', '');
    const controller = new AbortController();
    const running = bench.run(
      { task, clusterSpec: { new_cluster: { init_scripts: [{ workspace: { destination: '/a.sh' } }] } } },
      { signal: controller.signal },
    );
    await until(async () => (await leftOf(bench)) >= 2);
    controller.abort();
    assert.equal((await running).resultState, 'CANCELED');
    assert.equal(await leftOf(bench), 0);
  });

  it('runs the notebooks and files of a pipeline in order', async () => {
    await bench.write(
      'one.py',
      '# Databricks notebook source\nprint("one", dbutils.widgets.get("colour"))\ndbutils.notebook.exit("first")',
    );
    await bench.write('two.py', 'print("two")');
    await bench.write('bad.py', 'raise ValueError("no")');
    await bench.write(
      'pipelines/mill.yml',
      'configuration: {colour: red}\nlibraries:\n  - notebook: {path: /one}\n  - file: {path: /two.py}\n',
    );
    await bench.write(
      'pipelines/bad.json',
      '{"libraries": [{"file": {"path": "/bad.py"}}, {"file": {"path": "/two.py"}}]}',
    );
    await bench.write('pipelines/empty.yml', 'libraries: []');
    let started = 0;
    const outcome = await bench.run(
      { task: { pipeline_task: { pipeline_id: 'mill' } } },
      {
        events: {
          onStarted: () => void (started += 1),
        },
      },
    );
    assert.equal(outcome.resultState, 'SUCCESS');
    assert.equal(started, 1);
    assert.equal(
      (await readRunOutput(bench.runFolder('1'))).text,
      '--- Step 1: /one\none red\nExit value: first\n--- Step 2: /two.py\ntwo\n',
    );
    const failure = await bench.run({ runId: '2', task: { pipeline_task: { pipeline_id: 'bad' } } });
    assert.deepEqual([failure.resultState, failure.error], ['FAILED', 'ValueError: no']);
    assert.match(failure.stateMessage!, /^Step 1 \(\/bad\.py\)/);
    await assert.rejects(bench.run({ task: { pipeline_task: { pipeline_id: 'empty' } } }), {
      kind: 'invalid',
      message: /was not run\. libraries: must not be an empty list\.$/,
    });
    await assert.rejects(bench.run({ task: { pipeline_task: { pipeline_id: '../x' } } }), { kind: 'invalid' });
    await assert.rejects(bench.run({ task: { pipeline_task: { pipeline_id: 'none' } } }), {
      kind: 'notFound',
      remedy: /none\.yml/,
    });
  });
});

describe('Libraries', () => {
  describe('installation', function () {
    this.timeout(60_000);
    let bench: Workbench;
    let python: Python;
    eachWithWorkbench((one) => (bench = one));
    before(async () => (python = await createPythonFinder().find()));

    const asked: string[][] = [];
    beforeEach(() => (asked.length = 0));
    const install = (
      libraries: RunnerLibrary[],
      answer: (parameters: readonly string[]) => ProcessEnd = () => ended(),
      { signal, using = python }: { signal?: AbortSignal; using?: Python | null } = {},
    ) =>
      createLibraryInstaller({
        dataFolder: bench.dataFolder,
        files: createFileMap({ root: bench.root, dataFolder: bench.dataFolder }),
      }).install(libraries, using ?? undefined, {
        signal: signal ?? new AbortController().signal,
        run: (_command, parameters) => {
          asked.push(parameters.slice(parameters[1] === 'install' ? 4 : 1));
          return Promise.resolve(answer(parameters));
        },
      });
    const refusal = (work: Promise<unknown>): Promise<AppError> =>
      work.then(
        () => assert.fail('it was installed'),
        (error: unknown) => (isAppError(error) ? error : Promise.reject(error)),
      );
    const pypi = (name: string, repo?: string): RunnerLibrary => ({ pypi: { package: name, ...(repo && { repo }) } });

    it('takes the files that a pattern matches, and asks to build them if none does', async () => {
      const files = [await bench.write('dist/app-1.jar', ''), await bench.write('dist/app-2.jar', '')];
      await bench.write('dist/readme.txt', '');
      assert.deepEqual((await install([{ jar: '/dist/app-*.jar' }])).jars, files);
      const { kind, remedy } = await refusal(install([{ jar: '/dist/*.whl' }]));
      assert.deepEqual([kind, remedy?.includes('Build')], ['notFound', true]);
    });

    it('refuses names that a command could misread', async () => {
      for (const library of [
        pypi('-r x'),
        pypi(' '),
        pypi('a\nb'),
        pypi('a', '--x'),
        { maven: { coordinates: 'a:b' } },
        { maven: { coordinates: 'a:b:1,c:d:1' } },
        { maven: { coordinates: 'a:b:1:c:d:e' } },
        { maven: { coordinates: 'a:b:1', repo: '-x' } },
        { maven: { coordinates: 'a:b:1', exclusions: ['-x'] } },
        { cran: { package: '--x' } },
      ])
        assert.equal((await refusal(install([library]))).kind, 'invalid', JSON.stringify(library));
    });
  });
});
