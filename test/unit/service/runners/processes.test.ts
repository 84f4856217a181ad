import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { keeperMarkName, markPrefix, runMarkName } from '../../../../src/service/runners/childEnvironment.ts';
import { type ProcessEnd, runProcess } from '../../../../src/service/runners/managedProcess.ts';
import {
  identify,
  killLeftovers,
  killTree,
  listProcesses,
  parsePs,
  parseWindowsList,
  type ProcessEntry,
  selectTree,
} from '../../../../src/service/runners/processTree.ts';
import { type RunnerEvents, serviceStops } from '../../../../src/service/runners/runner.ts';
import { readRunOutput, runFiles } from '../../../../src/service/runners/runOutput.ts';
import { findKeeper, startTask, type TaskProcess } from '../../../../src/service/runners/taskProcess.ts';
import { keepFilesPrivate } from '../../../../src/service/runners/taskUmask.ts';
import { describeError, isAppError } from '../../../../src/shared/errors.ts';
import { cases } from '../../../support/counts.ts';
import { hidingProgram, hidingWays, processesWith } from '../support/hiding.ts';
import { eachWithWorkbench, leftOf, needsPython, openWorkbench, until, type Workbench } from './workbench.ts';

describe('Task process', function () {
  const isLinux = process.platform === 'linux';

  const openFiles = (): number => readdirSync('/proc/self/fd').length;

  this.timeout(60_000);
  let folder: string;
  before(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-task-')))));
  after(() => rmSync(folder, { recursive: true }));

  const start = (
    keeper: string | undefined,
    command: string,
    parameters: string[] = [],
    environment: Record<string, string> = {},
  ): Promise<TaskProcess> =>
    startTask({ command, parameters, cwd: folder, environment: { PATH: '/usr/bin:/bin', ...environment } }, keeper);

  for (const how of ['alone', 'below a keeper'] as const)
    describe(how, () => {
      let keeper: string | undefined;
      before(async function () {
        if (process.platform === 'win32') this.skip();
        if (how === 'alone') return;
        keeper = await findKeeper();
        if (keeper === undefined) this.skip();
      });

      it('has its folder, its output and its exit', async () => {
        const task = await start(keeper, 'sh', ['-c', 'pwd; echo wrong >&2; exit 3']);
        const [out, error, end] = await Promise.all([text(task.output), text(task.errors), task.ended]);
        assert.deepEqual([out, error, end.exitCode, end.signalName], [`${folder}\n`, 'wrong\n', 3, undefined]);
        await task.release();
        const killed = await start(keeper, 'sh', ['-c', 'kill -TERM $$']);
        const { exitCode, signalName } = await killed.ended;
        assert.deepEqual([exitCode, signalName], [undefined, 'SIGTERM']);
        await killed.release();
      });

      it("creates files with the user's umask", async () => {
        const before = process.umask(0o027);
        try {
          keepFilesPrivate();
          const task = await start(keeper, 'sh', ['-c', 'umask']);
          assert.match(await text(task.output), /^0?027\n$/);
          await task.release();
        } finally {
          // What the others start has what it had.
          process.umask(before);
          keepFilesPrivate();
          process.umask(before);
        }
      });

      it('reports why it cannot start and leaves nothing open', async function () {
        if (!isLinux) this.skip();
        await assert.rejects(start(keeper, join(folder, 'none')), (error) => {
          assert.ok(isAppError(error));
          assert.deepEqual(
            [error.kind, error.message],
            ['unavailable', `${folder}/none could not be started: spawn ${folder}/none ENOENT`],
          );
          assert.match(describeError(error), /ENOENT\. Check that it is installed/);
          return true;
        });
        // A monitoring process that is killed at its start says nothing of the program.
        await assert.rejects(start('/bin/false', 'python3'), (error) => !/installed/.test(describeError(error)));
        const before = openFiles();
        for (let count = 0; count < 5; count += 1)
          await assert.rejects(start(keeper, folder), /could not be started: spawn \S+ EACCES/);
        await until(() => openFiles() <= before + 1);
        for (const [parameter, message] of [
          ['a\0b', /parameters or environment variables hold a NUL character/],
          ['x'.repeat(3_000_000), /parameters or environment variables are longer than this system allows/],
        ] as const)
          await assert.rejects(
            start(keeper, 'echo', [parameter]),
            (error) =>
              isAppError(error) &&
              error.kind === 'invalid' &&
              error.remedy === 'Pass such values through a file.' &&
              error.cause instanceof Error &&
              message.test(error.message),
          );
      });
    });
});

describe('Run process', function () {
  this.timeout(60_000);
  let bench: Workbench;
  eachWithWorkbench((one) => (bench = one));

  function start(
    code: string,
    more: {
      log?: string;
      events?: Partial<RunnerEvents>;
      signal?: AbortSignal;
      findKeeper?: () => Promise<string | undefined>;
      graceInMs?: number;
      environment?: Record<string, string>;
    } = {},
  ): Promise<ProcessEnd> {
    const { log, events = {}, signal = new AbortController().signal, findKeeper: keeper } = more;
    const plan = {
      command: process.execPath,
      parameters: ['-e', code],
      cwd: bench.root,
      environment: more.environment ?? {},
      mark: `${markPrefix(bench.dataFolder)}1`,
      folder: bench.runFolder('1'),
      log,
      graceInMs: 'graceInMs' in more ? more.graceInMs : 500,
    };
    return runProcess(plan, events, { signal, findKeeper: keeper });
  }
  const read = (name: string): Promise<string> => readFile(join(bench.runFolder('1'), name), 'utf8');
  const never = 'setInterval(() => undefined, 1e6)';

  it('does not start after a cancellation, and ends when cancelled while starting', async () => {
    await assert.rejects(start(never, { signal: AbortSignal.abort(new Error('before')) }), /before/);
    const controller = new AbortController();
    let spawned = false;
    const end = await start(never, {
      signal: controller.signal,
      events: { onSpawned: () => (spawned = true) },
      // Between the look at the signal and the process.
      findKeeper() {
        controller.abort();
        return findKeeper();
      },
    });
    assert.deepEqual([spawned, end.wasStopped, end.left], [true, true, []]);
    assert.equal(await leftOf(bench), 0);
  });

  /** Ends so long after it is asked to. */
  const slow = (delayInMs: number): string =>
    `process.on('SIGTERM', () => setTimeout(() => process.exit(7), ${delayInMs})); console.log('ready'); ${never}`;

  it('gets its grace period, and little when the service stops', async () => {
    for (const [graceInMs, delayInMs, reason, end] of [
      [undefined, 50, undefined, [7, undefined]],
      [0, 1000, undefined, [undefined, 'SIGKILL']],
      [120_000, 90_000, serviceStops, [undefined, 'SIGKILL']],
    ] as const) {
      const controller = new AbortController();
      // A keeper that is let go while the service stops ends all at once.
      const findNone = reason && (async () => undefined);
      const running = start(slow(delayInMs), { graceInMs, signal: controller.signal, findKeeper: findNone });
      await until(() => read(runFiles.standardOutput).then(Boolean, () => false));
      controller.abort(reason);
      const { exitCode, signalName, wasStopped, left, outputTail } = await running;
      assert.deepEqual([exitCode, signalName, wasStopped, left, outputTail], [...end, true, [], 'ready\n']);
      await rm(bench.runFolder('1'), { recursive: true });
    }
    assert.equal(await leftOf(bench), 0);
  });

  it('keeps all output and its last 64 KB', async () => {
    const end = await start(`process.stdout.write('x'.repeat(1e6) + 'end'); process.stderr.write('y'.repeat(1e5))`);
    assert.equal(await read(runFiles.standardOutput), `${'x'.repeat(1e6)}end`);
    assert.equal((await read(runFiles.output)).length, 1.1e6 + 3);
    assert.deepEqual([end.outputTail, end.errorTail], [`${'x'.repeat(65_533)}end`, 'y'.repeat(65_536)]);
  });
});

describe('Process tree', function () {
  const entry = (pid: number, parentPid: number, startTime = 't', mark?: string): ProcessEntry => ({
    pid,
    parentPid,
    groups: [],
    startTime,
    mark,
  });

  this.timeout(120_000);

  it('identifies a process by parent and start time, whatever its name', async function () {
    if (process.platform !== 'linux') this.skip();
    const folder = await mkdtemp(join(tmpdir(), 'millrace-names-'));
    // As it is read from Linux's account of a process, this one would have ended.
    const program = join(folder, 'a) Z 1 (b');
    await writeFile(program, '#!/bin/sh\necho ready\nread -r line\n', { mode: 0o755 });
    const child = spawn(program);
    try {
      await once(child.stdout, 'data');
      const { pid = 0 } = child;
      const found = (await listProcesses()).find((each) => each.pid === pid);
      assert.equal(found?.parentPid, process.pid);
      assert.match(found.startTime, /^\d+$/);
      assert.deepEqual(await identify(pid), { pid, startTime: found.startTime });
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });

  it("leaves another user's process and reports it", async function () {
    if (process.platform === 'win32') this.skip();
    const child = spawn('sleep', ['600']);
    const identity = await identify(child.pid ?? 0);
    assert.ok(identity);
    const kill = mock.method(process, 'kill', () => {
      throw Object.assign(new Error('not allowed'), { code: 'EPERM' });
    });
    try {
      assert.deepEqual(
        (await killTree([identity])).left.map(({ pid }) => pid),
        [identity.pid],
      );
      assert.deepEqual(
        kill.mock.calls.map((call) => call.arguments),
        [[identity.pid, 'SIGTERM']],
      );
    } finally {
      kill.mock.restore();
      child.kill('SIGKILL');
    }
  });

  it('leaves a process alone whose pid was reused', () => {
    assert.deepEqual(selectTree([entry(10, 1, 'later'), entry(11, 10)], [{ pid: 10, startTime: 'before' }]), []);
  });

  it('never selects the service itself', () => {
    assert.deepEqual(
      selectTree([entry(process.pid, 1, 't', 'a:1')], [], () => true),
      [],
    );
  });

  it('ends only what an earlier service left', async function () {
    if (process.platform === 'win32') this.skip();
    const start = (dataFolder: string): ReturnType<typeof spawn> =>
      spawn('sh', ['-c', 'trap "" TERM; while :; do sleep 600; done'], {
        env: { ...process.env, [runMarkName]: `${markPrefix(dataFolder)}7` },
        detached: true,
        stdio: 'ignore',
      });
    const ours = start('/data/ours');
    const others = start('/data/others');
    try {
      await Promise.all([once(ours, 'spawn'), once(others, 'spawn')]);
      const ended = once(ours, 'exit');
      assert.ok((await killLeftovers('/data/ours', [], { graceInMs: 100 })).ended >= 1);
      assert.deepEqual(await ended, [null, 'SIGKILL']);
      assert.equal(
        (await listProcesses(true)).filter((each) => each.mark?.startsWith(markPrefix('/data/ours'))).length,
        0,
      );
      assert.ok(await identify(others.pid!));
      assert.deepEqual(await killLeftovers('/data/ours'), { ended: 0, left: [] });
    } finally {
      await killTree([(await identify(others.pid!))!], { graceInMs: 10 });
    }
  });

  it('waits for keepers of an earlier service', async function () {
    if (process.platform !== 'linux') this.skip();
    const data = `/data/kept-${process.pid}`;
    const keeper = spawn(
      'sh',
      // What it keeps takes no TERM, so that whoever is told first is told long before the other is gone.
      ['-c', `trap "" TERM; env -u ${keeperMarkName} sleep 600 & trap "exit 7" TERM; wait $!; exit 3`],
      { env: { ...process.env, [runMarkName]: `${markPrefix(data)}7`, [keeperMarkName]: '1' }, stdio: 'ignore' },
    );
    const ended = once(keeper, 'exit');
    const kept = async (): Promise<boolean> =>
      (await listProcesses(true)).some(({ mark, isKeeper }) => mark === `${markPrefix(data)}7` && !isKeeper);
    while (!(await kept())) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual((await killLeftovers(data, [], { graceInMs: 200 })).left, []);
    assert.deepEqual(await ended, [3, null]);
  });

  it('reads ps on macOS', () => {
    const output = [
      '    1     0     1 Ss   Mon Nov 16 08:02:11 2026     /sbin/launchd',
      '  512   401   512 S    Sun Nov 22 01:14:32 2026     /usr/bin/python3 /Users/a/etl job.py --name x PATH=/usr/bin:/bin MILLRACE_RUN=d1f:7 TERM=xterm',
      '  513   512   512 R+   Sun Nov  1 23:59:59 2026     grep <defunct> notes.txt',
      '  514   512   512 Z    Sun Nov 22 01:14:33 2026     (python3)',
      '',
    ].join('\n');
    assert.deepEqual(parsePs(output, true), [
      { pid: 1, parentPid: 0, groups: [1], startTime: 'Mon Nov 16 08:02:11 2026', mark: undefined },
      { pid: 512, parentPid: 401, groups: [512], startTime: 'Sun Nov 22 01:14:32 2026', mark: 'd1f:7' },
      { pid: 513, parentPid: 512, groups: [512], startTime: 'Sun Nov 1 23:59:59 2026', mark: undefined },
    ]);
    assert.deepEqual(
      parsePs(output, false).map(({ mark }) => mark),
      [undefined, undefined, undefined],
    );
  });

  it('reads PowerShell on Windows', () => {
    const output = '0 0 \r\n4 0 \r\n8124 772 134082548720338513\r\n9016 8124 134082548731120044\r\n\r\n';
    assert.deepEqual(parseWindowsList(output), [
      { pid: 8124, parentPid: 772, groups: [], startTime: '134082548720338513' },
      { pid: 9016, parentPid: 8124, groups: [], startTime: '134082548731120044' },
    ]);
    const [root, child] = parseWindowsList(output);
    assert.deepEqual(
      selectTree([root!, child!], [root!])
        .map(({ pid }) => pid)
        .sort((a, b) => a - b),
      [8124, 9016],
    );
    // The parent ended, and Windows still names it.
    assert.deepEqual(
      selectTree([child!], [root!]).map(({ pid }) => pid),
      [9016],
    );
  });

  it('ignores a reused parent pid on Windows', () => {
    const [task, child, editor, window] = [
      entry(50, 7, '200'),
      entry(51, 50, '200'),
      entry(60, 50, '99'),
      entry(61, 60, '300'),
    ];
    const pids = (all: ProcessEntry[], root: ProcessEntry): number[] =>
      selectTree(all, [root])
        .map(({ pid }) => pid)
        .sort((a, b) => a - b);
    assert.deepEqual(pids([task, child, editor, window], task), [50, 51]);
    assert.deepEqual(pids([child, editor, window], task), [51]);
    // One below the task whose pid was the parent of an older program, too.
    assert.deepEqual(pids([task, child, entry(70, 51, '199')], task), [50, 51]);
  });
});

describe('Hiding task', function () {
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

  for (const isCancelled of [false, true])
    it(`leaves nothing when it ${isCancelled ? 'is cancelled' : 'ends'}, hiding in many ways at once`, async () => {
      // They are found in the same way at both ends, so the short form cancels only half of them.
      const some = isCancelled ? ways.filter((_, index) => index % cases(1, 2) === 0) : ways;
      await Promise.all(
        some.map(async (way) => {
          const index = ways.indexOf(way);
          const mark = `millrace-hiding-${process.pid}-${Date.now()}-${index}-`;
          const controller = new AbortController();
          const parameters = isCancelled ? [mark, 'stay'] : [mark];
          const task = { spark_python_task: { python_file: `/${index}.py`, parameters } };
          const running = bench.run({ runId: String(index), task }, { signal: controller.signal });
          if (isCancelled) {
            await until(async () => (await readRunOutput(bench.runFolder(String(index)))).text.includes('ready'));
            assert.notDeepEqual(processesWith(mark), [], way.name);
            controller.abort();
          }
          const state = isCancelled ? 'CANCELED' : 'SUCCESS';
          assert.deepEqual([way.name, (await running).resultState, processesWith(mark)], [way.name, state, []]);
        }),
      );
    });

  for (const [what, result, ...more] of [
    ['kills its own parent', 'FAILED', 'os.kill(os.getppid(), signal.SIGKILL)', 'time.sleep(600)'],
    [
      'stops its ancestors',
      'SUCCESS',
      'os.kill(int(open(f"/proc/{os.getppid()}/stat").read().rsplit(")", 1)[1].split()[1]), signal.SIGSTOP)',
      'os.kill(os.getppid(), signal.SIGSTOP)',
    ],
  ] as const)
    it(`ends and leaves nothing when it ${what}`, async () => {
      const mark = `millrace-hiding-${process.pid}-${Date.now()}-`;
      const stay = '[sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]]';
      const child = `subprocess.Popen(${stay}, env={}, start_new_session=True)`;
      await bench.write(
        'x.py',
        ['import os, signal, subprocess, sys, time', child, 'time.sleep(0.3)', ...more].join('\n'),
      );
      const outcome = await bench.run({ task: { spark_python_task: { python_file: '/x.py', parameters: [mark] } } });
      assert.deepEqual([outcome.resultState, processesWith(mark)], [result, []]);
      if (result === 'FAILED') assert.match(outcome.stateMessage ?? '', /monitors the task was killed/);
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

  it('ends when an unknown child holds its output, and says so', async () => {
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

  it('is found without a keeper when it loses its parent', async () => {
    const mark = `millrace-hiding-${process.pid}-${Date.now()}-`;
    const end = await runAlone(
      [
        'import os, subprocess, sys, time',
        'subprocess.Popen([sys.executable, "-c", "import os, sys, time; os.setsid(); os.fork() == 0 or ' +
          `(time.sleep(4), os._exit(0)); time.sleep(600)", ${JSON.stringify(mark)}], env={}, ` +
          'stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)',
        'time.sleep(4.5)',
      ].join('\n'),
    );
    assert.deepEqual([end.exitCode, end.isOutputHeld, end.left], [0, false, []]);
    assert.deepEqual(processesWith(mark), []);
  });
});
