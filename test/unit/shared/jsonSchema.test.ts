import assert from 'node:assert/strict';
import { JsonChecker } from '../../../src/shared/jsonSchema/checkJson.ts';
import { checkJsonText } from '../../../src/shared/jsonSchema/checkJsonText.ts';
import { type SchemaNode } from '../../../src/shared/jsonSchema/schemaNode.ts';

const told = (value: unknown, schema: SchemaNode): string | undefined => new JsonChecker(schema).problemOf(value);

describe('JsonChecker', () => {
  const cases: readonly (readonly [schema: SchemaNode, good: readonly unknown[], bad: readonly unknown[]])[] = [
    [{ type: 'string' }, ['', 'a'], [1, null, {}, []]],
    [{ type: ['string', 'null'] }, ['a', null], [1]],
    [{ type: 'integer', minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, '1']],
    [{ type: 'number', exclusiveMinimum: 0, multipleOf: 0.1 }, [0.1, 0.3, 12.7], [0, 0.05]],
    [{ enum: ['a', 1, { b: [2] }] }, ['a', 1, { b: [2] }], ['b', { b: [3] }]],
    [
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false },
      [{ a: 1 }],
      [{}, { a: 'x' }, { a: 1, b: 2 }],
    ],
    [
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true },
      [['a'], ['a', 'b']],
      [[], ['a', 'a'], [1], ['a', 'b', 'c']],
    ],
    [{ type: 'string', minLength: 2, maxLength: 3, pattern: '^[a-z]+$' }, ['ab', 'abc'], ['a', 'abcd', 'A1']],
    [{ type: 'string', format: 'date' }, ['2026-01-31'], ['2026-13-01', 'x']],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, ['a', 1], [1.5, null]],
    [{ oneOf: [{ minimum: 5 }, { maximum: 3 }] }, [6, 2], [4]],
    [{ not: { type: 'string' } }, [1], ['a']],
    [
      {
        $ref: '#/$defs/tree',
        $defs: {
          tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
        },
      },
      [{ children: [{ children: [] }] }],
      [{ children: [1] }],
    ],
    [true, [1, 'a'], []],
    [false, [], [1]],
  ];
  for (const [schema, good, bad] of cases) {
    it(JSON.stringify(schema).slice(0, 80), () => {
      for (const value of good) assert.equal(told(value, schema), undefined, String(value));
      for (const value of bad) assert.notEqual(told(value, schema), undefined, `${String(value)} passed`);
    });
  }

  it('stops at a schema that refers to itself', () => {
    assert.match(told(1, { $ref: '#' }) ?? '', /cannot be checked/);
  });
});

describe('checkJsonText', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', maximum: 9 } }, required: ['a'] };

  it('reports what is wrong with a text', () => {
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

  it('accepts an empty text if nothing is required', () => {
    for (const text of ['', '  \n']) {
      assert.equal(checkJsonText({ text, schema: { type: 'object' } }), undefined);
      assert.match(checkJsonText({ text, schema }) ?? '', /"a"/);
    }
  });
});
