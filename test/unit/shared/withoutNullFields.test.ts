import assert from 'node:assert/strict';
import { withoutNullFields, withoutTopNulls } from '../../../src/shared/withoutNullFields.ts';

describe('withoutNullFields', () => {
  it('leaves out fields that are null at any depth, and keeps nulls of lists', () => {
    assert.deepEqual(withoutNullFields({ a: null, b: { c: null, d: [null, { e: null, f: 1 }, [{ g: null }]] } }), {
      b: { d: [null, { f: 1 }, [{}]] },
    });
  });

  it('gives back the value itself where it has none', () => {
    const kept = { a: { b: [{ c: 1 }] }, d: 2 };
    const changed = withoutNullFields({ kept, other: { gone: null } }) as { kept: object };
    assert.deepEqual(changed, { kept, other: {} });
    assert.equal(changed.kept, kept);
    for (const value of [null, undefined, 5, 'x', 5n, [], [null], {}, { a: [1, { b: 'c' }] }])
      assert.equal(withoutNullFields(value), value);
  });

  it('keeps a field of the name of a prototype as a field', () => {
    const found = withoutNullFields(JSON.parse('{"__proto__":{"polluted":1},"a":null}')) as object;
    assert.equal(Object.getPrototypeOf(found), Object.prototype);
    assert.deepEqual(Object.keys(found), ['__proto__']);
  });
});

describe('withoutTopNulls', () => {
  it('leaves out the fields of the object alone, and gives back the object itself where none is null', () => {
    const inner = { b: null };
    assert.deepEqual(withoutTopNulls({ a: null, inner }), { inner });
    const whole = { inner };
    assert.equal(withoutTopNulls(whole), whole);
  });
});
