import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess, type ProcessEnd } from '../../../../src/service/runners/managedProcess.ts';
import { scriptFile } from '../../../../src/service/runners/programs.ts';
import { readRunOutput } from '../../../../src/service/runners/runOutput.ts';
import { hidingProgram, hidingWays, processesWith } from '../support/hiding.ts';
import { needsPython, openWorkbench, until, type Workbench } from './workbench.ts';

describe('a task that hides what it starts', function () {
  this.timeout(120_000);
  let bench: Workbench;
  const ways = hidingWays.filter((way) => !way.needsRoot || process.getuid?.() === 0);
  before(function () {
    if (process.platform !== 'linux') this.skip();
    needsPython(this);
  });
  beforeEach(async () => {
    bench = await openWorkbench();
    for (const [index, way] of ways.entries()) await bench.write(`${index}.py`, hidingProgram(way));
  });
  afterEach(async () => {
    await bench.remove();
  });

  it('leaves nothing when it ends, in each of 17 ways at once', async () => {
    await Promise.all(
      ways.map(async (way, index) => {
        const mark = `millrace-hiding-${process.pid}-${Date.now()}-${index}-`;
        const outcome = await bench.run({
          runId: String(index),
          task: { spark_python_task: { python_file: `/${index}.py`, parameters: [mark] } },
        });
        assert.deepEqual([way.name, outcome, processesWith(mark)], [way.name, { resultState: 'SUCCESS' }, []]);
      }),
    );
  });

  it('leaves nothing when it is cancelled, in each of 17 ways at once', async () => {
    await Promise.all(
      ways.map(async (way, index) => {
        const mark = `millrace-hiding-${process.pid}-${Date.now()}-${index}-`;
        const controller = new AbortController();
        const running = bench.run(
          {
            runId: String(index),
            task: { spark_python_task: { python_file: `/${index}.py`, parameters: [mark, 'stay'] } },
          },
          { signal: controller.signal },
        );
        await until(async () => (await readRunOutput(bench.runFolder(String(index)))).text.includes('ready'));
        assert.notDeepEqual(processesWith(mark), [], way.name);
        controller.abort();
        const outcome = await running;
        assert.deepEqual(
          [way.name, outcome, processesWith(mark)],
          [way.name, { resultState: 'CANCELED', stateMessage: 'The run was cancelled.' }, []],
        );
      }),
    );
  });

  it('has a keeper that Perl finds nothing wrong with', async () => {
    const { stderr, status } = spawnSync('perl', ['-Mstrict', '-Mwarnings', '-c', scriptFile('keeper.pl')], {
      encoding: 'utf8',
    });
    const said = stderr.replace(/^Statement unlikely to be reached.*\n.*\n/m, '');
    assert.deepEqual([said, status], [`${scriptFile('keeper.pl')} syntax OK\n`, 0]);
  });

  it('leaves nothing when the task kills its own parent, and does not pass for a success', async () => {
    const mark = `millrace-hiding-${process.pid}-${Date.now()}-`;
    await bench.write(
      'x.py',
      [
        'import os, signal, subprocess, sys, time',
        'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]], env={}, start_new_session=True)',
        'time.sleep(0.3)',
        'os.kill(os.getppid(), signal.SIGKILL)',
        'time.sleep(600)',
      ].join('\n'),
    );
    const outcome = await bench.run({ task: { spark_python_task: { python_file: '/x.py', parameters: [mark] } } });
    assert.equal(outcome.resultState, 'FAILED');
    assert.match(outcome.stateMessage ?? '', /watches over the task was killed/);
    assert.deepEqual(processesWith(mark), []);
  });

  it('ends and leaves nothing when the task stops its parent and the parent of that', async () => {
    const mark = `millrace-hiding-${process.pid}-${Date.now()}-`;
    await bench.write(
      'x.py',
      [
        'import os, signal, subprocess, sys, time',
        'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]], env={}, start_new_session=True)',
        'above = int(open(f"/proc/{os.getppid()}/stat").read().rsplit(")", 1)[1].split()[1])',
        'time.sleep(0.3)',
        'os.kill(above, signal.SIGSTOP)',
        'os.kill(os.getppid(), signal.SIGSTOP)',
      ].join('\n'),
    );
    const outcome = await bench.run({ task: { spark_python_task: { python_file: '/x.py', parameters: [mark] } } });
    assert.deepEqual([outcome, processesWith(mark)], [{ resultState: 'SUCCESS' }, []]);
  });

  /** As on a machine without Perl, which has no keeper. */
  async function runAlone(program: string): Promise<ProcessEnd> {
    const path = await bench.write('alone.py', program);
    return runProcess(
      {
        command: 'python3',
        parameters: [path],
        cwd: bench.root,
        environment: { PATH: process.env['PATH'] ?? '' },
        mark: 'millrace-test:1',
        folder: bench.runFolder('1'),
        graceInMs: 200,
      },
      {},
      { signal: new AbortController().signal, findKeeper: async () => undefined },
    );
  }

  it('ends all the same where nobody can know of the child that holds its output, and says so', async () => {
    const mark = `millrace-hiding-${process.pid}-${Date.now()}-`;
    const pidFile = join(bench.folder, 'pid');
    try {
      // Forks, begins a session and forks again quicker than anybody looks, and has no environment.
      const end = await runAlone(
        [
          'import os, sys',
          'if os.fork() == 0:',
          '  os.setsid()',
          '  if os.fork() == 0:',
          `    open(${JSON.stringify(pidFile)}, "w").write(str(os.getpid()))`,
          `    os.execve(sys.executable, [sys.executable, "-c", "import time; print('held', flush=True); time.sleep(600)", ${JSON.stringify(mark)}], {})`,
          '  os._exit(0)',
          'os.wait()',
        ].join('\n'),
      );
      assert.deepEqual([end.exitCode, end.isOutputHeld, end.left], [0, true, []]);
      assert.equal(processesWith(mark).length, 1);
    } finally {
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    }
  });

  it('is watched where there is no keeper: what loses its parent after a while is found', async () => {
    const mark = `millrace-hiding-${process.pid}-${Date.now()}-`;
    const end = await runAlone(
      [
        'import os, subprocess, sys, time',
        'subprocess.Popen([sys.executable, "-c", "import os, sys, time; os.setsid(); os.fork() == 0 or ' +
          `(time.sleep(5), os._exit(0)); time.sleep(600)", ${JSON.stringify(mark)}], env={}, ` +
          'stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)',
        'time.sleep(7)',
      ].join('\n'),
    );
    assert.deepEqual([end.exitCode, end.isOutputHeld, end.left], [0, false, []]);
    assert.deepEqual(processesWith(mark), []);
  });
});
