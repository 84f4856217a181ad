import assert from 'node:assert/strict';
import { askedJson, jsonOf, looksLikeJson } from '../../../../../src/chat/webview/json/jsonAnswer.ts';

describe('the JSON that an answer was asked to be', () => {
  const asked = (response_format: unknown): unknown => askedJson({ response_format } as never);

  it('is any, or that of a schema with its name', () => {
    const schema = { type: 'object' };
    for (const [format, expected] of [
      [{ type: 'json_object' }, {}],
      [{ type: 'json_object', json_schema: { name: 'a', schema } }, {}],
      [
        { type: 'json_schema', json_schema: { name: 'a', schema } },
        { name: 'a', schema },
      ],
      [{ type: 'json_schema', json_schema: { schema } }, { schema }],
      [{ type: 'json_schema', json_schema: { name: 'a' } }, { name: 'a' }],
      [{ type: 'json_schema', json_schema: { name: 5, schema: [] } }, {}],
      [{ type: 'json_schema', json_schema: [schema] }, {}],
      [{ type: 'json_schema' }, {}],
      [{ type: 'text' }, undefined],
      [{}, undefined],
      [[], undefined],
      ['json_object', undefined],
      [null, undefined],
    ] as const)
      assert.deepEqual(asked(format), expected, JSON.stringify(format));
    assert.equal(askedJson(undefined), undefined);
    assert.equal(askedJson({}), undefined);
    assert.deepEqual(Object.keys(asked({ type: 'json_schema', json_schema: { name: 5 } }) as object), []);
  });
});

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
