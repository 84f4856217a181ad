import assert from 'node:assert/strict';
import { listed, listedOr } from '../../../src/shared/listed.ts';

describe('listed', () => {
  it('puts names together as a sentence does', () => {
    assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed), ['', 'a', 'a and b', 'a, b and c']);
    assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listedOr), ['', 'a', 'a or b', 'a, b or c']);
  });
});
