import assert from 'node:assert/strict';
import type { ActiveRun } from '../../../../src/service/engine/activeRun.ts';
import { ActiveRuns } from '../../../../src/service/engine/activeRuns.ts';
import { settle } from '../../../support/fakeClock.ts';

describe('the runs in care', () => {
  let active: ActiveRuns;
  beforeEach(() => (active = new ActiveRuns()));
  const run = (runId: string, more: object = {}): ActiveRun =>
    ({ record: { runId, jobId: '7', lifeCycle: 'PENDING', ...more } }) as unknown as ActiveRun;
  const whoWaits = (runId: string): unknown[] => {
    const told: unknown[] = [];
    void active.waiters.wait(runId).then((record) => told.push(record));
    return told;
  };

  it('are all that are not over, in the order of their start, and those of each job', () => {
    const [one, two, three] = [run('9'), run('10', { jobId: '8' }), run('11')];
    for (const each of [one, two, three]) active.adopt(each);
    assert.deepEqual([active.count, active.all], [3, [one, two, three]]);
    assert.deepEqual([active.ofJob('7'), active.ofJob('8'), active.ofJob('1')], [[one, three], [two], []]);
    assert.deepEqual([active.find('10'), active.find('12')], [two, undefined]);
    const before = active.all;
    for (const each of before) active.release(each);
    assert.deepEqual([before.length, active.count, active.all, active.find('9')], [3, 0, [], undefined]);
  });

  it('end for whoever waits, unless another attempt follows', async () => {
    const [over, retried] = [run('1', { lifeCycle: 'TERMINATED' }), run('2', { retryAt: 5 })];
    const told = [whoWaits('1'), whoWaits('2')];
    active.adopt(run('1'));
    active.adopt(retried);
    await settle();
    assert.deepEqual(told, [[], []]);
    active.release(over);
    active.release(retried);
    await settle();
    assert.deepEqual(told, [[over.record], []]);
    assert.equal(active.count, 0);
  });

  it('do not have one that was skipped, which ends as it is stored', async () => {
    const skipped = run('3', { lifeCycle: 'SKIPPED' });
    const told = whoWaits('3');
    active.adopt(skipped);
    await settle();
    assert.deepEqual([told, active.count], [[skipped.record], 0]);
  });
});
