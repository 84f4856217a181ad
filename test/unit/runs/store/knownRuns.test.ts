import assert from 'node:assert/strict';
import { samePage } from '../../../../src/runs/store/knownRuns.ts';

describe('pages of runs', () => {
  it('are the same where both have the same runs in the same order, and as many more', () => {
    const page = { runIds: ['2', '1'], hasMore: true };
    assert.equal(samePage(page, { ...page, runIds: [...page.runIds] }), true);
    assert.equal(samePage({ runIds: [], hasMore: false }, { runIds: [], hasMore: false }), true);
    assert.equal(samePage(undefined, { runIds: [], hasMore: false }), false);
    for (const other of [
      { ...page, hasMore: false },
      { ...page, runIds: ['1', '2'] },
      { ...page, runIds: ['2'] },
      { ...page, runIds: ['21'] },
      { ...page, runIds: ['3', '1'] },
    ]) {
      assert.equal(samePage(page, other), false);
      assert.equal(samePage(other, page), false);
    }
  });
});
