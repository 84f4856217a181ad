import assert from 'node:assert/strict';
import { createClient, type WorkspaceClient } from '../../../../../src/api/client/index.ts';
import { asChatChunk, asCompletionChunk, wholeAsChatChunk } from '../../../../../src/api/client/inference/chunk.ts';
import { endpointTaskOf } from '../../../../../src/api/schema/inference/endpoints.ts';
import {
  chatRequest,
  completionRequest,
  createEndpointRequest,
  embeddingRequest,
} from '../../../../../src/api/schema/inference/schemas.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import type { Fields } from '../../../../../src/shared/fields.ts';
import { scriptedFetch } from '../../../../support/scriptedFetch.ts';
import { broken, type Schema, times } from '../../brokenRules.ts';
import './inferenceCalls.part.ts';

const user = { role: 'user', content: 'Hi' };
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const asked = { role: 'assistant', tool_calls: [call] };
const said = (...messages: Fields[]): Fields => ({ messages });
const tool = (name: string, properties = 0): Fields => ({
  type: 'function',
  function: {
    name,
    description: 'd',
    parameters: { properties: Object.fromEntries(Array.from({ length: properties }, (_, index) => [`p${index}`, {}])) },
  },
});
const chat = (fields: Fields): Fields => ({ messages: [user], ...fields });
const range = (
  field: string,
  right: readonly unknown[],
  wrong: readonly (readonly [value: unknown, code: string])[],
): [Fields, ...string[]][] => [
  ...right.map((value): [Fields, ...string[]] => [{ [field]: value }]),
  ...wrong.map(([value, code]): [Fields, ...string[]] => [{ [field]: value }, `${field} ${code}`]),
];

const sampling: [Fields, ...string[]][] = [
  ...range(
    'max_tokens',
    [null, 1],
    [
      [0, 'too_small'],
      [1.5, 'invalid_type'],
    ],
  ),
  ...range(
    'temperature',
    [null, 0, 2],
    [
      [-0.01, 'too_small'],
      [2.01, 'too_big'],
    ],
  ),
  ...range(
    'top_p',
    [null, 0.01, 1],
    [
      [0, 'too_small'],
      [1.01, 'too_big'],
    ],
  ),
  ...range(
    'top_k',
    [null, 1],
    [
      [0, 'too_small'],
      [1.5, 'invalid_type'],
    ],
  ),
  ...range(
    'n',
    [null, 1, 128],
    [
      [0, 'too_small'],
      [129, 'too_big'],
    ],
  ),
  ...range('stop', [null, 'a', ['a', 'b'], []], [[5, 'invalid_union']]),
  ...range('stream', [true, false], [['true', 'invalid_type']]),
];

const requests: [schema: Schema, value: Fields, ...problems: string[]][] = [
  ...sampling.flatMap(([fields, ...problems]): [Schema, Fields, ...string[]][] => [
    [chatRequest, chat(fields), ...problems],
    [completionRequest, { prompt: 'p', ...fields }, ...problems],
  ]),
  [chatRequest, said({ role: 'system', content: 's' }, user, { role: 'assistant', content: 'a' }, user)],
  [chatRequest, said(), 'messages too_small'],
  [chatRequest, said(user, { role: 'system', content: 's' }), 'messages[1].role custom'],
  [chatRequest, said({ role: 'robot', content: 's' }), 'messages[0].role invalid_value'],
  [chatRequest, said(user, asked, { role: 'tool', content: 'r', tool_call_id: 'c1' })],
  [chatRequest, said(user, { ...asked, content: '' }, { role: 'tool', content: 'r', tool_call_id: 'c1' })],
  [chatRequest, said(user, { ...asked, content: 'x' }), 'messages[1].content custom'],
  [chatRequest, said(user, { ...asked, content: [{ type: 'text', text: 'x' }] }), 'messages[1].content custom'],
  [chatRequest, said({ ...asked, role: 'user' }), 'messages[0].tool_calls custom'],
  [chatRequest, said({ role: 'assistant', tool_calls: [] }), 'messages[0].content custom'],
  [chatRequest, said({ role: 'user' }), 'messages[0].content custom'],
  [chatRequest, said({ role: 'user', content: null }), 'messages[0].content custom'],
  [chatRequest, said({ role: 'user', content: '' })],
  [chatRequest, said({ role: 'user', content: [] }), 'messages[0].content custom'],
  [chatRequest, said({ role: 'user', content: [{ type: 'text', text: 'x' }] })],
  [chatRequest, said({ role: 'tool', content: 'r', tool_call_id: 'c1' }), 'messages[0].tool_call_id custom'],
  [chatRequest, said({ role: 'tool', content: 'r', tool_call_id: 'c1' }, asked), 'messages[0].tool_call_id custom'],
  [chatRequest, said(user, asked, { role: 'tool', content: 'r' }), 'messages[2].tool_call_id custom'],
  [chatRequest, said({ ...user, tool_call_id: 'c1' }), 'messages[0].tool_call_id custom'],
  [chatRequest, said({ ...user, tool_call_id: '' })],
  [chatRequest, chat({ tools: times(32, 0).map((_, index) => tool(`f${index}`)) })],
  [chatRequest, chat({ tools: times(33, 0).map((_, index) => tool(`f${index}`)) }), 'tools too_big'],
  [chatRequest, chat({ tools: [tool('f', 15)] })],
  [chatRequest, chat({ tools: [tool('f', 16)] }), 'tools[0].function.parameters custom'],
  [chatRequest, chat({ tools: [tool('')] }), 'tools[0].function.name too_small'],
  [chatRequest, chat({ tools: [tool('f'), tool('g'), tool('f')] }), 'tools[2].function.name custom'],
  [
    chatRequest,
    chat({ tools: [{ type: 'retrieval', function: tool('f')['function'] }] }),
    'tools[0].type invalid_value',
  ],
  [chatRequest, chat({ tool_choice: 'auto' }), 'tool_choice custom'],
  [chatRequest, chat({ tool_choice: 'none' })],
  [chatRequest, chat({ tool_choice: null })],
  [chatRequest, chat({ tools: [tool('f')], tool_choice: 'required' })],
  [chatRequest, chat({ tools: [tool('f')], tool_choice: { type: 'function', function: { name: 'f' } } })],
  [
    chatRequest,
    chat({ tools: [tool('f')], tool_choice: { type: 'function', function: { name: 'g' } } }),
    'tool_choice.function.name custom',
  ],
  [chatRequest, chat({ response_format: { type: 'json_object' } })],
  [chatRequest, chat({ response_format: { type: 'json_schema' } }), 'response_format.json_schema custom'],
  [chatRequest, chat({ response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } } })],
  [
    chatRequest,
    chat({ response_format: { type: 'json_schema', json_schema: { name: '', schema: {} } } }),
    'response_format.json_schema.name too_small',
  ],
  [chatRequest, chat({ response_format: { type: 'xml' } }), 'response_format.type invalid_value'],
  [chatRequest, chat({ logprobs: true, top_logprobs: 0 })],
  [chatRequest, chat({ logprobs: true, top_logprobs: 20 })],
  [chatRequest, chat({ logprobs: true, top_logprobs: 21 }), 'top_logprobs too_big'],
  [chatRequest, chat({ logprobs: true, top_logprobs: -1 }), 'top_logprobs too_small'],
  [chatRequest, chat({ top_logprobs: 0 }), 'top_logprobs custom'],
  [chatRequest, chat({ logprobs: false, top_logprobs: 1 }), 'top_logprobs custom'],
  [chatRequest, chat({ top_logprobs: null })],
  [completionRequest, {}, 'prompt invalid_union'],
  [completionRequest, { prompt: [] }, 'prompt too_small'],
  [completionRequest, { prompt: times(1000, 'p'), n: 4 }],
  [completionRequest, { prompt: times(1000, 'p'), n: 5 }, 'n custom'],
  [completionRequest, { prompt: times(1001, 'p') }, 'prompt too_big'],
  [completionRequest, { prompt: 'p', error_behavior: 'truncate', suffix: null, echo: null, use_raw_prompt: true }],
  [completionRequest, { prompt: 'p', error_behavior: 'ignore' }, 'error_behavior invalid_value'],
  [embeddingRequest, { input: '' }],
  [embeddingRequest, { input: times(2048, 'a'), instruction: null }],
  [embeddingRequest, { input: times(2049, 'a') }, 'input too_big'],
  [embeddingRequest, { input: [] }, 'input too_small'],
  [createEndpointRequest, { name: 'a'.repeat(63), config: { served_entities: [{}], other: 1 } }],
  [createEndpointRequest, { name: 'a'.repeat(64) }, 'name invalid_format'],
  [createEndpointRequest, { name: '-a' }, 'name invalid_format'],
  [createEndpointRequest, { name: 'a/b' }, 'name invalid_format'],
];

describe('requests of the three tasks', () => {
  for (const [schema, value, ...problems] of requests) {
    it(`${JSON.stringify(value).slice(0, 110)}: ${problems.join(', ') || 'right'}`, () =>
      assert.deepEqual(broken(schema, value), problems));
  }

  const post = 'POST /serving-endpoints/my%20model/invocations';
  const wire: [sent: string, answer: string, call: (client: WorkspaceClient) => Promise<unknown>, value: unknown][] = [
    [
      `${post} {"messages":[{"role":"user","content":"Hi"}],"stream":false}`,
      '{"choices":[{"message":{"content":"Yo"}}]}',
      (client) => client.inference.chat('my model', { messages: [{ role: 'user', content: 'Hi' }], stream: true }),
      { choices: [{ message: { content: 'Yo' } }] },
    ],
    [
      `${post} {"prompt":"p","stream":false}`,
      '{"choices":[{"text":"x","index":"1"}]}',
      (client) => client.inference.complete('my model', { prompt: 'p' }),
      { choices: [{ text: 'x', index: 1 }] },
    ],
    [
      `${post} {"input":"a"}`,
      '{"data":[{"embedding":[1,2]}]}',
      (client) => client.inference.embed('my model', { input: 'a' }),
      { data: [{ embedding: [1, 2] }] },
    ],
    [
      'POST /api/2.0/serving-endpoints {"name":"e"}',
      '',
      (client) => client.inference.createEndpoint({ name: 'e' }),
      {},
    ],
    [
      'DELETE /api/2.0/serving-endpoints/a%2Fb',
      '',
      async (client) => (await client.inference.deleteEndpoint('a/b')) ?? null,
      null,
    ],
    ['GET /api/2.0/serving-endpoints', '{}', (client) => client.inference.listEndpoints(), []],
    [
      'GET /api/2.0/serving-endpoints',
      '{"endpoints":[{"name":"e","task":null}]}',
      (client) => client.inference.listEndpoints(),
      [{ name: 'e' }],
    ],
  ];
  for (const [sent, body, ask, value] of wire) {
    it(`${sent} gives ${JSON.stringify(value)}`, async () => {
      const { fetch, sent: made } = scripting(body);
      const given = await ask(
        createClient({ baseUrl: 'https://service.example', auth: { kind: 'none' }, fetch, retry: 'fail' }),
      );
      assert.equal(made(), sent);
      assert.deepEqual(JSON.parse(JSON.stringify(given)), value);
    });
  }

  it('an answer without its content is refused', async () => {
    const { fetch } = scripting('{"object":"x"}');
    const { inference } = createClient({
      baseUrl: 'https://service.example',
      auth: { kind: 'none' },
      fetch,
      retry: 'fail',
    });
    for (const ask of [
      () => inference.chat('e', { messages: [{ role: 'user', content: 'Hi' }] }),
      () => inference.complete('e', { prompt: 'p' }),
      () => inference.embed('e', { input: 'a' }),
      () => inference.listEndpoints(),
    ]) {
      await assert.rejects(ask(), (error) => error instanceof AppError && error.kind === 'protocol');
    }
  });

  it("the task behind a server's word", () => {
    assert.deepEqual(
      ['llm/v1/chat', 'llm/v1/completions', 'LLM/V1/EMBEDDINGS', 'chat-completion', 'vision', undefined].map(
        endpointTaskOf,
      ),
      ['chat', 'completion', 'embedding', 'chat', undefined, undefined],
    );
  });
});

function scripting(body: string): { fetch: ReturnType<typeof scriptedFetch>['fetch']; sent: () => string } {
  const { fetch, requests: made } = scriptedFetch(() => ({ status: 200, body }));
  return {
    fetch,
    sent: () =>
      made
        .map(
          ({ method, url, body: text }) =>
            `${method} ${url.slice('https://service.example'.length)}${text === undefined ? '' : ` ${String(text)}`}`,
        )
        .join('\n'),
  };
}

describe('a chunk that is not as the document has it', () => {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  for (const [received, expected] of [
    [
      {
        id: 5,
        object: true,
        model: null,
        created: '12',
        usage: { prompt_tokens: '3', total_tokens: null, completion_tokens: 'x' },
      },
      { id: '5', object: 'true', created: 12, usage: { prompt_tokens: 3 } },
    ],
    [{ id: {}, created: '', usage: [] }, {}],
    [{ created: ' ', choices: [{ index: ' ' }] }, { choices: [{}] }],
    [{ choices: {} }, {}],
    [{ choices: [5, null, { index: '1', finish_reason: null, delta: null }] }, { choices: [{ index: 1 }] }],
    [
      { choices: [{ finish_reason: 5, delta: { content: 5, role: 7 } }] },
      { choices: [{ finish_reason: '5', delta: { content: '5', role: '7' } }] },
    ],
    [
      { choices: [{ delta: { content: { type: 'text', text: 'a' } } }] },
      { choices: [{ delta: { content: [{ type: 'text', text: 'a' }] } }] },
    ],
    [
      { choices: [{ delta: { content: ['a', 5, { text: 7 }] } }] },
      {
        choices: [
          {
            delta: {
              content: [
                { type: 'text', text: 'a' },
                { type: 'text', text: '7' },
              ],
            },
          },
        ],
      },
    ],
    [
      {
        choices: [
          {
            delta: {
              content: null,
              tool_calls: [
                { index: '0', id: 5, type: null, function: { name: 6, arguments: { a: 1 } } },
                { function: null },
                'x',
              ],
            },
          },
        ],
      },
      {
        choices: [
          { delta: { tool_calls: [{ index: 0, id: '5', function: { name: '6', arguments: '{"a":1}' } }, {}] } },
        ],
      },
    ],
    [
      {
        choices: [
          {
            delta: { content: 'a' },
            logprobs: {
              content: [
                { token: 5, logprob: '-1', bytes: null, top_logprobs: [{ token: 6, logprob: '-2', bytes: null }, 5] },
              ],
            },
          },
        ],
      },
      {
        choices: [
          {
            delta: { content: 'a' },
            logprobs: { content: [{ token: '5', logprob: -1, top_logprobs: [{ token: '6', logprob: -2 }] }] },
          },
        ],
      },
    ],
    [{ choices: [{ delta: { content: 'a', tool_calls: null } }] }, { choices: [{ delta: { content: 'a' } }] }],
  ] as const) {
    it(`is made so: ${JSON.stringify(received)}`, () =>
      assert.deepEqual(plain(asChatChunk(structuredClone(received))), expected));
  }

  it('is none where it is no object', () => {
    for (const value of [null, 5, 'x', [], undefined])
      assert.deepEqual(
        [asChatChunk(value), asCompletionChunk(value), wholeAsChatChunk(value)],
        [undefined, undefined, undefined],
      );
  });

  it('of a completion is made so too', () =>
    assert.deepEqual(plain(asCompletionChunk({ id: 5, choices: [{ index: '1', text: 7, finish_reason: null }, 5] })), {
      id: '5',
      choices: [{ index: 1, text: '7' }],
    }));

  it('of a whole answer has the message in place of what is added', () => {
    assert.deepEqual(
      plain(
        wholeAsChatChunk({
          id: 'i',
          choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }, { delta: { content: 'b' } }],
        }),
      ),
      {
        id: 'i',
        choices: [
          { index: 0, delta: { content: 'a' }, finish_reason: 'stop' },
          { delta: { content: 'b' }, finish_reason: 'stop' },
        ],
      },
    );
  });
});
