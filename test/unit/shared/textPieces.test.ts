import assert from 'node:assert/strict';
import { jsonPieces, textPieces } from '../../../src/shared/textPieces.ts';

describe('textPieces', () => {
  it('gives the whole text, and no piece that parts a pair of surrogates', () => {
    for (const before of ['', 'a', 'ab']) {
      const text = before + '😀'.repeat(200_000);
      const pieces = [...textPieces(text)];
      assert.equal(pieces.join(''), text);
      assert.ok(pieces.length > 4 && pieces.every((piece) => piece.isWellFormed()));
    }
    assert.deepEqual([...textPieces('')], []);
  });
});

describe('jsonPieces', () => {
  it('writes what JSON.stringify does, in pieces of a bounded length', () => {
    const value = {
      logs: '\0<"😀é'.repeat(300_000),
      cut: true,
      none: undefined,
      inner: { result: '"'.repeat(100_000), empty: {}, list: [1, 'a'] },
      text: '',
    };
    const pieces = [...jsonPieces(value)];
    assert.equal(pieces.join(''), JSON.stringify(value));
    assert.ok(pieces.every((piece) => piece.length < 400_000));
  });
});
