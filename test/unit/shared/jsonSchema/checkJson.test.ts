import assert from 'node:assert/strict';
import { JsonChecker } from '../../../../src/shared/jsonSchema/checkJson.ts';
import { checkJsonText } from '../../../../src/shared/jsonSchema/checkJsonText.ts';
import type { SchemaNode } from '../../../../src/shared/jsonSchema/schemaNode.ts';
import { assertApproved } from '../../../support/approved.ts';

const told = (value: unknown, schema: SchemaNode): string | undefined => new JsonChecker(schema).problemOf(value);

describe('JsonChecker', () => {
  const cases: readonly (readonly [schema: SchemaNode, good: readonly unknown[], bad: readonly unknown[]])[] = [
    [{ type: 'string' }, ['', 'a'], [1, null, {}, []]],
    [{ type: ['string', 'null'] }, ['a', null], [1]],
    [{ type: 'integer', minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, '1']],
    [{ type: 'number', exclusiveMinimum: 0, multipleOf: 0.1 }, [0.1, 0.3, 12.7], [0, 0.05]],
    [{ enum: ['a', 1, { b: [2] }] }, ['a', 1, { b: [2] }], ['b', { b: [3] }]],
    [{ const: null }, [null], [0, '']],
    [
      { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false },
      [{ a: 1 }],
      [{}, { a: 'x' }, { a: 1, b: 2 }],
    ],
    [
      { type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: { type: 'integer' } },
      [{ x1: 'a', y: 1 }],
      [{ x1: 1 }, { y: 'a' }],
    ],
    [
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true },
      [['a'], ['a', 'b']],
      [[], ['a', 'a'], [1], ['a', 'b', 'c']],
    ],
    [
      { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
      [['a', 1, 2]],
      [[1], ['a', 'b']],
    ],
    [{ type: 'array', contains: { const: 1 } }, [[0, 1]], [[0]]],
    [{ type: 'string', minLength: 2, maxLength: 3, pattern: '^[a-z]+$' }, ['ab', 'abc'], ['a', 'abcd', 'A1']],
    [{ type: 'string', format: 'date' }, ['2026-01-31'], ['2026-13-01', 'x']],
    [{ type: 'string', format: 'ipv4' }, ['127.0.0.1'], ['1.2.3', '256.1.1.1']],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, ['a', 1], [1.5, null]],
    [{ oneOf: [{ minimum: 5 }, { maximum: 3 }] }, [6, 2], [4]],
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
    [{ not: { type: 'string' } }, [1], ['a']],
    [
      { if: { properties: { kind: { const: 'a' } } }, then: { required: ['a'] }, else: { required: ['b'] } },
      [
        { kind: 'a', a: 1 },
        { kind: 'b', b: 1 },
      ],
      [{ kind: 'a' }, { kind: 'b' }],
    ],
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

  it('names the place', () => {
    assert.deepEqual(
      told({ a: [{ b: 1 }] }, { properties: { a: { items: { properties: { b: { type: 'string' } } } } } }),
      '"a[0].b": Instance type "number" is invalid. Expected "string"',
    );
  });

  it('ends on a schema that refers to itself', () => {
    assert.match(told(1, { $ref: '#' }) ?? '', /cannot be checked/);
  });
});

describe('the check of a text that is to be JSON', () => {
  it('takes JSON of the schema, and an empty text as no arguments', () => {
    for (const text of ['{"a":1}', '', ' \n', '{}'])
      assert.equal(
        checkJsonText({ text, schema: { type: 'object', properties: { a: { type: 'integer' } } } }),
        undefined,
        text,
      );
    assert.equal(checkJsonText({ text: '[1]', schema: { type: 'array' } }), undefined);
    assert.equal(checkJsonText({ text: '[1]', schema: {} }), undefined);
  });

  it('says what is wrong', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    assert.equal(
      checkJsonText({ text: '{"a":'.padEnd(100, 'x'), schema }),
      `it is not JSON (${'{"a":'.padEnd(60, 'x')})`,
    );
    for (const text of ['[1]', 'null', '"a"', '1'])
      assert.equal(checkJsonText({ text, schema }), 'it is not an object');
    assert.match(checkJsonText({ text: '', schema }) ?? '', /"a"/);
    assert.equal(
      checkJsonText({ text: '{"a":"b"}', schema }),
      '"a": Instance type "string" is invalid. Expected "integer"',
    );
    const twice = { type: 'object', $defs: { one: { $id: 'x:a' }, two: { $id: 'x:a' } } };
    assert.match(
      checkJsonText({ text: '{}', schema: twice }) ?? '',
      /^the schema cannot be read \(Duplicate schema URI/,
    );
  });
});

describe('what is wrong with a value', () => {
  it('is told as approved, from the innermost place where it is', () => {
    const text = { type: 'string', minLength: 2 };
    const schemas: Record<string, SchemaNode> = {
      plain: text,
      no: false,
      $ref: { $ref: '#/$defs/t', $defs: { t: text } },
      allOf: { allOf: [{ type: ['string', 'number', 'object', 'array'] }, { allOf: [text] }] },
      anyOf: { anyOf: [text, { type: 'boolean' }] },
      oneOf: { oneOf: [text, { type: 'string', maxLength: 1 }] },
      not: { not: text },
      if: { if: { type: 'string' }, then: text, else: { type: 'boolean' } },
      properties: { properties: { a: { properties: { 'b/c': { items: text } } } } },
      patternProperties: { patternProperties: { '^a': text } },
      additionalProperties: { additionalProperties: text },
      none: { additionalProperties: false },
      propertyNames: { propertyNames: text },
      items: { items: text },
      prefixItems: { prefixItems: [text], items: false },
      contains: { contains: text },
      required: { required: ['z'], dependentRequired: { a: ['y'] } },
      enum: { enum: ['ab', 1] },
      const: { const: 'ab' },
      nowhere: { $ref: '#/nowhere' },
      loop: { $ref: '#' },
    };
    const values = ['ab', 'a', 7, true, null, ['a', 'ab'], { a: 'x' }, { a: { 'b/c': ['ok', 'x'] } }, { b: 'ab' }];
    const lines = Object.entries(schemas).flatMap(([name, schema]) =>
      values.map((value) => `${name} ${JSON.stringify(value)}: ${told(value, schema) ?? 'fits'}`),
    );
    assertApproved('json-problems', `${lines.join('\n')}\n`);
  });
});
