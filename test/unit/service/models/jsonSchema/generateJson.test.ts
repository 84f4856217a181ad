import assert from 'node:assert/strict';
import { generateJson, type ValueSource } from '../../../../../src/service/models/jsonSchema/generateJson.ts';
import { textForPattern } from '../../../../../src/service/models/jsonSchema/patternText.ts';
import { JsonChecker } from '../../../../../src/shared/jsonSchema/checkJson.ts';
import type { SchemaNode } from '../../../../../src/shared/jsonSchema/schemaNode.ts';
import './approvedValues.part.ts';
import './limits.part.ts';
import './places.part.ts';

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
    { type: 'object', properties: { kind: { oneOf: [{ const: 'x' }, { const: 'y' }] } }, required: ['kind'] },
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
    {
      type: 'object',
      properties: { choices: { type: 'array', items: { type: 'string', enum: ['one', 'three'] } } },
      required: ['choices'],
    },
    {
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2, maxItems: 2 },
      },
      required: ['pair'],
    },
    {
      type: 'object',
      properties: { __proto__x: { type: 'string' }, constructor: { type: 'string' } },
      required: ['constructor'],
    },
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
    assert.deepEqual(
      generateJson(
        {
          type: 'object',
          properties: {
            a: { type: 'string' },
            n: { type: 'integer' },
            l: { type: 'array', items: { type: 'string' } },
          },
          required: ['a'],
        },
        plainSource,
      )?.value,
      { a: 'about a', n: 7, l: ['one', 'two'] },
    );
  });

  it('tells the source the description of what it is asked for', () => {
    const asked: unknown[] = [];
    const noting: ValueSource = {
      ...plainSource,
      text: (name, description) => {
        asked.push([name, description]);
        return name;
      },
    };
    const properties = { a: { type: 'string', description: 'The city' }, b: { type: 'string', description: 5 } };
    generateJson({ type: 'object', properties, required: ['a', 'b'] }, noting);
    assert.deepEqual(asked, [
      ['a', 'The city'],
      ['b', ''],
    ]);
  });

  it('gives nothing where nothing fits', () => {
    assert.equal(generateJson({ type: 'string', minLength: 5, maxLength: 2 }, plainSource), undefined);
    assert.equal(generateJson(false, plainSource), undefined);
  });

  it('has a text for each format, also where the source has none that fits', () => {
    const formats = ['date', 'time', 'date-time', 'duration', 'email', 'uuid', 'ipv4', 'ipv6', 'uri', 'hostname'];
    for (const format of formats) {
      const schema = { type: 'string', format };
      const value = generateJson(schema, silentSource)?.value;
      assert.ok(typeof value === 'string' && value !== '', format);
      assert.equal(told(value, schema), undefined, format);
    }
    assert.equal(
      generateJson({ type: 'string', format: 'date' }, { ...silentSource, text: () => '2020-02-29' })?.value,
      '2020-02-29',
    );
    assert.equal(generateJson({ type: 'string', format: 'date' }, plainSource)?.value, '2026-01-31');
  });

  it('chooses what the source says among the values, else the first', () => {
    const schema = { type: 'string', enum: ['red', 'green'] };
    assert.equal(
      generateJson(schema, { ...silentSource, text: (_name, _description, { choices }) => choices?.[1] })?.value,
      'green',
    );
    for (const source of [plainSource, silentSource]) assert.equal(generateJson(schema, source)?.value, 'red');
  });

  it('keeps numbers within their bounds and on their steps', () => {
    const number = (schema: object, found: number | undefined): unknown =>
      generateJson({ type: 'number', ...schema }, { ...silentSource, number: () => found })?.value;
    assert.deepEqual(
      [
        number({ minimum: 10 }, 7),
        number({ maximum: 5 }, 7),
        number({ minimum: 1, maximum: 9 }, 7),
        number({}, undefined),
      ],
      [10, 5, 7, 0],
    );
    assert.deepEqual(
      [
        number({ multipleOf: 0.1 }, 0.26),
        number({ multipleOf: 5, minimum: 11 }, 7),
        number({ multipleOf: 5, maximum: 9 }, 9),
      ],
      [0.3, 15, 5],
    );
    assert.deepEqual(
      [number({ exclusiveMinimum: 0, exclusiveMaximum: 0.5 }, 7), number({ exclusiveMinimum: 7 }, 7)],
      [0.25, 7.5],
    );
  });

  it('writes texts as long as they may be', () => {
    const text = (schema: object, found: string | undefined): unknown =>
      generateJson({ type: 'string', ...schema }, { ...silentSource, text: () => found })?.value;
    assert.deepEqual(
      [text({ maxLength: 3 }, 'abcdef'), text({ minLength: 5 }, 'abc'), text({ minLength: 2, maxLength: 4 }, 'abc')],
      ['abc', 'abc..', 'abc'],
    );
    assert.equal(text({ pattern: '^[a-z]+$' }, 'Take this 12'), 'this');
    // As JSON Schema counts them: a sign of two code units is one character.
    assert.deepEqual([text({ maxLength: 2 }, '😀😁😂'), text({ minLength: 3 }, '😀😁')], ['😀😁', '😀😁.']);
  });

  it('writes each entry of a list once where that is asked for', () => {
    const source = { ...silentSource, text: () => 'same' };
    assert.deepEqual(
      generateJson({ type: 'array', items: { type: 'string' }, minItems: 3, uniqueItems: true }, source)?.value,
      ['same', 'same 2', 'same 3'],
    );
    assert.deepEqual(generateJson({ type: 'array', items: { type: 'string' }, minItems: 2 }, source)?.value, [
      'same',
      'same',
    ]);
    assert.deepEqual(generateJson({ type: 'array', items: { type: 'string' }, maxItems: 1 }, plainSource)?.value, [
      'one',
    ]);
  });

  it('tells the type by what else is asked', () => {
    const value = (schema: object): unknown => generateJson(schema as SchemaNode, silentSource)?.value;
    assert.deepEqual(
      [
        value({ minimum: 3 }),
        value({ maximum: -2 }),
        value({ exclusiveMinimum: 1 }),
        value({ exclusiveMaximum: 0 }),
        value({ multipleOf: 5, minimum: 1 }),
      ],
      [3, -2, 1.5, -0.5, 5],
    );
    assert.deepEqual(
      [value({ required: ['a'] }), value({ properties: { a: { const: 1 } } }), value({ minProperties: 1 })],
      [{ a: '' }, { a: 1 }, { key1: '' }],
    );
    assert.deepEqual(
      [
        value({ items: { const: 2 } }),
        value({ prefixItems: [{ const: 1 }] }),
        value({ contains: { const: 3 } }),
        value({ minItems: 1, items: { const: 4 } }),
      ],
      [[2], [1], [3], [4]],
    );
    assert.deepEqual(
      [value({ type: ['null', 'integer'] }), value({ type: 'null' }), value({ type: 'boolean' })],
      [0, null, false],
    );
  });

  it('takes the stricter of two limits, and both lists of what is required', () => {
    const all = (...parts: object[]): unknown => generateJson({ allOf: parts } as SchemaNode, silentSource)?.value;
    assert.deepEqual(
      [
        all({ type: 'integer', minimum: 3 }, { minimum: 5 }),
        all({ type: 'integer', maximum: -3 }, { type: 'number', maximum: -5 }),
      ],
      [5, -5],
    );
    assert.deepEqual(all({ type: 'string', minLength: 2 }, { minLength: 4 }), '....');
    assert.deepEqual(
      all(
        { type: 'object', properties: { a: { minimum: 1 } }, required: ['a'] },
        { properties: { a: { type: 'integer' }, b: { const: 2 } }, required: ['b'] },
      ),
      { a: 1, b: 2 },
    );
    assert.deepEqual(all({ type: 'array', minItems: 1, items: { type: 'integer' } }, { items: { minimum: 7 } }), [7]);
    assert.equal(all({ type: 'string' }, { type: 'integer' }), undefined);
    assert.equal(all({ type: 'string' }, false as unknown as object), undefined);
  });

  it('names properties as they may be named', () => {
    const value = (propertyNames: object, count: number): unknown =>
      generateJson(
        { type: 'object', propertyNames, minProperties: count, additionalProperties: { const: 1 } } as SchemaNode,
        silentSource,
      )?.value;
    assert.deepEqual(
      [value({ enum: ['x', 'y', 'z'] }, 2), value({ pattern: '^k_\\d$' }, 1), value({}, 2)],
      [{ x: 1, y: 1 }, { k_1: 1 }, { key1: 1, key2: 1 }],
    );
  });

  it('refuses a schema that is larger than any answer, instead of writing it', () => {
    assert.equal(generateJson({ type: 'array', items: { type: 'string' }, minItems: 6000 }, plainSource), undefined);
    const wide = {
      type: 'array',
      prefixItems: Array.from({ length: 200 }, () => ({ type: 'array', items: { type: 'string' }, minItems: 50 })),
      minItems: 200,
    };
    assert.equal(generateJson(wide, plainSource), undefined);
  });
});

describe('textForPattern', () => {
  it('gives a text that the pattern takes', () => {
    for (const pattern of [
      '^[A-Z]{3}-\\d{4}$',
      '^(a|b)+c?$',
      '^\\w{2,4}@[a-z]+\\.com$',
      '^[^a-z]$',
      'x*',
      '^(?:ab){2}$',
      '^\\s\\S\\.$',
    ]) {
      const text = textForPattern(pattern);
      assert.match(text, new RegExp(pattern, 'u'), pattern);
    }
  });

  it('is found where the pattern takes any character at all', () =>
    assert.deepEqual(generateJson({ type: 'string', pattern: '^x[^]$' }, silentSource), { value: 'xa' }));

  it('takes the first of several, and the least that may be repeated', () => {
    const texts: [pattern: string, text: string][] = [
      ['^[A-Z]{3}-\\d{4}$', 'AAA-1111'],
      ['x*y+z?', 'xyz'],
      ['(a|b)c|d', 'ac'],
      ['[^a-z]', '1'],
      ['[^\\w]', '-'],
      ['\\p{Lu}\\p{N}\\p{L}\\P{L}', 'A1aa'],
      ['(?=x)y(?!z)', 'y'],
      ['(?<name>z)(?:w)', 'zw'],
      ['a.b\\.c\\/', 'aab.c/'],
      ['[\\d]\\D\\W\\s\\S\\t', '1a- a\t'],
      ['\\bword\\b', 'word'],
      ['a{2,5}b{0}', 'aa'],
      ['(a', 'a'],
      ['(b?:c)', 'b:c'],
      ['\\p{Nd}', '1'],
      ['\\p{L', 'a'],
      ['x\\p', 'xa'],
      ['[\\b1]', '1'],
      ['[^a1A\\-_ !]', ''],
      ['[^a1A]+z', '-z'],
      ['[]a', 'a'],
      ['[^]b', 'ab'],
      ['[^]]', 'a]'],
      ['(?!a)(?<!b)(?<=c)d', 'd'],
      ['a??b+?c*+', 'abc'],
      ['a{3,}', 'aaa'],
      ['a{,3}', 'a{,3}'],
      ['a|', 'a'],
      ['|a', ''],
      ['a)b', 'a'],
      ['\\n\\r\\q\\', '\n\rq'],
      ['', ''],
    ];
    for (const [pattern, text] of texts) assert.equal(textForPattern(pattern), text, pattern);
    assert.equal(textForPattern('((a{50}){50}){4}b'), 'a'.repeat(10_000));
    assert.equal(textForPattern('((a{50}){50}){4}b?').length, 10_000);
    assert.deepEqual([textForPattern('a{64}').length, textForPattern('a{65}').length], [64, 64]);
    assert.deepEqual([textForPattern('a{500}').length, textForPattern('((a{64}){64}){64}b')], [64, 'b']);
  });
});
