import assert from 'node:assert/strict';
import { retryAfterInMs } from '../../../../src/shared/http/retryAfter.ts';

const now = Date.UTC(2024, 4, 6, 12, 0, 0);

describe('retryAfterInMs', () => {
  for (const [header, expected] of [
    ['120', 120_000],
    [' 2 ', 2000],
    ['1.5', 1500],
    ['0.0001', 1],
    ['999999999999', 999_999_999_999_000],
    ['Mon, 06 May 2024 12:00:30 GMT', 30_000],
    ['monday, 06-May-24 12:00:30 GMT', 30_000],
    // None, over, or nothing that says a time.
    [undefined, undefined],
    ['', undefined],
    ['0', undefined],
    ['0.0', undefined],
    ['-5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['1234567890123', undefined],
    ['5 s', undefined],
    ['soon', undefined],
    ['2099-01-01', undefined],
    ['Mon, 06 May 2024 12:00:00 GMT', undefined],
    ['Mon, 06 May 2024 11:59:59 GMT', undefined],
    ['Monday of next week', undefined],
  ] as const) {
    it(`${JSON.stringify(header) ?? 'none'} is ${expected === undefined ? 'no wait' : `${expected} ms`}`, () =>
      assert.equal(retryAfterInMs(header, now), expected));
  }
});
