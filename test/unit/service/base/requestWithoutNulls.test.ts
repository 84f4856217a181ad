import assert from 'node:assert/strict';
import { deepestNesting, requestWithoutNulls } from '../../../../src/service/base/requestWithoutNulls.ts';

const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
};

describe('a request', () => {
  it('is the same without the fields that are null, and keeps what is null in a list', () => {
    assert.deepEqual(requestWithoutNulls({ a: null, b: { c: null, d: 0 }, e: [null, { f: null }], g: '' }), {
      b: { d: 0 },
      e: [null, {}],
      g: '',
    });
    for (const value of [null, undefined, 'x', 5, 7n, true]) assert.equal(requestWithoutNulls(value), value);
  });

  it('keeps a field of the name of the prototype as a field', () => {
    const kept = requestWithoutNulls(JSON.parse('{"__proto__":{"a":1}}')) as object;
    assert.deepEqual(Object.keys(kept), ['__proto__']);
    assert.equal(Object.getPrototypeOf(kept), Object.prototype);
  });

  it('may be nested 100 levels below its own, and no deeper, in objects and in lists', () => {
    for (const wrap of [(inner: unknown): unknown => ({ x: inner }), (inner: unknown): unknown => [inner]]) {
      const allowed = nested(deepestNesting + 1, wrap);
      assert.deepEqual(requestWithoutNulls(allowed), allowed);
      assert.throws(() => requestWithoutNulls(nested(deepestNesting + 2, wrap)), /more than 100 levels deep/);
    }
  });
});
