import assert from 'node:assert/strict';
import { columnOf, lineStart } from '../../../../src/jobfile/yaml/lineStart.ts';

describe('the line of a place in a text', () => {
  it('begins behind the line end before it, also where the text begins with one', () => {
    const text = '\nab\n\ncd';
    const offsets = [0, 1, 2, 3, 4, 5, 6, 7];
    assert.deepEqual(
      offsets.map((offset) => lineStart(text, offset)),
      [0, 1, 1, 1, 4, 5, 5, 5],
    );
    assert.deepEqual(
      offsets.map((offset) => columnOf(text, offset)),
      [0, 0, 1, 2, 0, 0, 1, 2],
    );
    assert.deepEqual([lineStart('', 0), columnOf('ab', 2)], [0, 2]);
  });
});
