import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEnd } from '../../../../src/service/runners/managedProcess.ts';
import { outcomeOf } from '../../../../src/service/runners/pythonFileRunner.ts';
import { readRunOutput } from '../../../../src/service/runners/runOutput.ts';
import { isAppError } from '../../../../src/shared/errors.ts';
import { ended, eachWithWorkbench, leftOf, until, type Workbench } from './workbench.ts';

describe('Python file runner', function () {
  this.timeout(120_000);
  let bench: Workbench;
  eachWithWorkbench((one) => (bench = one));

  it('tells how its process ended, and what it left', () => {
    const left = (count: number) => Array.from({ length: count }, (_, index) => ({ pid: index + 1, startTime: '' }));
    const note = (more: Partial<ProcessEnd>) => outcomeOf(ended(more)).note?.split(' not ended')[0];
    assert.equal(note({ left: left(1) }), 'The process 1, which it started, was');
    assert.equal(note({ left: left(5) }), '5 processes that it started (1, 2, 3, 4, 5) were');
    assert.equal(note({ left: left(6) }), '6 processes that it started (1, 2, 3, 4, 5, …) were');
    assert.match(note({ isOutputHeld: true }) ?? '', /^A process that could not be found still held the output/);
    for (const [more, expected] of [
      [{}, ['SUCCESS', undefined, undefined]],
      [{ wasStopped: true, exitCode: 3 }, ['CANCELED', 'The run was cancelled.', undefined]],
      [{ exitCode: 3 }, ['FAILED', 'The process exited with code 3.', 'The process exited with code 3.']],
      [{ exitCode: 3, errorTail: 'x\nlast words' }, ['FAILED', 'The process exited with code 3.', 'last words']],
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
    assert.match(outcomeOf(ended({ isKeeperLost: true })).error ?? '', /watches over the task was killed/);
  });

  it('says which parameters no program can get', async () => {
    await bench.write('long.py', 'pass');
    for (const [parameter, words] of [
      ['x'.repeat(200_000), /longer than this system allows/],
      ['a\0b', /hold a NUL character/],
    ] as const) {
      if (process.platform !== 'linux' && parameter.length > 10) continue;
      const task = { spark_python_task: { python_file: '/long.py', parameters: [parameter] } };
      await assert.rejects(
        bench.run({ task }),
        (error) =>
          isAppError(error) && error.kind === 'invalid' && words.test(error.message) && error.remedy !== undefined,
      );
    }
  });

  it('runs a file with its parameters, in its folder, and keeps what it printed', async () => {
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
          onStarted: () => {
            started += 1;
          },
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

  it('gives it pipes to write into, which it can open by their names too', async function () {
    // Elsewhere there is no keeper.
    if (process.platform !== 'linux') this.skip();
    await bench.write(
      'x.py',
      'import os, stat\nprint([stat.S_ISFIFO(os.fstat(each).st_mode) for each in (1, 2)])\n' +
        'for name in ("out", "err"):\n    open("/dev/std" + name, "w").write(name + "\\n")\n',
    );
    const outcome = await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } });
    assert.deepEqual(outcome, { resultState: 'SUCCESS' });
    assert.equal(await readFile(join(bench.runFolder('1'), 'stdout.log'), 'utf8'), '[True, True]\nout\n');
    assert.equal(await readFile(join(bench.runFolder('1'), 'stderr.log'), 'utf8'), 'err\n');
  });

  it("takes the run's parameters instead of the task's, even when there are none", async () => {
    await bench.write('x.py', 'import sys\nprint(sys.argv[1:])');
    const task = { spark_python_task: { python_file: '/x.py', parameters: ['task'] } };
    await bench.run({ task, parameters: { python_params: ['run'] } });
    await bench.run({ runId: '2', task, parameters: { python_params: [] } });
    assert.equal((await readRunOutput(bench.runFolder('1'))).text, "['run']\n");
    assert.equal((await readRunOutput(bench.runFolder('2'))).text, '[]\n');
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

  it('fails with the exit code where there is no traceback, and on a syntax error with it', async () => {
    await bench.write('x.py', 'import sys\nsys.exit(7)');
    await bench.write('y.py', 'def (:\n');
    const first = await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } });
    assert.equal(first.resultState, 'FAILED');
    assert.equal(first.error, 'The process exited with code 7.');
    const second = await bench.run({ runId: '2', task: { spark_python_task: { python_file: '/y.py' } } });
    assert.match(second.error!, /^SyntaxError: /);
  });

  it('leaves no process behind where the run cannot be noted down', async () => {
    await bench.write('x.py', 'import time\ntime.sleep(600)');
    const events = {
      onSpawned: () => {
        throw new Error('database or disk is full');
      },
    };
    await assert.rejects(
      bench.run({ task: { spark_python_task: { python_file: '/x.py' } } }, { events }),
      /disk is full/,
    );
    assert.equal(await leftOf(bench), 0);
  });

  it('names the signal that ended a task', async () => {
    await bench.write(
      'x.py',
      'import os, signal, sys\nprint("last words", file=sys.stderr, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)',
    );
    const outcome = await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } });
    assert.equal(outcome.error, 'The process was ended by SIGKILL, as the system does when memory runs out.');
    assert.equal(outcome.errorTrace, 'last words');
  });

  it('gives the task no secret of the service', async () => {
    await bench.write('x.py', 'import os, json\nprint(json.dumps(dict(os.environ)))');
    const canary = 'canary-9f8e7d6c';
    const set = {
      MILLRACE_TOKEN: 'x1',
      GITHUB_TOKEN: 'x2',
      DB_PASSWORD: 'x3',
      AWS_SECRET_ACCESS_KEY: 'x4',
      OPENAI_API_KEY: 'x5',
      INNOCENT: `a ${canary} b`,
      ENCODED: Buffer.from(canary).toString('base64'),
      DATABASE: 'postgres://me:pw@host/x',
      KEPT: 'yes',
      ELECTRON_RUN_AS_NODE: '1',
      AZURE_STORAGE: 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=Zm9v;',
      SLACK: 'https://hooks.slack.com/services/T0/B0/x',
      REPOSITORY: 'https://TOKEN@host/x.git',
      STRIPE: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
      PIP_INDEX_URL: 'https://TOKEN@host/simple',
      HTTPS_PROXY: 'http://me:pw@proxy:8080',
      SPARK_AUTH_SECRET: 'x6',
      JAVA_TOOL_OPTIONS: '-Djavax.net.ssl.keyStorePassword=x7',
      SPARK_LOCAL_IP: '127.0.0.1',
      PYTHONHASHSEED: '7',
      LC_TIME: 'C',
      AWS_PROFILE: 'dev',
      AWS_REGION: 'eu',
    };
    Object.assign(process.env, set);
    try {
      await bench.run(
        {
          task: { spark_python_task: { python_file: '/x.py' } },
          clusterSpec: { new_cluster: { spark_env_vars: { ASKED_FOR: 'here' } } },
        },
        { secrets: [canary], environmentNames: ['STRIPE', 'AWS_*', 'ENCODED', 'MILLRACE_TOKEN'] },
      );
    } finally {
      for (const name of Object.keys(set)) delete process.env[name];
    }
    const environment = JSON.parse((await readRunOutput(bench.runFolder('1'))).text) as Record<string, string>;
    assert.deepEqual(
      Object.keys(set).filter((name) => name in environment),
      ['AWS_SECRET_ACCESS_KEY', 'STRIPE', 'SPARK_LOCAL_IP', 'PYTHONHASHSEED', 'LC_TIME', 'AWS_PROFILE', 'AWS_REGION'],
    );
    assert.equal(environment['ASKED_FOR'], 'here');
    assert.equal(JSON.stringify(environment).includes(canary), false);
  });

  it('cancels the whole tree, also what ignores TERM or has left the group', async () => {
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

  it('ends what a finished task left running', async () => {
    await bench.write(
      'x.py',
      'import subprocess, sys\nsubprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)\n',
    );
    assert.equal((await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } })).resultState, 'SUCCESS');
    assert.equal(await leftOf(bench), 0);
  });

  it('is cancelled at once where the signal was aborted before', async () => {
    await bench.write('x.py', 'open("made", "w")');
    let started = false;
    const outcome = await bench.run(
      { task: { spark_python_task: { python_file: '/x.py' } } },
      {
        signal: AbortSignal.abort(),
        events: {
          onStarted: () => {
            started = true;
          },
        },
      },
    );
    assert.equal(outcome.resultState, 'CANCELED');
    assert.equal(started, false);
  });

  it('says what is missing and what to do', async () => {
    await assert.rejects(
      bench.run({ task: { spark_python_task: { python_file: '/none.py' } } }),
      (error) => isAppError(error) && error.kind === 'notFound' && error.message.includes('/none.py'),
    );
    await bench.write('x.py', '');
    await assert.rejects(
      bench.run({ task: { spark_python_task: { python_file: '/x.py' } } }, { python: '/nowhere/python3' }),
      (error) =>
        isAppError(error) &&
        error.kind === 'unavailable' &&
        Boolean(error.remedy) &&
        error.message.includes('/nowhere/python3'),
    );
  });

  it('shows the first part of a long output and says so', async () => {
    await bench.write('x.py', 'for i in range(200000):\n    print("ä" * 40)\n');
    await bench.run({ task: { spark_python_task: { python_file: '/x.py' } } });
    const output = await readRunOutput(bench.runFolder('1'));
    assert.equal(output.truncated, true);
    assert.equal(output.sizeBytes, 200000 * 81);
    assert.ok(Buffer.byteLength(output.text) <= 5 * 1024 * 1024 && !output.text.includes('\ufffd'));
  });
});
