import assert from 'node:assert/strict';
import { describeParameters, type ParameterField } from '../../../src/chat/parameterForm.ts';

describe('the form of any schema', () => {
  const own: ParameterField = { name: 'system', kind: 'text', description: 'Own.' };
  const described = (properties: Record<string, object>, $defs?: object): ParameterField[] =>
    describeParameters({ properties, $defs }, own);
  const only = (property: object, name = 'x', $defs?: object): Partial<ParameterField> => {
    const { name: _name, ...field } = described({ [name]: property }, $defs).find((each) => each.name === name)!;
    return field;
  };

  it('has what is changed most often first, what it does not know last, and nothing that is typed elsewhere', () => {
    const names =
      'zeta messages n top_k prompt tool_choice max_tokens alpha input stop top_p temperature instruction each_line tools stream';
    const properties = Object.fromEntries(names.split(' ').map((name) => [name, { type: 'string' }]));
    assert.deepEqual(
      described(properties).map(({ name }) => name),
      'system each_line instruction temperature max_tokens top_p top_k stop n stream tools tool_choice zeta alpha'.split(
        ' ',
      ),
    );
    assert.equal(described(properties)[0], own);
    assert.deepEqual(describeParameters({}, own), [own]);
  });

  for (const [what, property, field] of [
    ['a number with limits', { type: 'number', minimum: 0, maximum: 2 }, { kind: 'number', minimum: 0, maximum: 2 }],
    [
      'one above its limit',
      { type: 'number', exclusiveMinimum: 0 },
      { kind: 'number', minimum: 0, aboveMinimum: true },
    ],
    [
      'a whole number without real limits',
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { kind: 'integer' },
    ],
    ['a whole number', { type: 'integer', minimum: 1, maximum: 9 }, { kind: 'integer', minimum: 1, maximum: 9 }],
    ['a switch', { type: 'boolean', default: false }, { kind: 'boolean', defaultText: 'false' }],
    ['a text', { type: 'string', minimum: 1, default: '' }, { kind: 'text', defaultText: '' }],
    ['a number that is 0', { type: 'number', default: 0 }, { kind: 'number', defaultText: '0' }],
    ['no default', { type: 'number', default: null }, { kind: 'number' }],
    ['a choice', { type: 'string', enum: ['a', 'b', 5] }, { kind: 'choice', options: ['a', 'b'] }],
    ['a choice in branches', { anyOf: [{ const: 'a' }, { enum: ['b'] }] }, { kind: 'choice', options: ['a', 'b'] }],
    ['a choice or nothing', { anyOf: [{ type: 'null' }, { const: 'a' }] }, { kind: 'choice', options: ['a'] }],
    ['words or a choice of them', { anyOf: [{ const: 'a' }, { type: 'string' }] }, { kind: 'text' }],
    ['one text or several', { anyOf: [{ type: 'string' }, { type: 'array' }] }, { kind: 'lines' }],
    ['a list', { type: 'array' }, { kind: 'json' }],
    ['an object', { type: 'object', default: { a: 1 } }, { kind: 'json', defaultText: '{"a":1}' }],
    ['an object by its fields', { properties: { a: {} } }, { kind: 'json' }],
    ['what is not said', {}, { kind: 'json' }],
    ['types in a list', { type: ['integer', 'null'] }, { kind: 'integer' }],
    [
      'what may be left out',
      { anyOf: [{ type: 'null' }, { type: 'boolean', default: true }] },
      { kind: 'boolean', defaultText: 'true' },
    ],
    [
      'one of several',
      { oneOf: [{ type: 'integer', maximum: 4 }, { type: 'null' }], default: 2 },
      { kind: 'integer', maximum: 4, defaultText: '2' },
    ],
  ] as const)
    it(`knows ${what}`, () => assert.deepEqual(only(property), { description: '', ...field }));

  it('follows references, and goes round no circle', () => {
    const $defs = {
      a: { anyOf: [{ $ref: '#/$defs/b' }, { type: 'null' }] },
      b: { type: 'integer', minimum: 3 },
      c: { anyOf: [{ $ref: '#/$defs/c' }] },
    };
    assert.deepEqual(only({ $ref: '#/$defs/a' }, 'x', $defs), { kind: 'integer', description: '', minimum: 3 });
    assert.equal(only({ $ref: '#/$defs/c' }, 'x', $defs).kind, 'json');
    assert.equal(only({ $ref: '#/$defs/none' }, 'x', $defs).kind, 'json');
  });
});
