import assert from 'node:assert/strict';
import { memento } from '../../../support/editorStandIn/editorStandIn.ts';

const { KeptArrangement } = await import('../../../../src/runs/host/keptArrangement.ts');

describe('how the view of jobs is arranged', () => {
  it('is kept for the next window, and told when it changes', async () => {
    const kept = memento();
    const first = new KeptArrangement(kept);
    const before = first.current;
    let told = 0;
    first.onDidChange(() => (told += 1));
    await first.change({ sort: 'nextRun' });
    assert.deepEqual([told, first.current], [1, { ...before, sort: 'nextRun' }]);
    assert.deepEqual(new KeptArrangement(kept).current, first.current);
    first.dispose();
    await first.change(before);
    assert.equal(told, 1, 'nobody listens any more');
    assert.deepEqual(new KeptArrangement(kept).current, before);
  });

  it('has the jobs that stand first of each profile, as long as there are some', async () => {
    const kept = memento();
    const first = new KeptArrangement(kept);
    let told = 0;
    first.onDidChange(() => (told += 1));
    assert.equal(first.pinned('p').size, 0);
    await first.pin('p', ['1', '2'], true);
    await first.pin('q', ['3'], true);
    await first.pin('p', ['1', '9'], false);
    assert.deepEqual([told, [...first.pinned('p')], [...first.pinned('q')]], [3, ['2'], ['3']]);
    assert.equal(first.pinned('p'), first.pinned('p'), 'the same set while nothing changes');
    const next = new KeptArrangement(kept);
    assert.deepEqual([[...next.pinned('p')], [...next.pinned('q')], next.pinned('r').size], [['2'], ['3'], 0]);
    await next.pin('q', ['3'], false);
    assert.deepEqual(Object.values(kept.values), [{ p: ['2'] }]);
  });

  it('is the usual one where what was kept is damaged', () => {
    const key = 'millrace.jobs.pinned';
    for (const [damaged, pins] of [
      ['x', []],
      [null, []],
      [{ p: 'x', q: 5 }, []],
      [{ p: ['1', 2, null] }, ['1']],
    ] as const)
      assert.deepEqual([...new KeptArrangement(memento({ [key]: damaged })).pinned('p')], pins);
  });
});
