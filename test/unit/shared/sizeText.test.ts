import assert from 'node:assert/strict';
import { sizeText } from '../../../src/shared/sizeText.ts';

describe('size for people', () => {
  it('has few digits and no unit that is too small', () => {
    assert.deepEqual(
      [0, 1, 640, 1_400, 9_949, 9_999, 10_000, 10_400, 84_200, 999_999, 1_000_000, 4_140_000].map(sizeText),
      [
        '0.1 KB',
        '0.1 KB',
        '0.6 KB',
        '1.4 KB',
        '9.9 KB',
        '10 KB',
        '10 KB',
        '10 KB',
        '84 KB',
        '1000 KB',
        '1 MB',
        '4.1 MB',
      ],
    );
  });
});
