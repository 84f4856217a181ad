import assert from 'node:assert/strict';
import { buffersOf } from '../../../../src/service/background/serveTasks.ts';

describe('bytes that are handed over to another thread', () => {
  const [one, two] = [new Uint8Array(3), new Uint8Array(4)];

  it('are those of a value, or of each of its fields', () => {
    assert.deepEqual(buffersOf(one), [one.buffer]);
    assert.deepEqual(buffersOf({ name: 'x', one, nothing: null, two, deeper: { one } }), [one.buffer, two.buffer]);
  });

  it('are none where a value has none, or where they share their buffer', () => {
    for (const value of [undefined, null, 'text', 5, {}, { text: 'x' }]) assert.deepEqual(buffersOf(value), []);
    assert.deepEqual(buffersOf({ part: two.subarray(1), front: two.subarray(0, 3), none: new Uint8Array(0) }), []);
  });
});
