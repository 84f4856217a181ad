import assert from 'node:assert/strict';
import { RunWaiters } from '../../../../src/service/engine/activeRuns.ts';
import type { RunRecord } from '../../../../src/service/store/runRecord.ts';

describe('who waits for a run', () => {
  const run = (runId: string) => ({ runId }) as RunRecord;

  it('hears of its last attempt, each of them, once', async () => {
    const waiters = new RunWaiters();
    const all = [waiters.wait('1'), waiters.wait('1'), waiters.wait('2')];
    waiters.pass('1', '3');
    waiters.tell('1', run('none'));
    waiters.tell('3', run('3'));
    waiters.tell('3', run('again'));
    waiters.tell('2', undefined);
    assert.deepEqual(await Promise.all(all), [run('3'), run('3'), undefined]);
    waiters.pass('4', '5');
    waiters.tell('5', run('5'));
  });
});
