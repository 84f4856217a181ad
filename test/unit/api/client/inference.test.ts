import assert from 'node:assert/strict';
import { createClient, type WorkspaceClient } from '../../../../src/api/client/index.ts';
import { asChatChunk } from '../../../../src/api/client/inference/chunk.ts';
import { endpointTaskOf } from '../../../../src/api/schema/inference/endpoints.ts';
import {
  chatRequest,
  completionRequest,
  createEndpointRequest,
  embeddingRequest,
} from '../../../../src/api/schema/inference/schemas.ts';
import type { Fields } from '../../../../src/shared/fields.ts';
import { scriptedFetch } from '../../../support/scriptedFetch.ts';
import { broken, type Schema, times } from '../brokenRules.ts';
import { clientOf, rejectionOf } from './exchangeSetup.ts';

describe('Inference requests', () => {
  const user = { role: 'user', content: 'Hi' };

  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };

  const asked = { role: 'assistant', tool_calls: [call] };

  const said = (...messages: Fields[]): Fields => ({ messages });

  const tool = (name: string, properties = 0): Fields => ({
    type: 'function',
    function: {
      name,
      description: 'd',
      parameters: {
        properties: Object.fromEntries(Array.from({ length: properties }, (_, index) => [`p${index}`, {}])),
      },
    },
  });

  const chat = (fields: Fields): Fields => ({ messages: [user], ...fields });

  const range = (
    field: string,
    right: readonly unknown[],
    wrong: Readonly<Record<string, unknown>>,
  ): [Fields, ...string[]][] => [
    ...right.map((value): [Fields, ...string[]] => [{ [field]: value }]),
    ...Object.entries(wrong).map(([code, value]): [Fields, ...string[]] => [{ [field]: value }, `${field} ${code}`]),
  ];

  const sampling: [Fields, ...string[]][] = [
    ...range('max_tokens', [null, 1], { too_small: 0, invalid_type: 1.5 }),
    ...range('temperature', [null, 0, 2], { too_small: -0.01, too_big: 2.01 }),
    ...range('top_p', [null, 0.01, 1], { too_small: 0, too_big: 1.01 }),
    ...range('top_k', [null, 1], { too_small: 0, invalid_type: 1.5 }),
    ...range('n', [null, 1, 128], { too_small: 0, too_big: 129 }),
    ...range('stop', [null, 'a', ['a', 'b'], []], { invalid_union: 5 }),
    ...range('stream', [true, false], { invalid_type: 'true' }),
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

  for (const [schema, value, ...problems] of requests) {
    it(`have ${problems.join(' and ') || 'nothing wrong'} with ${JSON.stringify(value).slice(0, 110)}`, () =>
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

  it('recognizes the task names of servers', () => {
    assert.deepEqual(
      ['llm/v1/chat', 'llm/v1/completions', 'LLM/V1/EMBEDDINGS', 'chat-completion', 'vision', undefined].map(
        endpointTaskOf,
      ),
      ['chat', 'completion', 'embedding', 'chat', undefined, undefined],
    );
  });
});

const messages = [{ role: 'user' as const, content: 'Hi' }];

const events = (...chunks: (object | string)[]) => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join(''),
});

const all = async <T>(stream: AsyncIterable<T>): Promise<T[]> => {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
};

const end = (index: number): object => ({ choices: [{ index, delta: {}, text: '', finish_reason: 'stop' }] });

describe('Inference client', () => {
  it('sets "stream" by the method that is called', async () => {
    const { client, requests } = clientOf(({ headers }) =>
      headers['accept'] === 'text/event-stream' ? events(end(0), '[DONE]') : { status: 200, body: '{"choices":[]}' },
    );
    const odd = (stream: boolean): { stream: boolean } => ({ stream });
    await client.inference.chat('a b', { messages, ...odd(true) });
    await client.inference.complete('a b', { prompt: 'x', ...odd(true) });
    await all(client.inference.streamChat('a b', { messages, ...odd(false) }));
    await all(client.inference.streamCompletion('a b', { prompt: 'x', ...odd(false) }));
    assert.deepEqual(
      requests.map(({ body }) => (JSON.parse(body ?? '') as { stream: boolean }).stream),
      [false, false, true, true],
    );
    for (const { url } of requests) assert.ok(url.endsWith('/serving-endpoints/a%20b/invocations'));
  });

  it('keeps the text of the first choice if a stream breaks', async () => {
    const partial = async (
      ask: 'streamChat' | 'streamCompletion',
      ...chunks: object[]
    ): Promise<string | undefined> => {
      const { client } = clientOf(() => events(...chunks));
      const request = ask === 'streamChat' ? { messages } : { prompt: 'x' };
      return (await rejectionOf(all(client.inference[ask]('e', request as never)))).partial;
    };
    const said = (content: unknown): object => ({
      choices: [
        { index: 1, delta: { content: 'other' }, text: 'other' },
        { delta: { content }, text: content },
      ],
    });
    assert.equal(await partial('streamChat', said('a'), said([{ type: 'text', text: 'b' }])), 'ab');
    assert.equal(await partial('streamCompletion', said('a'), said('b')), 'ab');
    const { client } = clientOf(() => events({ error: { message: 'unknown token-of-the-test given', code: 400 } }));
    const { message } = await rejectionOf(all(client.inference.streamChat('e', { messages })));
    assert.doesNotMatch(message, /token-of-the-test/);
  });

  it('applies the limits of models to whole and streamed responses', async () => {
    const kind = async (limits: object, reply: ReturnType<typeof events>): Promise<string> => {
      const { client } = clientOf(() => reply, { limits });
      return all(client.inference.streamChat('e', { messages })).then(
        () => 'taken',
        (error: { kind: string }) => error.kind,
      );
    };
    const choice = { index: 0, message: { role: 'assistant', content: 'c'.repeat(100) }, finish_reason: 'stop' };
    const whole = {
      ...events(),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ choices: [choice], more: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
    };
    const streamed = events({ choices: [{ index: 0, delta: { content: 'c'.repeat(100) } }] }, end(0), '[DONE]');
    assert.equal(await kind({ responseBytes: 20 }, whole), 'taken');
    assert.equal(await kind({ modelBytes: 20 }, whole), 'tooLarge');
    assert.notEqual(await kind({ modelValues: 5 }, whole), 'taken');
    assert.equal(await kind({ modelBytes: 20 }, streamed), 'taken');
    assert.notEqual(await kind({ eventCharacters: 50 }, streamed), 'taken');
  });
});

describe('Stream chunks', () => {
  // What is left of a field that was understood as nothing is `undefined`, which is as good as absent.
  const chat = (chunk: object): unknown => JSON.parse(JSON.stringify(asChatChunk(structuredClone(chunk))));

  const choice = (fields: object): unknown => (chat({ choices: [fields] }) as { choices: unknown[] }).choices[0];

  const delta = (fields: object): unknown => (choice({ delta: fields }) as { delta: unknown }).delta;

  it('normalizes content parts', () => {
    assert.deepEqual(delta({ content: { type: 'reasoning', text: 5 } }), {
      content: [{ type: 'reasoning', text: '5' }],
    });
    assert.deepEqual(delta({ content: ['a', { text: 'b' }, { type: 7, text: null }, null, 5, ['x']] }), {
      content: [{ type: 'text', text: 'a' }, { text: 'b', type: 'text' }, { type: 'text' }],
    });
  });

  it('normalizes tool calls', () => {
    const calls = (value: unknown): unknown =>
      (delta({ content: 'c', tool_calls: value }) as { tool_calls: unknown }).tool_calls;
    assert.deepEqual(
      [null, {}, 'x'].map((value) => calls(value)),
      [undefined, undefined, undefined],
    );
    assert.deepEqual(calls([{ index: '1', id: 5, type: 6, function: { name: 7, arguments: { a: [1] } } }, null]), [
      { index: 1, id: '5', type: '6', function: { name: '7', arguments: '{"a":[1]}' } },
    ]);
    assert.deepEqual(calls([{ function: { name: null, arguments: null } }, { function: 'x' }, { id: null }]), [
      { function: {} },
      {},
      {},
    ]);
    assert.deepEqual(calls([{ function: { arguments: 5 } }]), [{ function: { arguments: '5' } }]);
  });
});
