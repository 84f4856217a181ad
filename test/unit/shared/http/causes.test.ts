import assert from 'node:assert/strict';
import { causesOf } from '../../../../src/shared/http/causes.ts';
import { Pieces } from '../../../../src/shared/http/pieces.ts';

describe('what a request leaves', () => {
  it('is a chain of causes, the outermost first, through the first of several errors', () => {
    const inner = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const several = new AggregateError([inner, new Error('other')]);
    const outer = new TypeError('fetch failed', { cause: several });
    assert.deepEqual(causesOf(outer), [outer, several, inner]);
    for (const nothing of [undefined, null, 'text', 5]) assert.deepEqual(causesOf(nothing), []);
  });

  it('is a chain with an end, where an error is its own cause', () => {
    const error = new Error('circle');
    error.cause = error;
    assert.ok(causesOf(error).length < 20);
  });

  it('is a text from pieces that cut its characters', () => {
    const bytes = new TextEncoder().encode('東京 😀');
    const pieces = new Pieces();
    for (const byte of bytes) pieces.add(Uint8Array.of(byte));
    assert.deepEqual([pieces.text(), pieces.size], ['東京 😀', bytes.length]);
    assert.deepEqual([new Pieces().text(), new Pieces().size], ['', 0]);
  });
});
