import assert from 'node:assert/strict';
import { yieldIfLarge } from '../../../../src/service/base/requestWithoutNulls.ts';

describe('a step with a text', () => {
  for (const [length, isLater] of [
    [0, false],
    [1_000_000, false],
    [1_000_001, true],
  ] as const)
    it(`${isLater ? 'lets others come first' : 'goes on at once'} where the text has ${length} characters`, async () => {
      let othersCame = false;
      setImmediate(() => (othersCame = true));
      await yieldIfLarge('x'.repeat(length));
      assert.equal(othersCame, isLater);
    });
});
