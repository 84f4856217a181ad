import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mock } from 'node:test';
import type { watchDescendants as Watch } from '../../../../src/service/runners/managedProcess.ts';
import { identify } from '../../../../src/service/runners/processTree.ts';

describe('what came from a process', function () {
  this.timeout(60_000);
  before(function () {
    if (process.platform === 'win32' || process.ppid === 1) this.skip();
  });
  afterEach(() => mock.timers.reset());

  it('is looked for each second while it is watched, and the process itself is never forgotten', async () => {
    const gone = { pid: 999_999_999, startTime: 'long ago' };
    const first = await identify(1);
    assert.ok(first);
    // One of its own: that of the other tests may have a timer of the real clock.
    const module = '../../../../src/service/runners/managedProcess.ts?alone';
    const { watchDescendants } = (await import(module)) as { watchDescendants: typeof Watch };
    mock.timers.enable({ apis: ['setTimeout'] });
    const ended = watchDescendants(gone);
    const living = watchDescendants(first);
    assert.deepEqual([ended.known(), living.known()], [[gone], [first]]);
    const isFound = (): boolean => living.known().some(({ pid }) => pid === process.ppid);
    const look = async (inMs: number): Promise<boolean> => {
      mock.timers.tick(inMs);
      const end = performance.now() + 10_000;
      while (performance.now() < end && !isFound()) await new Promise((resolve) => setImmediate(resolve));
      return isFound();
    };
    mock.timers.tick(999);
    assert.equal(isFound(), false);
    assert.equal(await look(1), true);
    assert.deepEqual(ended.known(), [gone]);
    assert.ok(living.known().some(({ pid }) => pid === first.pid));
    ended.stop();
    living.stop();
  });

  it('is looked for again and again: what comes later is known too, and what has ended is forgotten', async () => {
    const module = '../../../../src/service/runners/managedProcess.ts?again';
    const { watchDescendants } = (await import(module)) as { watchDescendants: typeof Watch };
    const shell = spawn('sh', ['-c', 'while read -r line; do sleep 600 & read -r line; kill $!; wait $!; done'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const root = await identify(shell.pid ?? 0);
    assert.ok(root);
    mock.timers.enable({ apis: ['setTimeout'] });
    const watch = watchDescendants(root);
    /** Looks that take long are made less often, but each three seconds in any case. */
    const untilKnown = async (count: number): Promise<void> => {
      const end = performance.now() + 20_000;
      while (performance.now() < end && watch.known().length !== count) {
        mock.timers.tick(3000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(watch.known().length, count);
      assert.deepEqual(watch.known()[0], root);
    };
    try {
      for (const count of [2, 1, 2]) {
        shell.stdin.write('\n');
        await untilKnown(count);
      }
    } finally {
      watch.stop();
      shell.stdin.end();
    }
  });
});
