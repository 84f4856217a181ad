import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { keeperMarkName, markPrefix, runMarkName } from '../../../../src/service/runners/childEnvironment.ts';
import {
  identify,
  killLeftovers,
  killTree,
  listProcesses,
  parsePs,
  parseWindowsList,
  selectTree,
  type ProcessEntry,
} from '../../../../src/service/runners/processTree.ts';
import { until } from './workbench.ts';

const entry = (pid: number, parentPid: number, startTime = 't', mark?: string): ProcessEntry => ({
  pid,
  parentPid,
  groups: [],
  startTime,
  mark,
});

describe('process tree', function () {
  this.timeout(120_000);

  it('knows a process by its parent and its start, whatever its name is', async function () {
    if (process.platform !== 'linux') this.skip();
    const folder = await mkdtemp(join(tmpdir(), 'millrace-names-'));
    // As it is read from Linux's account of a process, the second would have ended.
    const names = ['a b', 'a) Z 1 (b', '(a', ') 1 2 3 4'];
    const started = await Promise.all(
      names.map(async (name) => {
        await writeFile(join(folder, name), '#!/bin/sh\necho ready\nread -r line\n', { mode: 0o755 });
        const child = spawn(join(folder, name));
        await once(child.stdout, 'data');
        return child;
      }),
    );
    try {
      const all = await listProcesses();
      for (const [index, { pid = 0 }] of started.entries()) {
        const found = all.find((each) => each.pid === pid);
        const { parentPid, startTime = '' } = found ?? {};
        assert.equal(parentPid, process.pid, names[index]);
        assert.match(startTime, /^\d+$/);
        assert.deepEqual(await identify(pid), { pid, startTime });
      }
    } finally {
      for (const child of started) child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });

  it('is without what has ended and is only not waited for', async function () {
    if (process.platform !== 'linux') this.skip();
    // It ends once its parent has become a program that waits for nobody; a shell might still have waited for it.
    const ends = 'while read -r name </proc/$$/comm && [ "$name" != sleep ]; do :; done';
    const child = spawn('sh', ['-c', `{ ${ends}; } & echo $!; exec sleep 600`]);
    try {
      const pid = Number((await once(child.stdout, 'data'))[0]);
      await until(async () => (await readFile(`/proc/${pid}/stat`, 'latin1')).includes(') Z '));
      assert.equal(await identify(pid), undefined);
      const all = await listProcesses();
      assert.deepEqual(
        [all.some((each) => each.pid === child.pid), all.some((each) => each.pid === pid)],
        [true, false],
      );
    } finally {
      child.kill('SIGKILL');
    }
  });

  it("leaves another user's process at the first refusal, and says that it is left", async function () {
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

  it('selects what came from the roots and what carries the mark, with all below', () => {
    const all = [
      entry(10, 1),
      entry(11, 10),
      entry(12, 11),
      entry(20, 1),
      entry(30, 1, 't', 'a:1'),
      entry(31, 30),
      entry(40, 1, 't', 'b:1'),
    ];
    assert.deepEqual(
      selectTree(all, [{ pid: 10, startTime: 't' }], (mark) => mark.startsWith('a:'))
        .map((each) => each.pid)
        .sort((a, b) => a - b),
      [10, 11, 12, 30, 31],
    );
  });

  it("leaves a process alone whose pid is another's by now", () => {
    assert.deepEqual(selectTree([entry(10, 1, 'later'), entry(11, 10)], [{ pid: 10, startTime: 'before' }]), []);
  });

  it('takes a process for the one that is meant where its start is not known', () => {
    const pids = selectTree([entry(10, 1, 'later'), entry(11, 10, 'later')], [{ pid: 10, startTime: '' }]).map(
      ({ pid }) => pid,
    );
    assert.deepEqual(
      pids.toSorted((one, other) => one - other),
      [10, 11],
    );
  });

  it('never selects the service itself', () => {
    assert.deepEqual(
      selectTree([entry(process.pid, 1, 't', 'a:1')], [], () => true),
      [],
    );
  });

  it('after a restart ends what an earlier service left, and only that', async function () {
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

  it('after a restart leaves keepers to end by themselves once what they keep is gone', async function () {
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

  it('reads what ps prints on macOS, with the environment behind the command', () => {
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

  it('asks ps for what it reads', async function () {
    const ps = await new Promise<string | undefined>((resolve) => {
      execFile(
        'ps',
        ['ax', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command='],
        { env: { ...process.env, LC_ALL: 'C' } },
        (error, stdout) => resolve(error ? undefined : stdout),
      );
    });
    if (ps === undefined) return this.skip();
    const own = parsePs(ps, false).find(({ pid }) => pid === process.pid);
    assert.equal(own?.parentPid, process.ppid);
    assert.match(own.startTime, /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d \d{4}$/);
  });

  it('reads what PowerShell prints on Windows', () => {
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

  it("leaves a program alone that names a pid as its parent which has become another's, as Windows does", () => {
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

  it('tells a process that ended from one that is there', async () => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(child, 'exit');
    if (process.platform !== 'win32') assert.equal(await identify(child.pid!), undefined);
    assert.notEqual((await identify(process.pid))?.startTime, '');
  });
});
