import assert from 'node:assert/strict';
import { Pieces } from '../../../../src/shared/http/pieces.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the pieces of a body', () => {
  it('are joined in the order in which they came', () => {
    const pieces = new Pieces();
    assert.deepEqual([pieces.size, pieces.bytes(), pieces.text()], [0, new Uint8Array(0), '']);
    for (const piece of ['ab', '', 'cde', 'f']) pieces.add(bytes(piece));
    assert.equal(pieces.size, 6);
    assert.deepEqual(pieces.bytes(), bytes('abcdef'));
    pieces.add(bytes('g'));
    assert.deepEqual([pieces.size, pieces.text()], [7, 'abcdefg']);
  });

  it('are text also where a character was cut', () => {
    const whole = bytes('é漢😀');
    const pieces = new Pieces();
    for (const byte of whole) pieces.add(Uint8Array.of(byte));
    assert.deepEqual([pieces.size, pieces.text()], [whole.length, 'é漢😀']);
  });

  it('are not copied where there is only one', () => {
    const pieces = new Pieces();
    const only = bytes('abc');
    pieces.add(only);
    assert.equal(pieces.bytes(), only);
    // A part of a buffer counts by what it shows of it.
    const part = new Pieces();
    part.add(bytes('xxabcxx').subarray(2, 5));
    part.add(bytes('d'));
    assert.deepEqual([part.size, part.text()], [4, 'abcd']);
  });
});
