import assert from 'node:assert/strict';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';

describe('changes of a text', () => {
  it('are made where each of them says, in whatever order they are given', () => {
    const text = 'abcdef';
    for (const [changes, wanted] of [
      [[], 'abcdef'],
      [[[1, 3, 'X']], 'aXdef'],
      [
        [
          [0, 0, '<'],
          [6, 6, '>'],
        ],
        '<abcdef>',
      ],
      [
        [
          [4, 6, ''],
          [0, 1, 'YY'],
          [2, 3, 'Z'],
        ],
        'YYbZd',
      ],
      // Of one place: in the order of the list.
      [
        [
          [2, 2, '1'],
          [2, 2, '2'],
          [0, 2, ''],
        ],
        '12cdef',
      ],
      [[[0, 6, '']], ''],
    ] as const)
      assert.equal(
        changed(
          text,
          changes.map(([start, end, text]) => ({ start, end, text })),
        ),
        wanted,
      );
  });

});
