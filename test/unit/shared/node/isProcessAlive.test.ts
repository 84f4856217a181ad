import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isProcessAlive } from '../../../../src/shared/node/isProcessAlive.ts';

describe('a process', () => {
  it('is there until it ends, and is not disturbed by the look', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)']);
    await once(child, 'spawn');
    assert.equal(isProcessAlive(child.pid!), true);
    assert.equal(isProcessAlive(child.pid!), true);
    assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.equal(isProcessAlive(child.pid!), false);
    assert.deepEqual([child.exitCode, child.signalCode], [null, 'SIGKILL'], 'nothing else has ended it');
  });

  it('is there also where it belongs to somebody else', () => {
    const { kill } = process;
    try {
      process.kill = (): never => {
        throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
      };
      assert.equal(isProcessAlive(1), true);
    } finally {
      process.kill = kill;
    }
  });
});
