import assert from 'node:assert/strict';
import { checkParameters, parameterFields } from '../../../src/chat/chatParameters.ts';
import { pickParameter, responseFormatOf } from '../../../src/chat/parameterFile.ts';
import { describeParameters, type ParameterField } from '../../../src/chat/parameterForm.ts';
import { closeChats } from './openedChat.ts';

describe('request parameters', () => {
  it('are checked, with one error per line and a remedy', () => {
    assert.deepEqual(checkParameters({ temperature: 9, max_tokens: 0 }), {
      kind: 'invalid',
      message: 'max_tokens: must be at least 1, not 0.\ntemperature: must be at most 2, not 9.',
      remedy: 'Correct the value or leave the field empty.',
    });
    assert.equal(checkParameters({ echo: 'x' }, 'completion')?.message.split(':')[0], 'echo');
    assert.equal(checkParameters({ instruction: 1 }, 'embedding')?.message.split(':')[0], 'instruction');
  });
});

describe('parameter fields of a request', () => {
  const fields = new Map(parameterFields().map((field) => [field.name, field]));

  it('have their kinds, limits and defaults from the schema', () => {
    const pick = (name: string): unknown => {
      const { kind, minimum, aboveMinimum, maximum, defaultText } = fields.get(name) ?? {};
      return [kind, minimum, aboveMinimum, maximum, defaultText];
    };
    assert.deepEqual(pick('temperature'), ['number', 0, undefined, 2, '1']);
    assert.deepEqual(pick('top_p'), ['number', 0, true, 1, '1']);
    assert.deepEqual(pick('max_tokens'), ['integer', 1, undefined, undefined, undefined]);
    assert.deepEqual(pick('top_logprobs'), ['integer', 0, undefined, 20, undefined]);
    assert.deepEqual(pick('logprobs'), ['boolean', undefined, undefined, undefined, 'false']);
    assert.deepEqual(
      ['stop', 'response_format', 'tools', 'tool_choice', 'stream'].map((name) => fields.get(name)?.kind),
      ['lines', 'json', 'json', 'json', 'boolean'],
    );
  });

  it('are checked by the rules of the request', () => {
    assert.equal(checkParameters({ system: 'x', temperature: 2, n: 3, stop: ['a'] }), undefined);
    assert.match(checkParameters({ temperature: 3 })?.message ?? '', /^temperature: /);
    assert.match(
      checkParameters({ temperature: 3, top_p: 7, max_tokens: 0, n: 1 })?.message ?? '',
      /^max_tokens: .*\ntemperature: .*\ntop_p: [^\n]*$/,
    );
    assert.match(checkParameters({ top_logprobs: 3 })?.message ?? '', /logprobs/);
  });

  it('follow the task of the endpoint', () => {
    const names = (task: 'completion' | 'embedding'): string[] => parameterFields(task).map(({ name }) => name);
    assert.deepEqual(
      new Set(names('completion')),
      new Set(
        'each_line temperature max_tokens top_p top_k stop n stream error_behavior suffix echo use_raw_prompt'.split(
          ' ',
        ),
      ),
    );
    assert.deepEqual(names('embedding'), ['whole_text', 'instruction']);
    const behaviour = parameterFields('completion').find(({ name }) => name === 'error_behavior');
    assert.deepEqual([behaviour?.kind, behaviour?.options], ['choice', ['truncate', 'error']]);
    assert.equal(checkParameters({ echo: true, suffix: '!', each_line: true }, 'completion'), undefined);
    assert.match(checkParameters({ n: 0, top_k: 0 }, 'completion')?.message ?? '', /^top_k: .*\nn: /);
    assert.match(checkParameters({ instruction: 3 }, 'embedding')?.message ?? '', /^instruction: /);
  });
});

describe('instructions from a file', () => {
  it('become the system prompt as they are', async () => {
    const file = { name: 'AGENTS.md', text: '# Be brief\n' };
    const editor = { pickTextFile: async () => file, pickSeveral: async () => undefined };
    assert.equal(await pickParameter('system', editor), file.text);
  });
});

describe('a response format from a file', () => {
  const file = (value: unknown, name = 'invoice.schema.json'): { name: string; text: string } => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value),
  });

  afterEach(closeChats);

  it('wraps a schema and is named after its title or its file', () => {
    const schema = { type: 'object' };
    const named = (name: string, inner: object = schema): unknown => ({
      type: 'json_schema',
      json_schema: { name, schema: inner },
    });
    assert.deepEqual(responseFormatOf(file(schema)), named('invoice'));
    assert.deepEqual(responseFormatOf(file(`\uFEFF{"type":"object"}`, 'a b.JSON')), named('a_b'));
    const titled = { ...schema, title: 'An "invoice"' };
    assert.deepEqual(responseFormatOf(file(titled)), named('An__invoice_', titled));
    assert.deepEqual(responseFormatOf(file({ name: 'x', schema, strict: true })), {
      type: 'json_schema',
      json_schema: { name: 'x', schema, strict: true },
    });
    assert.deepEqual(responseFormatOf(file(named('whole'))), named('whole'));
    for (const wrong of [[], 'null', '"text"', '{'])
      assert.throws(() => responseFormatOf(file(wrong)), /invoice\.schema\.json (?:is not a JSON Schema|is not JSON)/);
  });
});

describe('describeParameters', () => {
  const own: ParameterField = { name: 'system', kind: 'text', description: 'Own.' };
  const described = (properties: Record<string, object>, $defs?: object): ParameterField[] =>
    describeParameters({ properties, $defs }, own);
  const only = (property: object, name = 'x', $defs?: object): Partial<ParameterField> => {
    const { name: _name, ...field } = described({ [name]: property }, $defs).find((each) => each.name === name)!;
    return field;
  };

  it('leaves out what the prompt provides', () => {
    const properties = { messages: {}, prompt: {}, input: {}, n: { type: 'integer' } };
    assert.deepEqual(
      described(properties).map(({ name }) => name),
      ['system', 'n'],
    );
    assert.deepEqual(describeParameters({}, own), [own]);
  });

  for (const [what, property, field] of [
    ['a number with limits', { type: 'number', minimum: 0, maximum: 2 }, { kind: 'number', minimum: 0, maximum: 2 }],
    [
      'a number above its limit',
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
    ['a single text or several', { anyOf: [{ type: 'string' }, { type: 'array' }] }, { kind: 'lines' }],
    ['a list', { type: 'array' }, { kind: 'json' }],
    ['an object', { type: 'object', default: { a: 1 } }, { kind: 'json', defaultText: '{"a":1}' }],
    ['an object by its fields', { properties: { a: {} } }, { kind: 'json' }],
    ['a field without a type', {}, { kind: 'json' }],
    ['types in a list', { type: ['integer', 'null'] }, { kind: 'integer' }],
    [
      'an optional switch',
      { anyOf: [{ type: 'null' }, { type: 'boolean', default: true }] },
      { kind: 'boolean', defaultText: 'true' },
    ],
    [
      'a nullable number with a limit',
      { oneOf: [{ type: 'integer', maximum: 4 }, { type: 'null' }], default: 2 },
      { kind: 'integer', maximum: 4, defaultText: '2' },
    ],
  ] as const)
    it(`describes ${what}`, () => assert.deepEqual(only(property), { description: '', ...field }));

  it('follows references, but not circular ones', () => {
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
