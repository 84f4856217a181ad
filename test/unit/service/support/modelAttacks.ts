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
  ['a map of itself', { type: 'object', additionalProperties: self, minProperties: 3 }, 400],
  [
    'two places that ask for each other for ever',
    { ...place('a'), $defs: { a: required({ b: place('b') }), b: required({ a: place('a') }) } },
    400,
  ],
  ['40 places, each twice the next', chain(40, (next) => required({ x: next, y: next })), 400],
  ['a thousand million items', { type: 'array', items: { type: 'string' }, minItems: 1e9 }, 400],
  ['9,000 values of an enum', { enum: Array.from({ length: 9000 }, (_unused, index) => `v${index}`) }, 200],
  ['24 choices, each twice the next', chain(24, (next) => ({ anyOf: [next, next] })), 400],
  ['a pattern that tries every split', { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', minLength: 60 }, 400],
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
  chat('a message of one character', () => ({ messages: [{ role: 'user', content: 'a'.repeat(nearlyTenMb) }] }), [400]),
  chat('a message of back quotes', () => ({ messages: [{ role: 'user', content: '`'.repeat(30_000) }] })),
  chat('100,000 messages', () => ({ messages: repeat(100_000, messages[0]) }), [400]),
  chat(
    '100,000 parts',
    () => ({ messages: [{ role: 'user', content: repeat(100_000, { type: 'text', text: 'x' }) }] }),
    [400],
  ),
  chat('100,000 stop sequences', () => ({ stop: repeat(100_000, 'x') }), [400]),
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
  complete('a prompt of one character', () => ({ prompt: 'a'.repeat(nearlyTenMb) }), [400]),
  complete('1,000 prompts', () => ({ prompt: repeat(1000, 'What is max_retries?') }), [200]),
  complete('a long suffix', () => ({ prompt: repeat(100, 'x'), suffix: 's'.repeat(1_000_000) }), [400]),
  embed('an input of one character', () => ({ input: 'a'.repeat(nearlyTenMb) })),
  embed('20,000 inputs', () => ({ input: repeat(20_000, 'What is max_retries?') }), [400]),
];
