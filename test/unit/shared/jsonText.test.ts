import assert from 'node:assert/strict';
import { endOfString, skipSpace } from '../../../src/shared/jsonText.ts';

describe('endOfString', () => {
  for (const [title, value] of Object.entries({
    nothing: '',
    words: 'a, b',
    quotes: '"'.repeat(5),
    backslashes: '\\'.repeat(6),
    both: '\\"\\\\""\\',
    'line ends': '\n\r\t',
    'other alphabets': 'é"漢"я\\',
    pairs: '😀"😀\\',
    'half a pair': '\ud83d"\ude00\\',
  })) {
    it(`finds the end of ${title}, at any length`, () => {
      for (const times of [1, 7, 63, 700, 30_000]) {
        for (const before of ['', 'é', 'a😀']) {
          const string = JSON.stringify(before + value.repeat(times) + before);
          assert.equal(endOfString(`{"a":${string},"b":"c"}`, 5), 5 + string.length, `${times} times`);
        }
      }
    });
  }

  it('ends with the text where nothing closes the string', () => {
    for (const text of ['"', '"a', '"\\', '"\\"', `"${'\\"'.repeat(50_000)}`, `"${'\\'.repeat(50_001)}"`])
      assert.equal(endOfString(text, 0), text.length);
  });
});

describe('skipSpace', () => {
  it('goes to the next character that is none, or to the end', () => {
    assert.equal(skipSpace('a', 0), 0);
    assert.equal(skipSpace(' \r\n\t é', 0), 5);
    assert.equal(skipSpace('a  ', 1), 3);
    assert.equal(skipSpace('a', 5), 5);
  });
});
