import assert from 'node:assert/strict';
import {
  minimalType,
  propertyOf,
  SchemaShapes,
  typeOf,
} from '../../../../../src/service/models/jsonSchema/schemaShapes.ts';
import './heights.part.ts';

const resolved = (schema: object): unknown => new SchemaShapes(schema as never).resolved(schema as never);
const both = (...parts: unknown[]): unknown => resolved({ allOf: parts });

describe('what several schemas ask for together', () => {
  for (const [what, parts, expected] of [
    [
      'the stricter of two limits',
      [
        { minimum: 1, maximum: 5 },
        { minimum: 3, maximum: 9 },
      ],
      { minimum: 3, maximum: 5 },
    ],
    [
      'the stricter lengths',
      [
        { minLength: 1, maxItems: 2, minProperties: 1 },
        { minLength: 2, maxItems: 1, minProperties: 0 },
      ],
      { minLength: 2, maxItems: 1, minProperties: 1 },
    ],
    ['the type of both', [{ type: ['string', 'null'] }, { type: ['null', 'number'] }], { type: ['null'] }],
    ['whole numbers among numbers', [{ type: 'number' }, { type: 'integer' }], { type: ['integer'] }],
    [
      'whole numbers among numbers, the other way',
      [{ type: ['integer', 'string'] }, { type: 'number' }],
      { type: ['integer'] },
    ],
    ['no type where they have none in common', [{ type: 'string' }, { type: 'number' }], { type: [] }],
    ['the type of the one that has one', [{ type: 'string' }, { minLength: 1 }], { type: 'string', minLength: 1 }],
    ['what either requires, once', [{ required: ['a', 'b'] }, { required: ['b', 'c'] }], { required: ['b', 'c', 'a'] }],
    ['what one requires', [{ required: ['a'] }, {}], { required: ['a'] }],
    [
      'the properties of both',
      [{ properties: { a: { type: 'string' } } }, { properties: { b: true } }],
      { properties: { a: { type: 'string' }, b: true } },
    ],
    ['the items of both', [{ items: { minimum: 1 } }, { items: true }], { items: { minimum: 1 } }],
    ['nothing that fits', [{ type: 'string' }, false], { type: 'string', enum: [] }],
    ['what is no schema for nothing', [{ type: 'string' }, true], { type: 'string' }],
  ] as const)
    it(`is ${what}`, () => {
      assert.deepEqual(both(...parts), expected);
    });

  it('is, of each property, what both ask of it', () => {
    const schema = { allOf: [{ properties: { a: { minimum: 1 } } }, { properties: { a: { maximum: 2 } } }] };
    const shapes = new SchemaShapes(schema as never);
    const { properties } = shapes.resolved(schema as never) as { properties: { a: never } };
    assert.deepEqual(shapes.resolved(properties.a), { minimum: 1, maximum: 2 });
  });

  it('is that of a reference and of what stands beside it', () => {
    const schema = {
      $defs: { a: { minimum: 1 } },
      properties: { x: { $ref: '#/$defs/a', maximum: 3 }, y: { $ref: '#/$defs/a' } },
    };
    const shapes = new SchemaShapes(schema as never);
    assert.deepEqual(shapes.resolved(schema.properties.x as never), { minimum: 1, maximum: 3 });
    assert.equal(shapes.resolved(schema.properties.y as never), schema.$defs.a, 'a mere reference is its place itself');
  });

  it('is of the types that both allow, of which integers are numbers too', () => {
    const types = (left: unknown, right: unknown): unknown => {
      const schema = { allOf: [{ type: left }, { type: right }] };
      return (new SchemaShapes(schema as never).resolved(schema as never) as { type?: unknown }).type;
    };
    assert.deepEqual(types(['integer', 'string'], 'number'), ['integer']);
    assert.deepEqual(types('number', ['integer', 'string']), ['integer']);
    assert.deepEqual(types(['integer', 'string'], 'string'), ['string']);
    assert.deepEqual(types(['number', 'string'], ['string', 'number', 'null']), ['string', 'number']);
  });

  it('is a choice of each', () => {
    const schema = {
      allOf: [{ anyOf: [{ minimum: 1 }, { minimum: 2 }] }, { anyOf: [{ maximum: 5 }, { maximum: 6 }] }],
    };
    const shapes = new SchemaShapes(schema as never);
    const whole = (node: unknown): unknown[] => {
      const forms = shapes.forms(shapes.resolved(node as never));
      return forms.length === 0 ? [shapes.resolved(node as never)] : forms.flatMap(whole);
    };
    const limits = whole(schema).map((form) => {
      const { minimum, maximum } = form as { minimum?: number; maximum?: number };
      return `${minimum}-${maximum}`;
    });
    assert.deepEqual(limits.toSorted(), ['1-5', '1-6', '2-5', '2-6']);
  });
});

describe('the type that a value is written with', () => {
  for (const [node, type, least] of [
    [{}, 'string', 'string'],
    [{ type: ['null', 'object', 'string'] }, 'object', 'null'],
    [{ type: 'null' }, 'null', 'null'],
    [{ type: ['object', 'array'] }, 'object', 'object'],
    [{ type: ['array', 'boolean'] }, 'array', 'boolean'],
    [{ required: [] }, 'object', 'object'],
    [{ propertyNames: {} }, 'object', 'object'],
    [{ additionalProperties: false }, 'object', 'object'],
    [{ contains: {} }, 'array', 'array'],
    [{ prefixItems: [] }, 'array', 'array'],
    [{ multipleOf: 2 }, 'number', 'number'],
    [{ exclusiveMaximum: 2 }, 'number', 'number'],
    [{ minLength: 2 }, 'string', 'string'],
  ] as const)
    it(`of ${JSON.stringify(node)} is ${type}`, () =>
      assert.deepEqual([typeOf(node as never), minimalType(node as never)], [type, least]));

  it('of a property is its own, else that of all others', () => {
    const node = { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } } as never;
    assert.deepEqual([propertyOf(node, 'a'), propertyOf(node, 'b')], [{ type: 'string' }, { type: 'number' }]);
    assert.deepEqual(propertyOf(node, 'constructor'), { type: 'number' });
    assert.equal(propertyOf({ additionalProperties: false } as never, 'b'), false);
  });
});
