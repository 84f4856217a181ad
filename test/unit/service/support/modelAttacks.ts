import { nearlyTenMb, type Attack } from './attack.ts';

const guide = '/serving-endpoints/guide/invocations';
const completion = '/serving-endpoints/guide-completion/invocations';
const embedding = '/serving-endpoints/guide-embedding/invocations';

const messages = [{ role: 'user', content: 'What is max_retries?' }];
const chat = (title: string, more: () => object, answers?: readonly number[]): Attack => ({
  title,
  path: guide,
  body: () => JSON.stringify({ stream: false, messages, ...more() }),
  answers,
});
const complete = (title: string, more: () => object, answers?: readonly number[]): Attack => ({
  title,
  path: completion,
  body: () => JSON.stringify({ stream: false, ...more() }),
  answers,
});
const embed = (title: string, more: () => object, answers?: readonly number[]): Attack => ({
  title,
  path: embedding,
  body: () => JSON.stringify(more()),
  answers,
});

const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const named = (count: number, value: (index: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`p${index}`, value(index)]));
const self = { $ref: '#' };
const place = (name: string | number): object => ({ $ref: `#/$defs/${name}` });
const orNull = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });
const required = (properties: object): object => ({ type: 'object', properties, required: Object.keys(properties) });
/** Each of so many places asks for the next one so many times. */
const chain = (length: number, step: (next: object) => object): object => ({
  ...place(0),
  $defs: Object.fromEntries([
    ...Array.from({ length }, (_unused, index) => [index, step(place(index + 1))]),
    [length, { type: 'string' }],
  ]),
});

/** Schemas that have a value, which is found, and those that have none, or none that is found, and are refused. */
const schemas: readonly (readonly [title: string, schema: object, answer: number])[] = [
  [
    'a binary tree',
    { ...place('node'), $defs: { node: required({ left: orNull(place('node')), right: orNull(place('node')) }) } },
    200,
  ],
  [
    'operators or numbers',
    { anyOf: [required({ op: { type: 'string' }, left: self, right: self }), { type: 'number' }] },
    200,
  ],
  ['a map of itself', { type: 'object', additionalProperties: self, minProperties: 3 }, 400],
  [
    'a map of itself or of texts',
    { type: 'object', additionalProperties: { anyOf: [self, { type: 'string' }] }, minProperties: 3 },
    200,
  ],
  ['twelve references to itself or null', required(named(12, () => orNull(self))), 200],
  [
    'two places that ask for each other',
    {
      ...place('a'),
      $defs: {
        a: required({ b: { type: 'array', items: place('b'), minItems: 2 } }),
        b: required({ a: orNull(place('a')), c: orNull(place('b')) }),
      },
    },
    200,
  ],
  [
    'two places that ask for each other for ever',
    { ...place('a'), $defs: { a: required({ b: place('b') }), b: required({ a: place('a') }) } },
    400,
  ],
  ['40 places, each twice the next', chain(40, (next) => required({ x: next, y: next })), 400],
  [
    '40 places, each perhaps twice the next',
    chain(40, (next) => ({ type: 'object', properties: { x: next, y: next } })),
    200,
  ],
  ['a list of three of itself', { type: 'array', items: self, minItems: 3 }, 400],
  ['not itself', { not: self }, 400],
  ['all of itself', { allOf: [self, self] }, 400],
  ['a thousand million items', { type: 'array', items: { type: 'string' }, minItems: 1e9 }, 400],
  ['a thousand million characters', { type: 'string', minLength: 1e9 }, 400],
  ['a thousand million properties', { type: 'object', minProperties: 1e9 }, 400],
  ['multiples of hardly anything', { type: 'number', multipleOf: 1e-300, minimum: 1e300 }, 400],
  ['9,000 values of an enum', { enum: Array.from({ length: 9000 }, (_unused, index) => `v${index}`) }, 200],
  ['keywords of other types', { type: 5, anyOf: {}, enum: 3, properties: [], required: {}, pattern: 7 }, 400],
  ['24 choices, each twice the next', chain(24, (next) => ({ anyOf: [next, next] })), 400],
  ['a pattern that tries every split', { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', minLength: 60 }, 400],
  ['a pattern that repeats repetitions', { type: 'string', pattern: '^((((a{64}){64}){64}){64}){64}$' }, 400],
  [
    'names by a pattern',
    {
      type: 'object',
      propertyNames: { pattern: '^(a+)+$' },
      patternProperties: { '^(b+)+$': { type: 'string' } },
      minProperties: 1,
    },
    200,
  ],
];

/** Requests to models that would keep a service busy which did all of its work in its event loop. */
export const modelAttacks: readonly Attack[] = [
  ...schemas.map(([title, schema, answer]) =>
    chat(
      `a schema of ${title}`,
      () => ({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
      [answer],
    ),
  ),
  chat('a function with a schema of itself', () => ({
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters: required({ a: orNull(place('a')) }) } },
    ],
    tool_choice: 'required',
  })),
  chat(
    'a function whose property is named by a pattern',
    () => ({
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: required({ '(a+)+$': { type: 'boolean' } }) },
        },
      ],
      tool_choice: 'required',
    }),
    [200],
  ),
  chat(
    'a function whose property is named by half a pattern',
    () => ({
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            description: 'd',
            parameters: required({ '([': { type: 'boolean' }, '*': { type: 'integer' } }),
          },
        },
      ],
      tool_choice: 'required',
    }),
    [200],
  ),
  chat('a message of one character', () => ({ messages: [{ role: 'user', content: 'a'.repeat(nearlyTenMb) }] }), [400]),
  chat('a message of spaces', () => ({ messages: [{ role: 'user', content: `what${' '.repeat(nearlyTenMb)}is it` }] })),
  chat('a message of line ends', () => ({ messages: [{ role: 'user', content: '\n'.repeat(nearlyTenMb / 2 - 100) }] })),
  chat('a message of back quotes', () => ({ messages: [{ role: 'user', content: '`'.repeat(30_000) }] })),
  chat('a message of digits', () => ({ messages: [{ role: 'user', content: '1'.repeat(200_000) }] })),
  chat('100,000 messages', () => ({ messages: repeat(100_000, messages[0]) }), [400]),
  chat('many messages', () => ({ messages: repeat(3000, { role: 'user', content: 'x' }) })),
  chat(
    '100,000 parts',
    () => ({ messages: [{ role: 'user', content: repeat(100_000, { type: 'text', text: 'x' }) }] }),
    [400],
  ),
  chat('100,000 stop sequences', () => ({ stop: repeat(100_000, 'x') }), [400]),
  chat('many wrong messages', () => ({ messages: repeat(3000, { role: 'nobody', content: 5 }) }), [400]),
  chat('very many choices', () => ({ n: 2_000_000_000 }), [400]),
  {
    title: 'a number of nine million digits',
    path: guide,
    body: () => `{"n": ${'9'.repeat(9_000_000)}}`,
    answers: [400],
  },
  {
    title: 'lists nested 100,000 deep',
    path: guide,
    body: () => `{"messages": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    answers: [400],
  },
  {
    title: 'five million empty lists',
    path: guide,
    body: () => `{"messages": [${'[],'.repeat(3_000_000)}[]]}`,
    answers: [400],
  },
  {
    title: 'a model of a very long name',
    path: '/serving-endpoints/chat/completions',
    body: () => JSON.stringify({ model: 'm'.repeat(nearlyTenMb), messages }),
    answers: [404],
  },
  {
    title: 'an endpoint of very many entities',
    path: '/api/2.0/serving-endpoints',
    body: () =>
      JSON.stringify({
        name: 'many',
        config: {
          served_entities: Array.from({ length: 3000 }, (_unused, index) => ({
            name: `e${index}`,
            entity_name: 'guide',
          })),
        },
      }),
    answers: [400],
  },
  complete('a prompt of one character', () => ({ prompt: 'a'.repeat(nearlyTenMb) }), [400]),
  complete(
    'a prompt of one character, cut',
    () => ({ prompt: 'a'.repeat(nearlyTenMb), error_behavior: 'truncate' }),
    [200],
  ),
  complete('1,000 prompts', () => ({ prompt: repeat(1000, 'What is max_retries?') }), [200]),
  complete('5,000 prompts', () => ({ prompt: repeat(5000, 'What is max_retries?') }), [400]),
  complete('a long suffix', () => ({ prompt: repeat(100, 'x'), suffix: 's'.repeat(1_000_000) }), [400]),
  embed('an input of one character', () => ({ input: 'a'.repeat(nearlyTenMb) })),
  embed('2,000 inputs', () => ({ input: repeat(2000, 'What is max_retries?') }), [200]),
  embed('20,000 inputs', () => ({ input: repeat(20_000, 'What is max_retries?') }), [400]),
];
