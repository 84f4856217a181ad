import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEnd } from '../../../../src/service/runners/managedProcess.ts';
import { lastJavaException, lastWords, outcomeOf } from '../../../../src/service/runners/pythonFileRunner.ts';
import { readRunOutput } from '../../../../src/service/runners/runOutput.ts';
import { eachWithWorkbench, ended, leftOf, until, type Workbench } from './workbench.ts';

describe('Python file', function () {
  this.timeout(120_000);
  let bench: Workbench;
  eachWithWorkbench((one) => (bench = one));

  it('reports how its process ended and what it left', () => {
    const left = (count: number) => Array.from({ length: count }, (_, index) => ({ pid: index + 1, startTime: '' }));
    const note = (more: Partial<ProcessEnd>) => outcomeOf(ended(more)).note?.split(' not ended')[0];
    assert.equal(note({ left: left(1) }), 'The process 1, which it started, was');
    assert.equal(note({ left: left(5) }), '5 processes that it started (1, 2, 3, 4, 5) were');
    assert.equal(note({ left: left(6) }), '6 processes that it started (1, 2, 3, 4, 5, …) were');
    assert.match(note({ isOutputHeld: true }) ?? '', /^An unknown process kept the output open/);
    for (const [more, expected] of [
      [{}, ['SUCCESS', undefined, undefined]],
      [{ wasStopped: true, exitCode: 3 }, ['CANCELED', 'The run was cancelled.', undefined]],
      [{ exitCode: 3 }, ['FAILED', 'The process exited with code 3.', 'The process exited with code 3.']],
      [
        { exitCode: 3, errorTail: 'x\nlast words' },
        [
          'FAILED',
          'The process exited with code 3.',
          'The process exited with code 3. Last line on standard error: last words',
        ],
      ],
      [
        { exitCode: undefined, signalName: 'SIGTERM', errorTail: 'last words' },
        ['FAILED', 'The process was ended by SIGTERM.', 'The process was ended by SIGTERM.'],
      ],
    ] as const) {
      const { resultState, stateMessage, error } = outcomeOf(ended(more));
      assert.deepEqual([resultState, stateMessage, error], expected);
    }
    const killed = outcomeOf(ended({ exitCode: undefined, signalName: 'SIGKILL' }));
    assert.equal(killed.error, 'The process was ended by SIGKILL, as the system does when memory runs out.');
    assert.match(outcomeOf(ended({ isKeeperLost: true })).error ?? '', /monitors the task was killed/);
  });

  it('runs with its parameters in its folder and keeps its output', async () => {
    await bench.write(
      'dir/x.py',
      'import os, sys\nprint(sys.argv[1:], os.path.basename(os.getcwd()))\nprint("to error", file=sys.stderr)\nprint("grüße")\n',
    );
    let started = 0;
    const outcome = await bench.run(
      {
        task: { spark_python_task: { python_file: '/dir/x.py', parameters: ['a', 'run {{run_id}}', '{{unknown}}'] } },
        dynamicValues: { run_id: '9007199254740993' },
      },
      {
        events: {
          onStarted: () => void (started += 1),
        },
      },
    );
    assert.deepEqual(outcome, { resultState: 'SUCCESS' });
    assert.equal(started, 1);
    const output = await readRunOutput(bench.runFolder('1'));
    assert.match(output.text, /\['a', 'run 9007199254740993', '\{\{unknown\}\}'\] dir\n/);
    assert.match(output.text, /grüße\n/);
    assert.equal(output.truncated, false);
    assert.equal(await readFile(join(bench.runFolder('1'), 'stderr.log'), 'utf8'), 'to error\n');
  });

  it("takes the run's parameters instead of the task's, even empty ones", async () => {
    await bench.write('x.py', 'import sys\nprint(sys.argv[1:])');
    const task = { spark_python_task: { python_file: '/x.py', parameters: ['task'] } };
    await bench.run({ task, parameters: { python_params: ['run'] } });
    await bench.run({ runId: '2', task, parameters: { python_params: [] } });
    assert.equal((await readRunOutput(bench.runFolder('1'))).text, "['run']\n");
    assert.equal((await readRunOutput(bench.runFolder('2'))).text, '[]\n');
  });

  it('runs here with the address of a Spark Connect server, which takes no JAR', async () => {
    const spark = { master: 'sc://localhost:15002' };
    await bench.write('remote.py', 'import os\nprint(os.environ["SPARK_REMOTE"])\nNone and __import__("pyspark")\n');
    await bench.run({ task: { spark_python_task: { python_file: '/remote.py' } } }, { spark });
    assert.equal((await readRunOutput(bench.runFolder('1'))).text.trim(), spark.master);
    await assert.rejects(
      bench.run({ task: { spark_jar_task: { main_class_name: 'A' } } }, { spark }),
      /takes neither JAR/,
    );
  });

  it('names the last line of the traceback as the error', async () => {
    await bench.write(
      'x.py',
      'def f():\n    raise ValueError("three is\\ntoo many")\ntry:\n    f()\nexcept ValueError as error:\n    raise RuntimeError("no") from error\n',
    );
    const outcome = await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } });
    assert.equal(outcome.resultState, 'FAILED');
    assert.equal(outcome.error, 'RuntimeError: no');
    assert.match(outcome.errorTrace!, /^Traceback[\s\S]*ValueError: three is\ntoo many[\s\S]*RuntimeError: no$/);
    assert.equal(outcome.stateMessage, 'The process exited with code 1.');
  });

  it('blames what ended it, not a traceback that it printed or quoted', async () => {
    const handled =
      'import os, sys, traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\n';
    const quoted = String.raw`raise ValueError("no\nTraceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 1")`;
    for (const [program, error] of [
      [quoted, 'ValueError: no'],
      [`${handled}sys.exit("no space left")`, 'no space left'],
      [`${handled}sys.exit(3)`, 'The process exited with code 3.'],
      [`${handled}os._exit(4)`, 'The process exited with code 4.'],
    ] as const) {
      await bench.write('x.py', program);
      const outcome = await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } });
      assert.equal(outcome.error, error);
      assert.equal(outcome.errorTrace?.startsWith('Traceback'), program === quoted ? true : undefined);
    }
  });

  it('fails with its exit code or syntax error', async () => {
    await bench.write('x.py', 'import sys\nsys.exit(7)');
    await bench.write('y.py', 'def (:\n');
    const first = await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } });
    assert.equal(first.resultState, 'FAILED');
    assert.equal(first.error, 'The process exited with code 7.');
    const second = await bench.run({ runId: '2', task: { spark_python_task: { python_file: '/y.py' } } });
    assert.match(second.error!, /^SyntaxError: /);
  });

  it('is cancelled with its whole tree', async () => {
    await bench.write(
      'x.py',
      [
        'import os, signal, subprocess, sys, time',
        'signal.signal(signal.SIGTERM, signal.SIG_IGN)',
        'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])',
        'subprocess.Popen([sys.executable, "-c", "import os, time; os.setsid() if os.fork() == 0 else ' +
          'os._exit(0); time.sleep(600)"], start_new_session=True).wait()',
        'print("ready")',
        'time.sleep(600)',
      ].join('\n'),
    );
    const controller = new AbortController();
    const running = bench.run({ task: { spark_python_task: { python_file: '/x.py' } } }, { signal: controller.signal });
    await until(async () => (await readRunOutput(bench.runFolder('1'))).text.includes('ready'));
    assert.ok((await leftOf(bench)) >= 3);
    controller.abort();
    assert.equal((await running).resultState, 'CANCELED');
    assert.equal(await leftOf(bench), 0);
  });

  it('reports what is missing and what to do', async () => {
    await assert.rejects(bench.run({ task: { spark_python_task: { python_file: '/none.py' } } }), {
      kind: 'notFound',
      message: /\/none\.py/,
    });
    await bench.write('x.py', '');
    await assert.rejects(
      bench.run({ task: { spark_python_task: { python_file: '/x.py' } } }, { python: '/nowhere/python3' }),
      { kind: 'unavailable', remedy: /./, message: /\/nowhere\/python3/ },
    );
  });

  it('shows the first part of a long output', async () => {
    await bench.write('x.py', 'for i in range(200000):\n    print("ä" * 40)\n');
    await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } });
    const output = await readRunOutput(bench.runFolder('1'));
    assert.equal(output.truncated, true);
    assert.equal(output.sizeBytes, 200000 * 81);
    assert.ok(Buffer.byteLength(output.text) <= 5 * 1024 * 1024 && !output.text.includes('\ufffd'));
  });
});

describe('Failure cause', () => {
  it('is what a Java main thread died of', () => {
    assert.equal(lastJavaException('no exception'), undefined);
    const own =
      'Exception in thread "main" java.lang.IllegalStateException: two\nlines  \n\tat A.main(A.java:1)\nCaused by: X\n\t... 3 more';
    assert.deepEqual(lastJavaException(`old\n${own}\nprinted later\n24/01/02 03:04:05 INFO Utils: bye\n`), {
      error: 'java.lang.IllegalStateException: two',
      errorTrace: own,
    });
    assert.deepEqual(lastJavaException('Exception in thread "main" java.lang.Error  \n'), {
      error: 'java.lang.Error',
      errorTrace: 'Exception in thread "main" java.lang.Error',
    });
  });

  it('is otherwise the last words, past logs and JVM notes', () => {
    const notes = [
      '24/01/02 03:04:05 WARN Utils: x',
      '{"ts":"2024","level":"INFO","msg":"x"}',
      'WARNING: Using incubator modules: jdk.incubator.vector',
      'Picked up JAVA_TOOL_OPTIONS: -Xmx1g',
      'SLF4J: no binding',
      "Using Spark's default log4j profile: x",
      '\tat A.main(A.java:1)',
      '\t... 3 more',
    ].join('\n');
    assert.equal(lastWords(`first\nlast  \n${notes}\n\n`), 'last');
    assert.equal(lastWords(`24/01/02 03:04:05 ERROR Utils: kept\n${notes}`), '24/01/02 03:04:05 ERROR Utils: kept');
    assert.equal(lastWords(notes), undefined);
    assert.equal(lastWords('no rows\na.py:3: DeprecationWarning: old\n  old_call()\n'), 'no rows');
    assert.equal(lastWords('x'.repeat(3000))?.length, 2000);
  });
});
