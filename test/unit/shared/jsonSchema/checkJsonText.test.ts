import assert from 'node:assert/strict';
import { checkJsonText } from '../../../../src/shared/jsonSchema/checkJsonText.ts';

describe('a text that is to be JSON of a schema', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', maximum: 9 } }, required: ['a'] };

  it('is right, or is told what is wrong with it', () => {
    for (const [text, problem] of [
      ['{"a": 1}', undefined],
      [' {"a": 9, "b": []}\n', undefined],
      ['{"a": 10}', /^"a": .*10/],
      ['{}', /"a"/],
      ['[1]', /^it is not an object$/],
      ['"a"', /^it is not an object$/],
      ['null', /^it is not an object$/],
      ['{"a": 1', /^it is not JSON \(\{"a": 1\)$/],
      ['Sure!', /^it is not JSON \(Sure!\)$/],
    ] as const) {
      const found = checkJsonText({ text, schema });
      if (problem === undefined) assert.equal(found, undefined, text);
      else assert.match(found ?? '', problem, text);
    }
  });

  it('may be nothing where nothing has to be in it', () => {
    for (const text of ['', '  \n']) {
      assert.equal(checkJsonText({ text, schema: { type: 'object' } }), undefined);
      assert.match(checkJsonText({ text, schema }) ?? '', /"a"/);
    }
  });

  it('may be anything that a schema of another type allows', () => {
    assert.equal(checkJsonText({ text: '[1]', schema: { type: 'array' } }), undefined);
    assert.equal(checkJsonText({ text: '5', schema: {} }), undefined);
    assert.match(checkJsonText({ text: '{}', schema: { type: 'array' } }) ?? '', /array/);
  });

  it('is shown by its first sixty characters where it is none', () => {
    assert.equal(checkJsonText({ text: 'x'.repeat(61), schema }), `it is not JSON (${'x'.repeat(60)})`);
  });

  it('is told where its schema cannot be used, shortly', () => {
    const found = checkJsonText({
      text: '{}',
      schema: { $id: 'no address at all', properties: { a: { $id: 'http://[' } } },
    });
    assert.match(found ?? '', /^(?:the schema cannot be read|it cannot be checked)/);
    const long = checkJsonText({ text: '{"a": 1}', schema: { properties: { a: { $ref: `#/${'x'.repeat(900)}` } } } });
    assert.match(long ?? '', /^it cannot be checked: /);
    assert.ok((long ?? '').length < 400);
  });
});
