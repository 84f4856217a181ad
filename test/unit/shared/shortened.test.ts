import assert from 'node:assert/strict';
import { shortened } from '../../../src/shared/shortened.ts';

describe('a shortened text', () => {
  it('is the text, or its beginning with an ellipsis', () => {
    assert.deepEqual([shortened('abc', 3), shortened('abcd', 3), shortened('abc', 2)], ['abc', 'abc…', 'ab…']);
    assert.deepEqual([shortened('k'.repeat(60)), shortened('k'.repeat(61))], ['k'.repeat(60), `${'k'.repeat(60)}…`]);
  });

  it('never ends with half a character', () => {
    const text = 'ab😀cd';
    assert.deepEqual(
      [2, 3, 4, 5, 6].map((max) => shortened(text, max)),
      ['ab…', 'ab…', 'ab😀…', 'ab😀c…', text],
    );
  });
});
