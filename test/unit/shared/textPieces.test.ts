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
    const whole = 'a'.repeat(64 * 1024);
    const lengths = (text: string): number[] => [...textPieces(text)].map(({ length }) => length);
    assert.deepEqual(lengths(whole), [65_536]);
    assert.deepEqual(lengths(`${whole}b`), [65_536, 1]);
    assert.deepEqual(lengths(`${whole.slice(1)}😀b`), [65_537, 1]);
    assert.deepEqual(lengths(`${whole.slice(2)}😀b`), [65_536, 1]);
    // Half of a pair that ends the text has no other half to wait for.
    assert.deepEqual(lengths(`${whole.slice(1)}\ud83d`), [65_536]);
  });
});

describe('jsonPieces', () => {
  it('writes what JSON.stringify does, in pieces of a bounded length', () => {
    const value = {
      logs: '\0<"😀é'.repeat(300_000),
      cut: true,
      none: undefined,
      nothing: null,
      inner: { result: '"'.repeat(100_000), empty: {}, list: [1, 'a'] },
      text: '',
    };
    const pieces = [...jsonPieces(value)];
    assert.equal(pieces.join(''), JSON.stringify(value));
    assert.ok(pieces.every((piece) => piece.length < 400_000));
  });
});
