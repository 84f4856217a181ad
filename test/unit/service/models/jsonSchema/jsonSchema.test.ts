import assert from 'node:assert/strict';
import { generateJson, type ValueSource } from '../../../../../src/service/models/jsonSchema/generateJson.ts';
import type { SchemaNode } from '../../../../../src/service/models/jsonSchema/schemaNode.ts';
import { JsonChecker } from '../../../../../src/service/models/jsonSchema/checkJson.ts';

const told = (value: unknown, schema: SchemaNode): string | undefined => new JsonChecker(schema).problemOf(value);

describe('JsonChecker', () => {
  const cases: readonly (readonly [schema: SchemaNode, good: readonly unknown[], bad: readonly unknown[]])[] = [
    [{ type: 'string' }, ['', 'a'], [1, null, {}, []]],
    [{ type: ['string', 'null'] }, ['a', null], [1]],
    [{ type: 'integer', minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, '1']],
    [{ type: 'number', exclusiveMinimum: 0, multipleOf: 0.1 }, [0.1, 0.3, 12.7], [0, 0.05]],
    [{ enum: ['a', 1, { b: [2] }] }, ['a', 1, { b: [2] }], ['b', { b: [3] }]],
    [{ const: null }, [null], [0, '']],
    [{ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false }, [{ a: 1 }], [{}, { a: 'x' }, { a: 1, b: 2 }]],
    [{ type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: { type: 'integer' } }, [{ x1: 'a', y: 1 }], [{ x1: 1 }, { y: 'a' }]],
    [{ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true }, [['a'], ['a', 'b']], [[], ['a', 'a'], [1], ['a', 'b', 'c']]],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } }, [['a', 1, 2]], [[1], ['a', 'b']]],
    [{ type: 'array', contains: { const: 1 } }, [[0, 1]], [[0]]],
    [{ type: 'string', minLength: 2, maxLength: 3, pattern: '^[a-z]+$' }, ['ab', 'abc'], ['a', 'abcd', 'A1']],
    [{ type: 'string', format: 'date' }, ['2026-01-31'], ['2026-13-01', 'x']],
    [{ type: 'string', format: 'ipv4' }, ['127.0.0.1'], ['1.2.3', '256.1.1.1']],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, ['a', 1], [1.5, null]],
    [{ oneOf: [{ minimum: 5 }, { maximum: 3 }] }, [6, 2], [4]],
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
    [{ not: { type: 'string' } }, [1], ['a']],
    [{ if: { properties: { kind: { const: 'a' } } }, then: { required: ['a'] }, else: { required: ['b'] } }, [{ kind: 'a', a: 1 }, { kind: 'b', b: 1 }], [{ kind: 'a' }, { kind: 'b' }]],
    [{ $ref: '#/$defs/tree', $defs: { tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } } } }, [{ children: [{ children: [] }] }], [{ children: [1] }]],
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
    assert.deepEqual(told({ a: [{ b: 1 }] }, { properties: { a: { items: { properties: { b: { type: 'string' } } } } } }), '"a[0].b": Instance type "number" is invalid. Expected "string"');
  });

  it('ends on a schema that refers to itself', () => {
    assert.match(told(1, { $ref: '#' }) ?? '', /cannot be checked/);
  });
});

const plainSource: ValueSource = { text: (name) => `about ${name}`, number: () => 7, boolean: () => true, list: () => ['one', 'two'] };
const silentSource: ValueSource = { text: () => undefined, number: () => undefined, boolean: () => undefined, list: () => undefined };

describe('generateJson', () => {
  const schemas: SchemaNode[] = [
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer', minimum: 10, maximum: 12 }, c: { type: 'boolean' } }, required: ['a', 'b', 'c'], additionalProperties: false },
    { type: 'object', properties: { list: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer', multipleOf: 5 } }, required: ['id'] }, minItems: 3 } }, required: ['list'] },
    { type: 'object', properties: { code: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' }, mail: { type: 'string', format: 'email' }, day: { type: 'string', format: 'date' } }, required: ['code', 'mail', 'day'] },
    { type: 'object', properties: { value: { anyOf: [{ type: 'null' }, { type: 'string', minLength: 20 }] } }, required: ['value'] },
    { type: 'object', properties: { kind: { oneOf: [{ const: 'x' }, { const: 'y' }] } }, required: ['kind'] },
    { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { name: { type: 'string', maxLength: 4 }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }, required: ['name', 'next'], additionalProperties: false } } },
    { allOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } }, required: ['b'] }] },
    { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 },
    { type: 'array', items: { enum: ['red', 'green'] }, minItems: 1, uniqueItems: true },
    { type: 'object', properties: { choices: { type: 'array', items: { type: 'string', enum: ['one', 'three'] } } }, required: ['choices'] },
    { type: 'object', properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2, maxItems: 2 } }, required: ['pair'] },
    { type: 'object', properties: { __proto__x: { type: 'string' }, constructor: { type: 'string' } }, required: ['constructor'] },
    {},
  ];
  for (const schema of schemas) {
    it(JSON.stringify(schema).slice(0, 80), () => {
      for (const source of [plainSource, silentSource]) {
        const generated = generateJson(schema, source);
        assert.ok(generated, 'nothing was generated');
        assert.equal(told(generated.value, schema), undefined);
      }
    });
  }

  it('uses what the source says', () => {
    assert.deepEqual(generateJson({ type: 'object', properties: { a: { type: 'string' }, n: { type: 'integer' }, l: { type: 'array', items: { type: 'string' } } }, required: ['a'] }, plainSource)?.value, { a: 'about a', n: 7, l: ['one', 'two'] });
  });

  it('gives nothing where nothing fits', () => {
    assert.equal(generateJson({ type: 'string', minLength: 5, maxLength: 2 }, plainSource), undefined);
    assert.equal(generateJson(false, plainSource), undefined);
  });
});
