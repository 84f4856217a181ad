import assert from 'node:assert/strict';
import { ascending, javaInteger, pieces, trimmed } from '../../../../src/shared/quartz/quartzText.ts';

describe('the text of a Quartz expression', () => {
  for (const [text, value] of [
    ['0', 0],
    ['+7', 7],
    ['-07', -7],
    ['2147483647', 2_147_483_647],
    ['-2147483648', -2_147_483_648],
    ['2147483648', undefined],
    ['-2147483649', undefined],
    ['', undefined],
    ['+', undefined],
    ['1.0', undefined],
    [' 1', undefined],
  ] as const)
    it(`has in "${text}" ${value === undefined ? 'no integer' : `the integer ${value}`}, as Java reads it`, () =>
      assert.equal(javaInteger(text), value));

  it('is told in pieces by where they stand, without control characters around them', () => {
    assert.deepEqual(pieces('ab c', /[^ ]+/g, 10), [
      { text: 'ab', start: 10 },
      { text: 'c', start: 13 },
    ]);
    assert.deepEqual(trimmed({ text: '\n\0 a b\r\n', start: 5 }), { text: 'a b', start: 8 });
    assert.deepEqual(trimmed({ text: '\r\n', start: 5 }), { text: '', start: 7 });
  });

  it('has numbers in their order, not in that of their digits', () => {
    assert.deepEqual(ascending(new Set([10, 9, -1, 100])), [-1, 9, 10, 100]);
  });
});
