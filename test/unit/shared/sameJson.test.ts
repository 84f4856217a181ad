import assert from 'node:assert/strict';
import { sameJson } from '../../../src/shared/sameJson.ts';

describe('sameJson', () => {
  for (const [left, right] of [
    [1, 1],
    [null, null],
    ['a', 'a'],
    [5n, 5n],
    [[], []],
    [{}, {}],
    [
      { a: 1, b: [2, { c: null }] },
      { b: [2, { c: null }], a: 1 },
    ],
  ] as const) {
    it(`${describeValue(left)} is ${describeValue(right)}`, () => assert.equal(sameJson(left, right), true));
  }

  for (const [left, right] of [
    [1, '1'],
    [0, false],
    [null, undefined],
    [null, {}],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [[1, 2], [1]],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, {}],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: undefined }, { b: undefined }],
    [{ toString: 1 }, { a: 1 }],
    [{ a: { b: [1] } }, { a: { b: [2] } }],
    [{ 0: 1, length: 1 }, [1]],
    [5n, 5],
  ] as const) {
    it(`${describeValue(left)} is not ${describeValue(right)}`, () => {
      assert.equal(sameJson(left, right), false);
      assert.equal(sameJson(right, left), false);
    });
  }

  it('what an object has from its prototype is none of its fields', () => {
    assert.equal(sameJson({ a: undefined }, { constructor: Object }), false);
    assert.equal(sameJson({ constructor: Object }, { a: 1 }), false);
  });
});

function describeValue(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item)) ?? 'undefined';
}
