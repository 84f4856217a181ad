import assert from 'node:assert/strict';
import { findExcess } from '../../../src/shared/jsonExtent.ts';

const limits = { maxValues: 5, maxDepth: 3 };

describe('findExcess', () => {
  it('counts values and levels outside of strings', () => {
    assert.equal(findExcess('[1,2,3]', limits), undefined);
    assert.equal(findExcess('{"a":1,"b":[2]}', limits), undefined);
    assert.equal(findExcess('[1,2,3]', { maxValues: 4, maxDepth: 1 }), undefined);
    assert.match(findExcess('[1,2,3]', { maxValues: 3, maxDepth: 1 }) ?? '', /more than 3 values/);
    assert.match(findExcess('[1,2,3,4,5]', limits) ?? '', /more than 5 values/);
    assert.match(findExcess('[[[[]]]]', limits) ?? '', /more than 3 levels/);
    assert.equal(findExcess('[[],[],[]]', { maxValues: 20, maxDepth: 2 }), undefined);
  });

  it('reads nothing in strings, however they are written', () => {
    assert.equal(findExcess('["[[[[,,,,,,"]', limits), undefined);
    assert.equal(findExcess(String.raw`["\"[[[[,,,,,,"]`, limits), undefined);
    assert.match(findExcess(String.raw`["\\",1,2,3,4,5]`, limits) ?? '', /values/);
    assert.equal(findExcess('["never closed [[[[,,,,,,', limits), undefined);
  });

  it('refuses a number whose reading would take long', () => {
    assert.equal(findExcess('9'.repeat(400), limits), undefined);
    assert.match(findExcess('9'.repeat(401), limits) ?? '', /400 digits/);
    assert.equal(findExcess(`"${'9'.repeat(401)}"`, limits), undefined);
  });
});
