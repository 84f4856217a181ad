import assert from 'node:assert/strict';
import { lazy } from '../../../src/shared/lazy.ts';

describe('lazy', () => {
  it('starts at the first use, once for all that ask, and keeps what came', async () => {
    let starts = 0;
    const value = lazy(async () => ({ start: ++starts }));
    assert.deepEqual([starts, value.begun], [0, undefined]);
    const [first, second] = await Promise.all([value(), value()]);
    assert.equal(first, second);
    assert.equal(await value(), first);
    assert.equal(await value.begun, first);
    assert.equal(starts, 1);
  });

  for (const [how, fail] of [
    ['rejects', () => Promise.reject(new Error('no file'))],
    [
      'throws',
      () => {
        throw new Error('no file');
      },
    ],
  ] as const) {
    it(`tries again after a start that ${how}; all that waited for that one are told`, async () => {
      let fails = true;
      const value = lazy<string>(() => (fails ? fail() : 'there'));
      const results = await Promise.allSettled([value(), value()]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', 'rejected'],
      );
      assert.equal(value.begun, undefined);
      fails = false;
      assert.equal(await value(), 'there');
    });
  }
});
