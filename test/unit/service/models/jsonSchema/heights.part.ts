import assert from 'node:assert/strict';
import { SchemaShapes } from '../../../../../src/service/models/jsonSchema/schemaShapes.ts';

const text = { type: 'string' };
const object = (properties: object, more: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});
const height = (schema: object): number => new SchemaShapes(schema as never).height(schema as never);

describe('how deep the least value of a schema is', () => {
  const cases: [what: string, schema: object, height: number][] = [
    ['a text', text, 0],
    ['an object that needs nothing', object({}), 0],
    ['an object with a text', object({ a: text }), 1],
    ['an object in an object', object({ a: object({ b: text }), c: text }), 2],
    ['what need not be there', object({ a: object({ b: text }) }, { required: [] }), 0],
    [
      'one more than is named',
      object({ a: object({ b: text }) }, { required: [], minProperties: 1, additionalProperties: object({}) }),
      1,
    ],
    ['a list that may be empty', { type: 'array', items: object({ a: text }) }, 0],
    ['a list with an item', { type: 'array', minItems: 1, items: object({ a: text }) }, 2],
    ['a list that contains one', { type: 'array', contains: object({ a: text }) }, 2],
    ['a list whose first is named', { type: 'array', prefixItems: [object({ a: text })], minItems: 1 }, 2],
    ['the least of several', { anyOf: [object({ a: object({ b: text }) }), object({ c: text })] }, 1],
    ['a constant', object({ a: { const: { b: { c: 1 } } } }), 1],
    ['no value of a choice', { enum: [] }, Infinity],
    ['what may be an object or a text', { ...object({ a: object({ b: text }) }), type: ['object', 'string'] }, 0],
    ['an object that needs itself', object({ a: { $ref: '#' } }), Infinity],
    ['a list that needs itself', { type: 'array', items: { $ref: '#' }, minItems: 1 }, Infinity],
    ['an object that may end', object({ a: { anyOf: [{ $ref: '#' }, text] } }), 1],
    ['what nothing fits', object({ a: false as never }), Infinity],
  ];
  for (const [what, schema, wanted] of cases) it(what, () => assert.equal(height(schema), wanted));
});
