import assert from 'node:assert/strict';
import { generateJson, type ValueSource } from '../../../../../src/service/models/jsonSchema/generateJson.ts';
import { SchemaShapes, TooComplex } from '../../../../../src/service/models/jsonSchema/schemaShapes.ts';
import type { SchemaNode } from '../../../../../src/shared/jsonSchema/schemaNode.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };
const object = (properties: object, more: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
});
const shapesOf = (schema: unknown): SchemaShapes => new SchemaShapes(schema as SchemaNode);

describe('the places of a schema', () => {
  const resolved = (schema: object): Record<string, unknown> => shapesOf(schema).resolved(schema as never);

  it('are the same object each time, as their forms are', () => {
    const schema = { allOf: [{ minimum: 1 }, { maximum: 2 }], anyOf: [whole, text] };
    const shapes = shapesOf(schema);
    const place = shapes.resolved(schema as never);
    assert.equal(shapes.resolved(schema as never), place);
    assert.equal(shapes.forms(place), shapes.forms(place));
    const one = { minimum: 1 };
    const { properties } = resolved({
      allOf: [{ properties: { a: one, b: one } }, { properties: { a: one, b: true } }],
    });
    const { a, b } = properties as Record<string, unknown>;
    assert.ok(a === one && b === one);
    const choices = [whole, text];
    assert.deepEqual(resolved({ allOf: [{ anyOf: choices }, { anyOf: choices }] }), { anyOf: choices });
  });

  it('are reached over forty references and no more', () => {
    const chain = (length: number): object => ({
      $ref: '#/$defs/d1',
      $defs: Object.fromEntries(
        Array.from({ length }, (_, index) => [
          `d${index + 1}`,
          index + 1 === length ? whole : { $ref: `#/$defs/d${index + 2}` },
        ]),
      ),
    });
    assert.deepEqual(resolved(chain(41)), whole);
    assert.deepEqual(resolved(chain(42)), { $ref: '#/$defs/d42' });
    assert.deepEqual(resolved({ $ref: '#/nowhere', minimum: 1 }), { minimum: 1 });
  });

  it('have the forms of their choice, each with what stands beside it', () => {
    const forms = (schema: object): unknown => shapesOf(schema).forms(schema as never);
    assert.deepEqual(forms({ type: 'integer', title: 'x', anyOf: [false, true, { minimum: 1 }] }), [
      false,
      { type: 'integer', title: 'x' },
      { type: 'integer', title: 'x', allOf: [{ minimum: 1 }] },
    ]);
    assert.deepEqual(forms({ title: 'x', $defs: {}, oneOf: [true, false, { minimum: 1 }] }), [
      true,
      false,
      { minimum: 1 },
    ]);
    assert.deepEqual(forms({ anyOf: [], oneOf: [whole] }), [{ anyOf: [], allOf: [whole] }]);
    assert.deepEqual(forms({ anyOf: [text], oneOf: [whole] }), [{ oneOf: [whole], allOf: [text] }]);
    assert.deepEqual(forms({ anyOf: [] }), []);
  });

  for (const [what, schema, height] of [
    ['a constant, whatever else is asked', { const: 1, ...object({ a: false }) }, 0],
    ['a text that has nothing to do with properties', { ...object({ a: false }), type: 'string' }, 0],
    ['no type at all', { type: [] }, Infinity],
    ['a list whose first need not be there', { type: 'array', prefixItems: [object({ a: text })], minItems: 0 }, 0],
    [
      'a list with two of its three first ones',
      { type: 'array', prefixItems: [text, text, object({ a: text })], minItems: 2 },
      1,
    ],
    ['a list that need not contain it', { type: 'array', contains: object({ a: text }), minContains: 0 }, 0],
    ['true', true, 0],
    ['false', false, Infinity],
    ['a form that cannot be, beside one that can', { anyOf: [false, object({ a: false }), object({ a: text })] }, 1],
  ] as const)
    it(`have the height of ${what}`, () => assert.equal(shapesOf(schema).height(schema as never), height));

  it('are no more than can be looked at', () => {
    const wide = (count: number): Record<string, unknown> =>
      object(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }])));
    const over = wide(20_000);
    assert.throws(() => shapesOf(over).height(over as never), TooComplex);
    const choices = (count: number): Record<string, unknown> => ({ anyOf: Array<object>(count).fill(whole) });
    assert.equal(shapesOf(true).forms(choices(20_000)).length, 20_000);
    assert.throws(() => shapesOf(true).forms(choices(20_001)), TooComplex);
    assert.equal(generateJson(choices(20_001), silent), undefined);
  });
});

const silent: ValueSource = {
  text: () => undefined,
  number: () => undefined,
  boolean: () => undefined,
  list: () => undefined,
};

describe('a value for a schema', () => {
  const value = (schema: object, more: Partial<ValueSource> = {}): unknown =>
    generateJson(schema as SchemaNode, { ...silent, ...more })?.value;

  it('is none for a schema that cannot be read', () =>
    assert.equal(value({ $defs: { a: { $id: 'urn:x' }, b: { $id: 'urn:x' } } }), undefined));

  it('has at most five thousand places', () => {
    const list = (minItems: number): object => ({ type: 'array', items: { type: 'null' }, minItems });
    assert.equal((value(list(4999)) as unknown[]).length, 4999);
    assert.equal(value(list(5000)), undefined);
    assert.equal(value(list(5001)), undefined);
  });

  it('is tried fifty times with what does not fit, and then with as little as may be', () => {
    const words = (count: number): string[] => [...Array.from({ length: count }, (_, index) => `long ${index}`), 'ok'];
    const schema = { type: 'array', items: { type: 'string', maxLength: 3 } };
    assert.deepEqual(value(schema, { list: () => words(50) }), ['ok']);
    assert.deepEqual(value(schema, { list: () => words(51) }), []);
  });

  it('has a place twice that stands twice, and ends where it would lead back', () => {
    const place = object({ n: { type: 'integer' } });
    assert.deepEqual(
      value({
        type: 'object',
        properties: { a: { $ref: '#/$defs/p' }, b: { $ref: '#/$defs/p' } },
        $defs: { p: place },
      }),
      { a: { n: 0 }, b: { n: 0 } },
    );
    const tree = {
      $ref: '#/$defs/t',
      $defs: {
        t: {
          type: 'object',
          properties: {
            name: text,
            kids: { type: 'array', items: { $ref: '#/$defs/t' } },
            next: { $ref: '#/$defs/t' },
          },
        },
      },
    };
    assert.deepEqual(value(tree), { name: 'name', kids: [] });
  });

  it('has what need not be there down to the sixth level', () => {
    const level = (left: number): object =>
      left === 0
        ? whole
        : object(
            { next: level(left - 1) },
            { properties: { v: whole, l: { type: 'array', items: whole }, next: level(left - 1) } },
          );
    let told = value(level(9)) as Record<string, unknown> | number | undefined;
    const seen: string[] = [];
    while (typeof told === 'object') {
      seen.push(Object.keys(told).join());
      told = told['next'] as Record<string, unknown> | number;
    }
    assert.deepEqual(seen, [...Array<string>(6).fill('v,l,next'), ...Array<string>(3).fill('next')]);
    const list = (left: number): object => (left === 0 ? whole : { type: 'array', items: list(left - 1) });
    assert.deepEqual(value(list(9)), [[[[[[[]]]]]]]);
  });

  it('asks for a text only where one is among the values', () => {
    const asked: unknown[] = [];
    const source = {
      text: (_name: string, _description: string, { choices }: { choices?: readonly string[] }) => (
        asked.push(choices),
        undefined
      ),
    };
    assert.deepEqual([value({ enum: [1, 2] }, source), value({ enum: [1, 'a', 'b'] }, source)], [1, 1]);
    assert.deepEqual(asked, [['a', 'b']]);
  });

  it('takes the first form that there can be and that fits', () => {
    assert.equal(value({ anyOf: [object({ a: false }), whole] }), 0);
    assert.deepEqual(value({ anyOf: [{ type: 'null' }, { type: 'string', minLength: 3 }] }), '...');
    assert.equal(value({ anyOf: [{ type: 'null' }, { type: 'string', minLength: 3 }], maxLength: 2 }), null);
    const nested = { $ref: '#/$defs/e', $defs: { e: { anyOf: [object({ of: { $ref: '#/$defs/e' } }), whole] } } };
    assert.deepEqual(value(nested), { of: 0 });
  });

  it('is of a form that fits what is asked beside it, and ends by a fault of the source alone', () => {
    assert.equal(value({ anyOf: [{ const: 'long' }, { const: 'x' }], maxLength: 2 }), 'x');
    assert.equal(value({ anyOf: [{ const: 'long' }, { const: 'longer' }], maxLength: 2 }), undefined);
    const failing = (error: Error) => () =>
      value(
        { type: 'object', properties: { a: text } },
        {
          text: () => {
            throw error;
          },
        },
      );
    assert.throws(failing(new TypeError('ours')), TypeError);
    // As a stack that is too deep.
    assert.equal(failing(new RangeError('deep'))(), undefined);
  });

  it('has a property of any name as its own', () => {
    const given = value(
      object({ ['__proto__']: whole }, { properties: JSON.parse('{"__proto__":{"type":"integer"}}') as object }),
    ) as object;
    assert.deepEqual(Object.getOwnPropertyDescriptor(given, '__proto__'), {
      value: 0,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  });

  it('has as many properties as it needs, the least ones first', () => {
    const properties = { deep: object({ x: text }), flat: whole };
    assert.deepEqual(value({ type: 'object', properties, minProperties: 1, maxProperties: 1 }), { flat: 0 });
    assert.deepEqual(value({ type: 'object', properties: { gone: false, flat: whole }, minProperties: 1 }), {
      flat: 0,
    });
    const inner = { type: 'object', properties: { x: whole } };
    assert.deepEqual(value({ type: 'object', additionalProperties: inner, minProperties: 1 }), { key1: {} });
    assert.deepEqual(
      value({
        type: 'object',
        propertyNames: { enum: ['a', 'b'] },
        properties: { a: inner },
        required: ['a'],
        additionalProperties: whole,
        minProperties: 2,
      }),
      { a: { x: 0 }, b: 0 },
    );
    const free = (minProperties: number): object => ({ type: 'object', additionalProperties: whole, minProperties });
    assert.equal(Object.keys(value(free(50)) as object).length, 50);
    assert.equal(value(free(51)), undefined);
  });

  it('leaves out what need not be there and does not fit', () => {
    const odd = { type: 'string', pattern: '^x$', minLength: 5 };
    assert.deepEqual(value({ type: 'object', properties: { odd, a: whole } }), { a: 0 });
    assert.equal(value(object({ odd, a: whole })), undefined);
  });

  it('has of the first entries of a list as many as may be, and then what is found', () => {
    const prefixItems = [whole, whole, whole];
    assert.deepEqual(value({ type: 'array', prefixItems, maxItems: 2 }), [0, 0]);
    assert.deepEqual(value({ type: 'array', prefixItems, maxItems: 2, uniqueItems: true }), []);
    const list = (): string[] => ['one', 'two'];
    assert.deepEqual(value({ type: 'array', prefixItems: [whole], items: text, maxItems: 2 }, { list }), [0, 'one']);
    assert.deepEqual(value({ type: 'array', prefixItems: [whole], items: false }, { list }), [0]);
    assert.deepEqual(value({ type: 'array', items: { const: 7 } }), [7]);
    assert.deepEqual(value({ type: 'array', items: whole, minItems: 3, uniqueItems: true }), [0, 1, 2]);
    assert.equal(value({ type: 'array', items: { type: 'boolean' }, minItems: 2, uniqueItems: true }), undefined);
  });

  it('has numbers of every digit, and on steps beyond a limit', () => {
    assert.equal(value({ type: 'integer', minimum: 9_007_199_254_740_989 }), 9_007_199_254_740_989);
    assert.equal(value({ type: 'number', multipleOf: 0.1, exclusiveMinimum: 0.25 }), 0.4);
    assert.equal(value({ type: 'number', exclusiveMinimum: 3, exclusiveMaximum: 3.6 }), 3.3);
    assert.equal(value({ type: 'integer', exclusiveMinimum: 3, exclusiveMaximum: 4 }), undefined);
  });

  it('has texts of at most ten thousand characters that are asked for', () => {
    assert.equal(value({ type: 'string', minLength: 10_000 }), '.'.repeat(10_000));
    assert.equal(value({ type: 'string', minLength: 10_001 }), undefined);
  });

  it('has texts for a pattern from words that are short enough to be tried', () => {
    const pattern = (given: string, found: string): unknown =>
      value({ type: 'string', pattern: given }, { text: () => found });
    const [most, over] = ['a'.repeat(200), 'a'.repeat(201)];
    assert.deepEqual([pattern('^a+$', most), pattern('^a+$', over)], [most, 'a']);
    assert.equal(pattern('^b?$', 'x  b'), 'b');
    assert.equal(value({ type: 'string', format: 5 }, { text: () => 'any' }), 'any');
    assert.equal(value({ type: 'string', format: 'odd' }, { text: () => 'any' }), 'any');
    assert.equal(value({ type: 'string', format: 'date', maxLength: 4 }, { text: () => '2020' }), undefined);
  });
});
