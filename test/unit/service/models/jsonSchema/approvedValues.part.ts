import { generateJson, type ValueSource } from '../../../../../src/service/models/jsonSchema/generateJson.ts';
import { textForPattern } from '../../../../../src/service/models/jsonSchema/patternText.ts';
import type { SchemaNode } from '../../../../../src/shared/jsonSchema/schemaNode.ts';
import { assertApproved } from '../../../../support/approved.ts';

const talkative: ValueSource = {
  text: (name, description, { choices }) => choices?.[1] ?? `about ${name}${description}`,
  number: (_name, _description, index) => 7 + index,
  boolean: () => true,
  list: () => ['one', 'two', 'three'],
};
const silent: ValueSource = {
  text: () => undefined,
  number: () => undefined,
  boolean: () => undefined,
  list: () => undefined,
};

const s = { type: 'string' };
const schemas: readonly SchemaNode[] = [
  true,
  false,
  {},
  { type: 'null' },
  { type: 'boolean' },
  { const: { a: [1] } },
  { enum: ['x', 'y', 3] },
  { enum: [] },
  {
    anyOf: [{ type: 'object', properties: { a: s }, required: ['a'] }],
    allOf: [{ anyOf: [{ properties: { b: { type: 'integer' } }, required: ['b'] }, { required: ['c'] }] }],
    oneOf: [{ properties: { d: s }, required: ['d'] }],
  },
  {
    allOf: [
      { oneOf: [{ minimum: 3 }, { minimum: 9 }] },
      { oneOf: [{ maximum: 5 }, { maximum: 4 }] },
      { type: 'integer' },
    ],
  },
  {
    allOf: [
      { items: { minimum: 2 }, type: 'array' },
      { items: { type: 'integer' }, minItems: 2 },
      { required: ['x'] },
      { required: ['x', 'y'] },
    ],
  },
  { type: ['string', 'null'] },
  { type: ['null', 'integer'] },
  ...[
    {},
    { minLength: 30 },
    { maxLength: 3 },
    { minLength: 5, maxLength: 5 },
    { minLength: 20_000 },
    { pattern: '^[a-c]{2,4}x?$' },
    { pattern: '^\\d+$', minLength: 4 },
    { pattern: '(?!a)b', maxLength: 2 },
    { pattern: '^$', minLength: 1 },
    ...['date', 'date-time', 'time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'duration', 'other'].map(
      (format) => ({ format }),
    ),
  ].map((more) => ({ type: 'string', ...more })),
  ...[
    {},
    { minimum: 10 },
    { maximum: 3 },
    { minimum: 3, maximum: 3 },
    { exclusiveMinimum: 3, exclusiveMaximum: 4 },
    { exclusiveMinimum: 7 },
    { exclusiveMaximum: 7 },
    { multipleOf: 5 },
    { multipleOf: 0.1, minimum: 0.25 },
    { minimum: 11, maximum: 14, multipleOf: 5 },
    { minimum: 5, maximum: 4 },
    { enum: [1, 2] },
  ].flatMap((more) => [
    { type: 'integer', ...more },
    { type: 'number', ...more },
  ]),
  ...[
    {},
    { minItems: 2 },
    { maxItems: 1 },
    { minItems: 60 },
    { items: s, maxItems: 2 },
    { items: { type: 'integer' }, minItems: 2, uniqueItems: true },
    { items: { enum: ['a', 'b'] }, uniqueItems: true, minItems: 2 },
    { items: { enum: ['a', 'b'] }, uniqueItems: true, minItems: 3 },
    { prefixItems: [{ type: 'integer' }, s], items: false },
    { prefixItems: [{ const: 1 }], items: { const: 2 }, minItems: 3 },
    { contains: { const: 5 }, minContains: 2 },
    { contains: { const: 5 }, minContains: 0 },
    { contains: { type: 'boolean' }, items: { type: ['boolean', 'string'] } },
    { items: false, minItems: 1 },
  ].map((more) => ({ type: 'array', ...more })),
  ...[
    {},
    { properties: { a: s, b: { type: 'integer', description: ' of b' } } },
    { properties: { a: s, b: s }, required: ['b'], additionalProperties: false },
    { required: ['x', 'y'] },
    { required: ['x'], additionalProperties: false },
    { additionalProperties: { type: 'integer' }, minProperties: 2 },
    { patternProperties: { '^n_': { type: 'integer' } }, required: ['n_a'], additionalProperties: false },
    { properties: { a: s, b: s, c: s }, maxProperties: 1 },
    { propertyNames: { pattern: '^[a-z]$' }, minProperties: 2 },
    { dependentRequired: { a: ['b'] }, properties: { a: s, b: s } },
    { dependentSchemas: { a: { required: ['c'] } }, properties: { a: s, c: { type: 'integer' } }, required: ['a'] },
    { properties: { a: false, b: s }, required: ['b'] },
    {
      if: { properties: { k: { const: 'x' } } },
      then: { required: ['t'] },
      else: { required: ['e'] },
      properties: { k: { enum: ['x', 'y'] }, t: s, e: s },
      required: ['k'],
    },
    {
      properties: {
        deep: {
          type: 'object',
          properties: {
            list: {
              type: 'array',
              items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
            },
          },
        },
      },
    },
    { unevaluatedProperties: false, allOf: [{ properties: { a: s } }], required: ['a'] },
  ].map((more) => ({ type: 'object', ...more })),
  { anyOf: [{ type: 'null' }, { type: 'string', minLength: 3 }] },
  { anyOf: [false, { type: 'integer', minimum: 100 }] },
  { oneOf: [{ type: 'integer' }, { type: 'number' }] },
  { oneOf: [{ const: 'a' }, { const: 'b' }] },
  { allOf: [{ type: 'integer', minimum: 5 }, { maximum: 9 }, { multipleOf: 4 }] },
  { allOf: [{ type: 'string' }, { type: 'integer' }] },
  {
    allOf: [{ required: ['a'] }, { required: ['b'], properties: { a: s } }],
    properties: { b: { type: 'integer' } },
    type: 'object',
  },
  { allOf: [{ enum: [1, 2, 3] }, { enum: [2, 3, 4] }] },
  {
    allOf: [
      { type: 'string', minLength: 2, maxLength: 9 },
      { minLength: 5, maxLength: 7 },
    ],
  },
  {
    allOf: [
      { type: 'array', minItems: 1, items: s },
      { maxItems: 2, items: { maxLength: 2 } },
    ],
  },
  {
    allOf: [{ properties: { a: { type: 'integer', minimum: 1 } } }, { properties: { a: { maximum: 2 } } }],
    type: 'object',
    required: ['a'],
  },
  { not: { type: 'string' } },
  { not: {} },
  { type: 'integer', not: { const: 7 } },
  { properties: { a: s }, required: ['a'] },
  { items: { type: 'integer' }, minItems: 1 },
  { minLength: 3 },
  { minimum: 3 },
  { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'integer', minimum: 2 } } },
  { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
  { $ref: '#/nowhere' },
  {
    $ref: '#/$defs/n',
    $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } }, required: ['next'] } },
  },
  {
    $ref: '#/$defs/n',
    $defs: {
      n: {
        type: 'object',
        properties: { v: s, next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } },
        required: ['v', 'next'],
      },
    },
  },
  {
    $ref: '#/$defs/t',
    $defs: {
      t: {
        type: 'object',
        properties: { kids: { type: 'array', items: { $ref: '#/$defs/t' } }, name: s },
        required: ['kids', 'name'],
      },
    },
  },
  { $ref: '#/$defs/t', $defs: { t: { type: 'array', items: { $ref: '#/$defs/t' }, minItems: 1 } } },
  {
    $ref: '#/$defs/e',
    $defs: {
      e: {
        oneOf: [
          {
            type: 'object',
            properties: { left: { $ref: '#/$defs/e' } },
            required: ['left'],
            additionalProperties: false,
          },
          { type: 'integer' },
        ],
      },
    },
  },
  {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`p${index}`, s])),
    required: ['p59'],
  },
];

const patterns = [
  'abc',
  'a|b',
  '^(?:x|yy){2}$',
  '[^a]',
  '[a-z]+',
  '\\w{3}',
  '\\s\\d\\S',
  '.',
  'a*b+c?',
  'x{2,}',
  'x{0,2}y',
  '(a)(b)\\1',
  '(?<n>q)',
  '\\u0041\\x42\\t',
  '[\\d_-]{4}',
  '\\.\\/\\\\',
  '^$',
  '(',
  '[',
  'a{9999}',
  '\\p{L}',
  '(?=a)a',
  '\\bword\\b',
  '[]',
  '\\cA',
];

describe('values for schemas, as they were approved', () => {
  for (const [name, source] of Object.entries({ talkative, silent }))
    it(`are the same for a ${name} source`, () => {
      const lines = schemas.map(
        (schema) =>
          `${JSON.stringify(schema).slice(0, 300)}\n  ${JSON.stringify(generateJson(schema, source)) ?? 'none'}\n`,
      );
      assertApproved(
        `json-values-${name}`,
        lines.join('').replaceAll(/(.)\1{200,}/g, (all, one: string) => `${one}×${all.length}`),
      );
    });

  it('of patterns are the same texts', () => {
    const text = (pattern: string): string => {
      try {
        return JSON.stringify(textForPattern(pattern)).slice(0, 200);
      } catch (error) {
        return String(error);
      }
    };
    assertApproved('pattern-texts', patterns.map((pattern) => `${pattern}\n  ${text(pattern)}\n`).join(''));
  });
});
