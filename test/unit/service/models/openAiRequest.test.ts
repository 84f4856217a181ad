import assert from 'node:assert/strict';
import { fromOpenAi, taskOfRoute } from '../../../../src/service/models/modelRouter.ts';

const system = (content: unknown): object => ({ role: 'system', content });
const user = { role: 'user', content: 'Hi' };
const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } };

describe('a request of the chat-completion format', () => {
  it('is of the task of its route', () =>
    assert.deepEqual(taskOfRoute, { 'chat/completions': 'chat', completions: 'completion', embeddings: 'embedding' }));

  for (const body of [undefined, null, 'text', 7, [], [{}]])
    it(`is refused where it is ${JSON.stringify(body)}`, () =>
      assert.throws(() => fromOpenAi('completions', body), /The body must be a JSON object\./));

  for (const model of [undefined, '', 7, null])
    it(`is refused where its model is ${JSON.stringify(model)}`, () =>
      assert.throws(() => fromOpenAi('completions', { model }), /model is required: it names the serving endpoint\./));

  for (const [what, sent, taken] of [
    ['its length', { max_completion_tokens: 5 }, { max_tokens: 5 }],
    ['the length that it names itself', { max_completion_tokens: 5, max_tokens: 7 }, { max_tokens: 7 }],
    ['all else', { temperature: 0, stop: ['a'], x: { y: 1 } }, { temperature: 0, stop: ['a'], x: { y: 1 } }],
    [
      'what developers say',
      { messages: [{ role: 'developer', content: 'a' }, user] },
      { messages: [system('a'), user] },
    ],
    [
      'the rules at its beginning as one, as text',
      { messages: [system('a'), { role: 'developer', content: [{ type: 'text', text: 'b' }] }, user, system('c')] },
      { messages: [system('a\n\nb'), user, system('c')] },
    ],
    ['nothing but rules', { messages: [system('a'), system('b')] }, { messages: [system('a\n\nb')] }],
    [
      'one rule as it is',
      { messages: [system([{ type: 'text', text: 'a' }]), user] },
      { messages: [system([{ type: 'text', text: 'a' }]), user] },
    ],
    ['what is no message', { messages: ['x', null, user] }, { messages: ['x', null, user] }],
    ['what is no list', { messages: 'x', tools: {} }, { messages: 'x', tools: {} }],
    [
      'an empty text beside calls as none',
      {
        messages: [
          { role: 'assistant', content: '', tool_calls: [call] },
          { role: 'assistant', content: null, tool_calls: [call] },
        ],
      },
      {
        messages: [
          { role: 'assistant', tool_calls: [call] },
          { role: 'assistant', tool_calls: [call] },
        ],
      },
    ],
    [
      'a text beside calls, and an empty one beside none',
      {
        messages: [
          { role: 'assistant', content: 'a', tool_calls: [call] },
          { role: 'assistant', content: '', tool_calls: [] },
        ],
      },
      {
        messages: [
          { role: 'assistant', content: 'a', tool_calls: [call] },
          { role: 'assistant', content: '', tool_calls: [] },
        ],
      },
    ],
    [
      'functions without a description',
      {
        tools: [
          { type: 'function', function: { name: 'f' } },
          { type: 'function', function: { name: 'g', description: 'd' } },
          'x',
          {},
        ],
      },
      {
        tools: [
          { type: 'function', function: { name: 'f', description: '' } },
          { type: 'function', function: { name: 'g', description: 'd' } },
          'x',
          {},
        ],
      },
    ],
    ['no functions', { tools: [] }, {}],
  ] as const)
    it(`keeps ${what}`, () =>
      assert.deepEqual(fromOpenAi('chat/completions', { model: 'm', ...sent }), { endpoint: 'm', body: taken }));

  it('of another route is left as it is, but for its length', () =>
    assert.deepEqual(
      fromOpenAi('embeddings', { model: 'm', messages: [{ role: 'developer' }], tools: [], max_completion_tokens: 1 }),
      {
        endpoint: 'm',
        body: { messages: [{ role: 'developer' }], tools: [], max_tokens: 1 },
      },
    ));
});
