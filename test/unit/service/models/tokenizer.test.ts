import assert from 'node:assert/strict';
import { countTokens, estimateTokens, tokenize, tokensOf } from '../../../../src/service/models/tokenizer.ts';

describe("the built-in model's tokens", () => {
  it('are words of up to eight characters, numbers and marks, each with the white space before it', () => {
    const text = '  A wordthatislong, 12 €\n';
    assert.deepEqual(tokenize(text), ['  A', ' wordthat', 'islong', ',', ' 12', ' €', '\n']);
    assert.equal(tokenize(text).join(''), text);
    assert.deepEqual([...tokensOf(text)], tokenize(text));
    assert.equal(countTokens(text), 7);
    assert.deepEqual([tokenize(''), countTokens('')], [[], 0]);
  });

  it('are counted in a text of up to 20,000 characters, and guessed from so many in a longer one', () => {
    assert.deepEqual(['', 'a b c', 'a '.repeat(5000)].map(estimateTokens), [0, 3, 5001]);
    const first = 'a '.repeat(10_000);
    assert.equal(estimateTokens(first), countTokens(first));
    // The beginning has a token in each two characters; what follows has one in eight.
    const long = first + 'b'.repeat(20_000);
    assert.equal(estimateTokens(long), Math.round((countTokens(first) * 40_000) / 20_000));
    assert.notEqual(estimateTokens(long), countTokens(long));
  });
});
