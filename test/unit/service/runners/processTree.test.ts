import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { markPrefix, runMarkName } from '../../../../src/service/runners/childEnvironment.ts';
import { identify, killLeftovers, killTree, listProcesses, selectTree, type ProcessEntry } from '../../../../src/service/runners/processTree.ts';

const entry = (pid: number, parentPid: number, startTime = 't', mark?: string): ProcessEntry => ({ pid, parentPid, groups: [], startTime, mark });

describe('process tree', function () {
  this.timeout(20_000);

  it('selects what came from the roots and what carries the mark, with all below', () => {
    const all = [entry(10, 1), entry(11, 10), entry(12, 11), entry(20, 1), entry(30, 1, 't', 'a:1'), entry(31, 30), entry(40, 1, 't', 'b:1')];
    assert.deepEqual(selectTree(all, [{ pid: 10, startTime: 't' }], (mark) => mark.startsWith('a:')).map((each) => each.pid).sort((a, b) => a - b), [10, 11, 12, 30, 31]);
  });

  it('leaves a process alone whose pid is another\'s by now', () => {
    assert.deepEqual(selectTree([entry(10, 1, 'later'), entry(11, 10)], [{ pid: 10, startTime: 'before' }]), []);
  });

  it('never selects the service itself', () => {
    assert.deepEqual(selectTree([entry(process.pid, 1, 't', 'a:1')], [], () => true), []);
  });

  it('after a restart ends what an earlier service left, and only that', async function () {
    if (process.platform === 'win32') this.skip();
    const start = (dataFolder: string): ReturnType<typeof spawn> => spawn('sh', ['-c', 'trap "" TERM; sleep 600 & wait; wait'], {
      env: { ...process.env, [runMarkName]: `${markPrefix(dataFolder)}7` }, detached: true, stdio: 'ignore',
    });
    const ours = start('/data/ours');
    const others = start('/data/others');
    try {
      await Promise.all([once(ours, 'spawn'), once(others, 'spawn')]);
      const ended = once(ours, 'exit');
      assert.ok((await killLeftovers('/data/ours', [], { graceInMs: 100 })).ended >= 1);
      assert.deepEqual(await ended, [null, 'SIGKILL']);
      assert.equal((await listProcesses(true)).filter((each) => each.mark?.startsWith(markPrefix('/data/ours'))).length, 0);
      assert.ok(await identify(others.pid!));
      assert.deepEqual(await killLeftovers('/data/ours'), { ended: 0, left: [] });
    } finally {
      await killTree([(await identify(others.pid!))!], { graceInMs: 10 });
    }
  });

  it('tells a process that ended from one that is there', async () => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(child, 'exit');
    if (process.platform !== 'win32') assert.equal(await identify(child.pid!), undefined);
    assert.notEqual((await identify(process.pid))?.startTime, '');
  });
});
