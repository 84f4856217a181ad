import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { FileLock } from '../../../src/deployments/deployMemory.ts';

describe('a file that one process at a time has', () => {
  let folder: string;
  let place: string;
  let nowMs: number;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'millrace-lock-'));
    place = path.join(folder, 'deep', 'deploy.lock');
    nowMs = 0;
    mock.method(performance, 'now', () => nowMs);
    mock.timers.enable({ apis: ['setInterval'] });
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
    rmSync(folder, { recursive: true, force: true });
  });
  /** Another process has it. */
  const hold = (owner: string): void => {
    const own = new FileLock(place);
    own.take();
    own.giveBack();
    writeFileSync(place, owner);
  };
  const alive = `${process.ppid} another`;

  it('is had by the first that takes it, until that one gives it back', () => {
    const [first, second] = [new FileLock(place), new FileLock(place)];
    assert.deepEqual([first.take(), second.take(), second.take()], [true, false, false]);
    assert.match(readFileSync(place, 'utf8'), new RegExp(`^${process.pid} [\\w-]{36}$`));
    second.giveBack();
    assert.equal(second.take(), false, 'it was not its own to give');
    first.giveBack();
    assert.equal(existsSync(place), false);
    assert.equal(second.take(), true);
    second.giveBack();
  });

  it('stays with another process that is alive, and with one that is about to write its name', () => {
    for (const owner of [alive, '']) {
      hold(owner);
      const lock = new FileLock(place);
      assert.deepEqual([lock.take(), lock.take(), readFileSync(place, 'utf8')], [false, false, owner]);
      lock.giveBack();
      assert.equal(existsSync(place), true);
    }
  });

  it('is taken over from a process that has ended, at the next try', () => {
    hold('999999999 gone');
    const lock = new FileLock(place);
    assert.deepEqual([lock.take(), lock.take()], [false, true]);
    lock.giveBack();
  });

  it('is taken over from one that has been silent for ten seconds, and from none that was heard since', () => {
    for (const owner of [alive, '']) {
      hold(owner);
      const lock = new FileLock(place);
      utimesSync(place, 1, 1);
      const triesAfter = (waitInMs: number): boolean => ((nowMs += waitInMs), lock.take(), existsSync(place));
      assert.deepEqual([triesAfter(0), triesAfter(9999)], [true, true]);
      utimesSync(place, 2, 2);
      assert.deepEqual([triesAfter(1), triesAfter(9999), triesAfter(1)], [true, true, false], 'it was renewed');
      assert.equal(lock.take(), true);
      lock.giveBack();
    }
  });

  it('is renewed every two seconds by whoever has it, and no more once it was given back', () => {
    const lock = new FileLock(place);
    lock.take();
    const isRenewedAfter = (waitInMs: number): boolean => {
      utimesSync(place, 1, 1);
      mock.timers.tick(waitInMs);
      return statSync(place).mtimeMs !== 1000;
    };
    assert.deepEqual([isRenewedAfter(1999), isRenewedAfter(1), isRenewedAfter(2000)], [false, true, true]);
    rmSync(place);
    mock.timers.tick(2000);
    assert.equal(existsSync(place), false, 'nor is one made that was taken away');
    writeFileSync(place, alive);
    lock.giveBack();
    assert.equal(readFileSync(place, 'utf8'), alive, "another's is left where it is");
    assert.equal(isRenewedAfter(4000), false);
  });

  it('is nothing that anybody waits for where there can be none', () => {
    writeFileSync(path.join(folder, 'deep'), '');
    const locks = [new FileLock(place), new FileLock(place)];
    assert.deepEqual(
      locks.map((lock) => lock.take()),
      [true, true],
    );
    for (const lock of locks) lock.giveBack();
  });
});
