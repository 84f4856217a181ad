import assert from 'node:assert/strict';
import { generateJson, type ValueSource } from '../../../../../src/service/models/jsonSchema/generateJson.ts';
import { JsonChecker } from '../../../../../src/shared/jsonSchema/checkJson.ts';
import type { SchemaNode } from '../../../../../src/shared/jsonSchema/schemaNode.ts';

const told = (value: unknown, schema: SchemaNode): string | undefined => new JsonChecker(schema).problemOf(value);

const plainSource: ValueSource = {
  text: (name) => `about ${name}`,
  number: () => 7,
  boolean: () => true,
  list: () => ['one', 'two'],
};
const silentSource: ValueSource = {
  text: () => undefined,
  number: () => undefined,
  boolean: () => undefined,
  list: () => undefined,
};

describe('generateJson', () => {
  const schemas: SchemaNode[] = [
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer', minimum: 10, maximum: 12 }, c: { type: 'boolean' } },
      required: ['a', 'b', 'c'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'integer', multipleOf: 5 } }, required: ['id'] },
          minItems: 3,
        },
      },
      required: ['list'],
    },
    {
      type: 'object',
      properties: {
        code: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' },
        mail: { type: 'string', format: 'email' },
        day: { type: 'string', format: 'date' },
      },
      required: ['code', 'mail', 'day'],
    },
    {
      type: 'object',
      properties: { value: { anyOf: [{ type: 'null' }, { type: 'string', minLength: 20 }] } },
      required: ['value'],
    },
    {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            name: { type: 'string', maxLength: 4 },
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
          },
          required: ['name', 'next'],
          additionalProperties: false,
        },
      },
    },
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } }, required: ['b'] },
      ],
    },
    { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 2 },
    { type: 'array', items: { enum: ['red', 'green'] }, minItems: 1, uniqueItems: true },
  ];
  for (const schema of schemas) {
    it(`satisfies ${JSON.stringify(schema).slice(0, 80)}`, () => {
      for (const source of [plainSource, silentSource]) {
        const generated = generateJson(schema, source);
        assert.ok(generated, 'nothing was generated');
        assert.equal(told(generated.value, schema), undefined);
      }
    });
  }

  it('returns nothing if no value is valid', () => {
    assert.equal(generateJson({ type: 'string', minLength: 5, maxLength: 2 }, plainSource), undefined);
    assert.equal(generateJson(false, plainSource), undefined);
  });

  it('refuses schemas larger than any answer', () => {
    assert.equal(generateJson({ type: 'array', items: { type: 'string' }, minItems: 6000 }, plainSource), undefined);
    const wide = {
      type: 'array',
      prefixItems: Array.from({ length: 200 }, () => ({ type: 'array', items: { type: 'string' }, minItems: 50 })),
      minItems: 200,
    };
    assert.equal(generateJson(wide, plainSource), undefined);
  });
});
