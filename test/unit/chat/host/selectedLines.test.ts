import assert from 'node:assert/strict';
import { selectedLines } from '../../../../src/chat/host/contextPicker.ts';
import { standIn } from '../../../support/editorStandIn/editorStandIn.ts';

describe('the lines of a selection', () => {
  it('are counted from 1, without a last one of which nothing is selected', () => {
    for (const [range, expected] of [
      [
        [0, 0, 0, 0],
        [1, 1],
      ],
      [
        [0, 2, 0, 5],
        [1, 1],
      ],
      [
        [0, 0, 2, 1],
        [1, 3],
      ],
      [
        [0, 0, 2, 0],
        [1, 2],
      ],
      [
        [4, 3, 5, 0],
        [5, 5],
      ],
    ] as const)
      assert.deepEqual(selectedLines(new standIn.Range(...range) as never), expected, String(range));
  });
});
