import assert from 'node:assert/strict';
import { fieldsOf, isFields } from '../../../src/shared/fields.ts';

describe('the fields of a value', () => {
  it('are those of an object, and of nothing else', () => {
    const values = [{}, { a: 1 }, [], null, undefined, 'a', 5];
    assert.deepEqual(values.map(isFields), [true, true, false, false, false, false, false]);
    const fields = { a: 1 };
    assert.equal(fieldsOf(fields), fields);
    assert.equal(fieldsOf([fields]), undefined);
    assert.equal(fieldsOf(null), undefined);
  });
});
