import assert from 'node:assert/strict';
import { AppError, describeError } from '../../../src/shared/errors.ts';
import { plainText } from '../../../src/shared/plainText.ts';

/** What the editor takes for a link in a message. */
const editorLink = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

describe('plain text', () => {
  const hostile = [
    '[click](command:workbench.action.quit)',
    'a [b](https://evil.example "t") c',
    '[x](file:///etc/passwd)',
    '[a](command:b)[c](command:d)',
  ];

  for (const text of hostile) {
    it(`has no link: ${text}`, () => {
      assert.match(text, editorLink);
      assert.doesNotMatch(plainText(text), editorLink);
      assert.doesNotMatch(describeError(new AppError('server', text, { remedy: text })), editorLink);
    });
  }

  it('leaves everything else alone', () => {
    for (const text of ['', 'runs[0] (first)', 'a (b) [c]', 'x]\n(y']) assert.equal(plainText(text), text);
  });
});
