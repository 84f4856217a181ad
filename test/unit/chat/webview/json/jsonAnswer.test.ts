import assert from 'node:assert/strict';
import { jsonOf, looksLikeJson } from '../../../../../src/chat/webview/json/jsonAnswer.ts';

describe('a text that may be JSON', () => {
  it('is seen by how it begins, more easily if JSON was asked for', () => {
    for (const [text, plain, whenAsked] of [
      ['{"a"', true, true],
      ['\n {\n "a"', true, true],
      ['["a"', true, true],
      ['[[', true, true],
      ['[ {', true, true],
      ['{', false, true],
      ['{ a', false, true],
      ['[1', false, true],
      ['[a](https://x)', false, true],
      ['{}', false, true],
      ['x {"a"', false, false],
      ['```json\n{"a"', false, false],
      ['"a"', false, false],
      ['', false, false],
      [`${' '.repeat(198)}{"`, true, true],
      [`${' '.repeat(199)}{"`, false, true],
      [`${' '.repeat(200)}{"`, false, false],
    ] as const)
      assert.deepEqual(
        [looksLikeJson(text, false), looksLikeJson(text, true)],
        [plain, whenAsked],
        JSON.stringify(text),
      );
  });

  it('is JSON as a whole, between marks of code too, with exact numbers', () => {
    for (const [text, json] of [
      ['{"a": 1}', '{"a": 1}'],
      ['  \n{"a": 1}\n ', '{"a": 1}'],
      ['```json\n{"a": 1}\n```', '{"a": 1}\n'],
      ['\n```\n[1]\n```\n', '[1]\n'],
      ['[]', '[]'],
    ] as const)
      assert.deepEqual(jsonOf(text), { text: json, value: JSON.parse(json) as object }, text);
    assert.deepEqual(jsonOf('[9007199254740993]')?.value, [9007199254740993n]);
  });

  it('is none where anything else stands in it', () => {
    for (const text of [
      '```yaml\n{"a": 1}\n```',
      '```json\n{"a": 1}\n``` and more',
      'Here: ```json\n{"a": 1}\n```',
      '```json\n{"a": "`"}\n```',
      '{"a": 1} {"b": 2}',
      '{"a": 1,}',
      '"text"',
      '5',
      'null',
      'true',
      '',
    ])
      assert.equal(jsonOf(text), undefined, text);
  });
});
