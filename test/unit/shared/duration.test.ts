import assert from 'node:assert/strict';
import { formatDuration } from '../../../src/shared/duration.ts';

describe('formatDuration', () => {
  const cases: [durationInMs: number, text: string][] = [
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [59_999, '59 s'],
    [60_000, '1 min 0 s'],
    [3_599_999, '59 min 59 s'],
    [3_600_000, '1 h 0 min'],
    [172_800_000, '2 d 0 h'],
    [185_000, '3 min 5 s'],
    [7_260_000, '2 h 1 min'],
    [86_399_000, '23 h 59 min'],
    [112_260_000, '1 d 7 h'],
    [172_799_000, '1 d 23 h'],
    [86_400_000, '1 d 0 h'],
    [187_200_000, '2 d 4 h'],
    [850.4, '850 ms'],
    [850.5, '851 ms'],
  ];
  for (const [durationInMs, text] of cases)
    it(`${durationInMs} ms is ${text}`, () => assert.equal(formatDuration(durationInMs), text));
});
