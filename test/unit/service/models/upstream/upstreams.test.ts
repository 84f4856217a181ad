import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { createModels, type Models } from '../../../../../src/service/models/models.ts';
import { taskByName } from '../../../../../src/service/models/upstream/discoverUpstreams.ts';
import { endpointName } from '../../../../../src/service/models/upstream/upstreams.ts';
import type {
  WireChat,
  WireChatChunk,
  WireCompletion,
  WireEmbeddings,
} from '../../../../../src/service/models/wire.ts';
import { answerJson, startHttpServer, type Handler, type TestServer } from '../../../../support/httpServer.ts';
import { bodyOf, chatTexts, chunksOf, refusal, textOfChoice } from '../support.ts';

type Body = Record<string, unknown>;

const messages = [{ role: 'user', content: 'Hello' }];
const add = {
  type: 'function',
  function: {
    name: 'add',
    description: 'Adds',
    parameters: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      required: ['a', 'b'],
    },
  },
};
const other = {
  type: 'function',
  function: { name: 'other', description: 'Other', parameters: { type: 'object', properties: {} } },
};
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const whole = (message: object, finish: string | null = 'stop', more: object = {}) => ({
  id: 'up-1',
  object: 'chat.completion',
  created: 5,
  model: 'real-model',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish, ...more }],
  usage,
});
const call = (name: string, args: string) => ({
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: args } }],
});

function stream(response: http.ServerResponse, events: readonly (object | string)[], end = true): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  if (end) response.end('data: [DONE]\n\n');
}
const delta = (content: object, finish: string | null = null, index = 0) => ({
  id: 'up-1',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'real-model',
  choices: [{ index, delta: content, finish_reason: finish }],
});

describe('upstreams', () => {
  let server: TestServer;
  let handler: Handler = (_request, response) => answerJson(response, JSON.stringify(whole({ content: 'Hi' })));
  before(async () => {
    server = await startHttpServer((request, response) => handler(request, response));
  });
  beforeEach(() => {
    server.requests.length = 0;
  });
  after(() => server.close());

  const upstream = (kind: string, more: object = {}): Models =>
    createModels({
      discover: false,
      upstreams: [
        {
          name: 'up',
          kind,
          baseUrl: `${server.url}/v1`,
          models: [
            { model: 'm', endpoint: 'm' },
            { model: 'e', endpoint: 'e', task: 'embedding' },
            { model: 'b', endpoint: 'b', task: 'completion' },
          ],
          ...more,
        },
      ],
    });
  const sent = (index = -1): Body => JSON.parse(server.requests.at(index)?.body ?? '{}') as Body;
  const answers = (...bodies: readonly object[]): void => {
    let next = 0;
    handler = (_request, response) => answerJson(response, JSON.stringify(bodies[Math.min(next++, bodies.length - 1)]));
  };

  describe('chat', () => {
    it('answers in the form of the document, with every sampling value sent', async () => {
      answers(whole({ content: 'Hi' }));
      const answer = bodyOf<WireChat>(
        await upstream('vllm').invoke('m', { messages, max_tokens: 9, stop: 'x', seed: 7 }),
      );
      assert.deepEqual(answer, {
        id: 'up-1',
        object: 'chat.completions',
        created: 5,
        model: 'real-model',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
        usage,
      });
      assert.deepEqual(sent(), {
        min_p: 0,
        repetition_penalty: 1,
        seed: 7,
        model: 'm',
        messages,
        temperature: 1,
        top_p: 1,
        top_k: -1,
        max_tokens: 9,
        stop: ['x'],
        stream: false,
      });
      assert.equal(server.requests[0]?.url, '/v1/chat/completions');
    });

    const topK: readonly (readonly [kind: string, topK: number | null, expected: Body | RegExp])[] = [
      ['llamacpp', null, { top_k: 0, temperature: 1 }],
      ['llamacpp', 40, { top_k: 40, temperature: 1 }],
      ['ollama', null, { top_k: undefined, temperature: 1 }],
      ['ollama', 1, { top_k: undefined, temperature: 0 }],
      ['ollama', 40, /top_k: Ollama does not take it/],
    ];
    for (const [kind, value, expected] of topK) {
      it(`sends, emulates or refuses top_k ${value} on ${kind}`, async () => {
        answers(whole({ content: 'Hi' }));
        const request = upstream(kind).invoke('m', { messages, top_k: value });
        if (expected instanceof RegExp) {
          assert.match((await refusal(request)).message, expected);
          assert.equal(server.requests.length, 0);
        } else {
          await request;
          for (const [name, wanted] of Object.entries(expected)) assert.equal(sent()[name], wanted);
        }
      });
    }

    it('emulates n by several calls, and passes it where it is known', async () => {
      answers(whole({ content: 'Hi' }));
      const emulated = bodyOf<WireChat>(await upstream('ollama').invoke('m', { messages, n: 3 }));
      assert.deepEqual(
        emulated.choices.map((choice) => choice.index),
        [0, 1, 2],
      );
      assert.deepEqual(emulated.usage, { prompt_tokens: 10, completion_tokens: 15, total_tokens: 25 });
      assert.equal(server.requests.length, 3);
      assert.equal(sent()['n'], undefined);
      const two = whole({ content: 'Hi' });
      answers({ ...two, choices: [two.choices[0], { ...two.choices[0], index: 1 }] });
      assert.equal(bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, n: 2 })).choices.length, 2);
      assert.equal(sent()['n'], 2);
      answers(whole({ content: 'Hi' }));
      assert.match((await refusal(upstream('vllm').invoke('m', { messages, n: 2 }))).message, /1 choices of the 2/);
    });

    it('streams: role first, finish_reason last, usage with it', async () => {
      handler = (_request, response) =>
        stream(response, [
          delta({ role: 'assistant', content: '' }),
          delta({ role: 'assistant', content: 'He' }),
          delta({ content: 'llo' }),
          delta({}, 'stop'),
          { ...delta({}), choices: [], usage },
        ]);
      assert.deepEqual(await chatTexts(await upstream('llamacpp').invoke('m', { messages, stream: true })), ['Hello']);
      const chunks = await chunksOf<WireChatChunk>(await upstream('llamacpp').invoke('m', { messages, stream: true }));
      assert.deepEqual(chunks.at(-1)?.usage, usage);
      assert.deepEqual(sent()['stream_options'], { include_usage: true });
    });

    it('merges the streams of an emulated n', async () => {
      handler = (_request, response) =>
        stream(response, [
          delta({ content: 'a' }),
          delta({ content: 'b' }),
          delta({}, 'stop'),
          { ...delta({}), choices: [], usage },
        ]);
      assert.deepEqual(await chatTexts(await upstream('ollama').invoke('m', { messages, n: 3, stream: true })), [
        'ab',
        'ab',
        'ab',
      ]);
      const chunks = await chunksOf<WireChatChunk>(
        await upstream('ollama').invoke('m', { messages, n: 2, stream: true }),
      );
      assert.deepEqual(chunks.at(-1)?.usage, { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 });
    });

    it('reads a server that answers whole where a stream was asked for', async () => {
      answers(whole({ content: 'Hi' }));
      assert.deepEqual(await chatTexts(await upstream('generic').invoke('m', { messages, stream: true })), ['Hi']);
    });

    it('finishes a stream whose usage and end mark say that it is whole, though no finish_reason does', async () => {
      handler = (_request, response) =>
        stream(response, [delta({ content: 'He' }), delta({ content: 'llo' }), { ...delta({}), choices: [], usage }]);
      assert.deepEqual(await chatTexts(await upstream('vllm').invoke('m', { messages, stream: true })), ['Hello']);
      const last = (await chunksOf<WireChatChunk>(await upstream('vllm').invoke('m', { messages, stream: true }))).at(
        -1,
      );
      assert.deepEqual([last?.choices[0]?.finish_reason, last?.usage], ['stop', usage]);
    });

    const cuts: readonly (readonly [name: string, events: readonly (object | string)[], end: boolean, kind: string])[] =
      [
        ['ends without a finish_reason', [delta({ content: 'a' })], true, 'cutOff'],
        ['ends before it began', [], true, 'cutOff'],
        ['has its usage alone', [{ ...delta({}), choices: [], usage }], true, 'cutOff'],
        [
          'carries an error in its middle',
          [delta({ content: 'a' }), { error: { message: 'out of memory', code: 500 } }],
          true,
          'server',
        ],
        ['carries something else', [delta({ content: 'a' }), 'nonsense'], true, 'protocol'],
      ];
    for (const [name, events, end, kind] of cuts) {
      it(`never finishes a stream that ${name}`, async () => {
        handler = (_request, response) => stream(response, events, end);
        const received: WireChatChunk[] = [];
        const error = await refusal(
          (async () => {
            const answer = await upstream('generic').invoke('m', { messages, stream: true });
            for await (const chunk of (answer as { chunks: AsyncIterable<WireChatChunk> }).chunks) received.push(chunk);
          })(),
        );
        assert.equal(error.kind, kind);
        assert.ok(received.every((chunk) => chunk.choices.every((choice) => choice.finish_reason === null)));
      });
    }

    it('tells a socket that was cut from one that was never there', async () => {
      handler = (_request, response) => {
        stream(response, [delta({ content: 'a' })], false);
        setTimeout(() => response.destroy(), 30);
      };
      const answer = await upstream('generic').invoke('m', { messages, stream: true });
      assert.equal((await refusal(chunksOf(answer))).kind, 'cutOff');
      const gone = createModels({
        discover: false,
        upstreams: [{ name: 'up', baseUrl: 'http://127.0.0.1:1/v1', models: ['m'] }],
      });
      const error = await refusal(gone.invoke('m', { messages, stream: true }));
      assert.equal(error.kind, 'network');
      assert.equal(error.status, 503);
      assert.match(error.message, /cannot be reached/);
    });

    it('closes the socket when it is aborted, and when the reader leaves', async () => {
      for (const leave of [false, true]) {
        let closed: (() => void) | undefined;
        const done = new Promise<void>((resolve) => (closed = resolve));
        handler = (_request, response) => {
          stream(response, [delta({ content: 'a' })], false);
          response.on('close', () => closed?.());
        };
        const stop = new AbortController();
        const answer = await upstream('generic').invoke('m', { messages, stream: true }, { signal: stop.signal });
        const { chunks } = answer as { chunks: AsyncIterable<object> };
        if (leave) {
          for await (const _chunk of chunks) break;
        } else {
          const reading = refusal(
            (async () => {
              for await (const _chunk of chunks) stop.abort();
            })(),
          );
          assert.equal((await reading).kind, 'aborted');
        }
        await done;
      }
    });

    it('gives up where nothing arrives', async () => {
      handler = () => undefined;
      const error = await refusal(upstream('generic', { timeoutInSeconds: 0.05 }).invoke('m', { messages }));
      assert.equal(error.kind, 'timeout');
      assert.equal(error.status, 504);
    });

    const failures: readonly (readonly [status: number, body: string, expected: number, kind: string, text: RegExp])[] =
      [
        [400, '{"error":{"message":"bad temperature"}}', 400, 'rejected', /bad temperature/],
        [400, '{"error":{"message":"maximum context length is 10 tokens"}}', 400, 'tooLarge', /context length/],
        [401, '{"error":"no key"}', 403, 'forbidden', /API key/],
        [404, '{"detail":"model not found"}', 404, 'notFound', /model not found/],
        [429, 'slow down', 429, 'rateLimited', /slow down/],
        [500, '<html>oops</html>', 502, 'server', /oops/],
        [302, '', 502, 'protocol', /redirect/],
        [200, 'hello', 502, 'protocol', /not JSON/],
        [200, '{"error":{"message":"loading","code":503}}', 502, 'server', /loading/],
        [200, '{"choices":[]}', 502, 'protocol', /without a choice/],
      ];
    for (const [status, body, expected, kind, text] of failures) {
      it(`maps ${status} ${body.slice(0, 30)}`, async () => {
        handler = (_request, response) =>
          answerJson(response, body, status, status === 302 ? { location: 'http://elsewhere.invalid/' } : {});
        const error = await refusal(upstream('generic').invoke('m', { messages }));
        assert.deepEqual([error.status, error.kind], [expected, kind]);
        assert.match(error.message, text);
      });
    }
  });

  describe('logprobs', () => {
    it('are mapped, and an answer without them is an error', async () => {
      answers(
        whole({ content: 'Hi' }, 'stop', {
          logprobs: {
            content: [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [{ token: 'Hi', logprob: -0.5 }] }],
          },
        }),
      );
      const choice = bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, logprobs: true, top_logprobs: 1 }))
        .choices[0];
      assert.deepEqual(choice?.logprobs, {
        content: [
          { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [{ token: 'Hi', logprob: -0.5, bytes: null }] },
        ],
      });
      assert.deepEqual([sent()['logprobs'], sent()['top_logprobs']], [true, 1]);
      answers(whole({ content: 'Hi' }));
      assert.match((await refusal(upstream('ollama').invoke('m', { messages, logprobs: true }))).message, /gave none/);
      assert.match(
        (await refusal(upstream('lmstudio').invoke('m', { messages, logprobs: true }))).message,
        /LM Studio gives no log probabilities/,
      );
      handler = (_request, response) => stream(response, [delta({ content: 'a' }), delta({}, 'stop')]);
      assert.match(
        (await refusal(upstream('ollama').invoke('m', { messages, logprobs: true, stream: true }))).message,
        /gave none/,
      );
    });
  });

  describe('functions', () => {
    it('are passed on, and a call is mapped', async () => {
      answers(whole({ ...call('add', '{"a":1,"b":2}'), content: 'thinking' }, 'stop'));
      const choice = bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, tools: [add] })).choices[0];
      assert.deepEqual(choice, {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
        },
        finish_reason: 'tool_calls',
      });
      assert.equal(sent()['tool_choice'], 'auto');
    });

    it('are narrowed to the forced one where only "required" is known', async () => {
      handler = (request, response) =>
        answerJson(
          response,
          JSON.stringify(request.url === '/props' ? {} : whole(call('add', '{"a":1,"b":2}'), 'tool_calls')),
        );
      await upstream('llamacpp').invoke('m', {
        messages,
        tools: [add, other],
        tool_choice: { type: 'function', function: { name: 'add' } },
      });
      assert.deepEqual([sent()['tool_choice'], sent()['tools']], ['required', [add]]);
    });

    it('are asked for as JSON where the server ignores tool_choice', async () => {
      answers(whole({ content: '{"a":1,"b":2}' }));
      const choice = bodyOf<WireChat>(
        await upstream('ollama').invoke('m', {
          messages,
          tools: [add, other],
          tool_choice: { type: 'function', function: { name: 'add' } },
        }),
      ).choices[0];
      assert.equal(choice?.finish_reason, 'tool_calls');
      assert.deepEqual(choice?.message.tool_calls?.[0]?.function, { name: 'add', arguments: '{"a":1,"b":2}' });
      assert.equal(sent()['tools'], undefined);
      answers(whole({ content: '{"name":"add","arguments":{"a":3,"b":4}}' }));
      const required = await chunksOf<WireChatChunk>(
        await upstream('ollama').invoke('m', { messages, tools: [add, other], tool_choice: 'required', stream: true }),
      );
      assert.deepEqual(required.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])[0]?.function, {
        name: 'add',
        arguments: '{"a":3,"b":4}',
      });
      assert.equal(required.at(-1)?.choices[0]?.finish_reason, 'tool_calls');
    });

    it('are not sent with "none" where the server ignores it', async () => {
      answers(whole({ content: 'Hi' }));
      await upstream('ollama').invoke('m', { messages, tools: [add], tool_choice: 'none' });
      assert.equal(sent()['tools'], undefined);
    });

    it("are emulated where the model's template or the server knows none", async () => {
      handler = (request, response) =>
        answerJson(
          response,
          JSON.stringify(
            request.url === '/props'
              ? { chat_template_caps: { supports_tools: false } }
              : whole({ content: '{"answer":"No function helps."}' }),
          ),
        );
      const text = bodyOf<WireChat>(await upstream('llamacpp').invoke('m', { messages, tools: [add] })).choices[0];
      assert.deepEqual([text?.message.content, text?.finish_reason], ['No function helps.', 'stop']);
      assert.equal((sent()['messages'] as Body[])[0]?.['role'], 'system');
      handler = (request, response) => {
        const body = JSON.parse(request.body) as Body;
        if (body['tools']) answerJson(response, '{"error":{"message":"m does not support tools"}}', 400);
        else answerJson(response, JSON.stringify(whole({ content: '{"name":"add","arguments":{"a":1,"b":2}}' })));
      };
      for (const streamed of [false, true]) {
        const answer = await upstream('generic').invoke('m', { messages, tools: [add, other], stream: streamed });
        const calls = streamed
          ? (await chunksOf<WireChatChunk>(answer)).flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
          : (bodyOf<WireChat>(answer).choices[0]?.message.tool_calls ?? []);
        assert.equal(calls[0]?.function.name, 'add');
      }
    });

    it('are asked for as JSON where a required call does not come, streamed or not', async () => {
      handler = (request, response) => {
        const body = JSON.parse(request.body) as Body;
        if (!body['tools']) answerJson(response, JSON.stringify(whole({ content: '{"a":1,"b":2}' })));
        else if (body['stream'] === true) stream(response, [delta({ content: 'I think' }), delta({}, 'stop')]);
        else answerJson(response, JSON.stringify(whole({ content: 'I think' })));
      };
      assert.equal(
        bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, tools: [add], tool_choice: 'required' }))
          .choices[0]?.finish_reason,
        'tool_calls',
      );
      const chunks = await chunksOf<WireChatChunk>(
        await upstream('vllm').invoke('m', { messages, tools: [add], tool_choice: 'required', stream: true }),
      );
      assert.ok(chunks.every((chunk) => !chunk.choices[0]?.delta.content));
      assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'tool_calls');
    });

    it('with wrong arguments are asked for once more, then are an error', async () => {
      answers(whole(call('add', '{"a":"x"}'), 'tool_calls'), whole(call('add', '{"a":1,"b":2}'), 'tool_calls'));
      assert.equal(
        bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, tools: [add] })).choices[0]?.finish_reason,
        'tool_calls',
      );
      assert.equal(server.requests.length, 2);
      answers(whole(call('add', '{"a":"x"}'), 'tool_calls'));
      const error = await refusal(upstream('vllm').invoke('m', { messages, tools: [add] }));
      assert.equal(error.status, 502);
      assert.match(error.message, /the arguments of add do not fit its schema/);
      answers(whole(call('nothing', '{}'), 'tool_calls'));
      assert.match(
        (await refusal(upstream('vllm').invoke('m', { messages, tools: [add] }))).message,
        /not among the functions/,
      );
    });

    it('stream in fragments, numbered or not', async () => {
      const parts = [
        { index: 0, id: 'c1', type: 'function', function: { name: 'add', arguments: '' } },
        { index: 0, function: { arguments: '{"a":1,' } },
        { index: 0, function: { arguments: '"b":2}' } },
      ];
      for (const numbered of [true, false]) {
        handler = (_request, response) =>
          stream(response, [
            ...parts.map((part) => delta({ tool_calls: [numbered ? part : { ...part, index: undefined }] })),
            delta({}, 'tool_calls'),
          ]);
        const chunks = await chunksOf<WireChatChunk>(
          await upstream('vllm').invoke('m', { messages, tools: [add], tool_choice: 'required', stream: true }),
        );
        const fragments = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
        assert.equal(fragments.map((part) => part.function.arguments ?? '').join(''), '{"a":1,"b":2}');
        assert.ok(fragments.every((part) => part.index === 0));
      }
    });
  });

  describe('answers as JSON', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    const response_format = { type: 'json_schema', json_schema: { name: 's', schema, strict: true } };

    it("are asked for in each server's way and checked", async () => {
      answers(whole({ content: '{"a":1}' }));
      await upstream('vllm').invoke('m', { messages, response_format });
      assert.deepEqual(sent()['response_format'], response_format);
      await upstream('llama-cpp-python').invoke('m', { messages, response_format });
      assert.deepEqual(sent()['response_format'], { type: 'json_object', schema });
      await upstream('lmstudio').invoke('m', { messages, response_format: { type: 'json_object' } });
      assert.equal((sent()['response_format'] as Body)['type'], 'json_schema');
      answers(whole({ content: '{"a":"x"}' }));
      assert.match(
        (await refusal(upstream('vllm').invoke('m', { messages, response_format }))).message,
        /"a": Instance type "string" is invalid\. Expected "integer"/,
      );
      answers(whole({ content: 'Sure! {' }));
      assert.match(
        (await refusal(upstream('vllm').invoke('m', { messages, response_format: { type: 'json_object' } }))).message,
        /not JSON/,
      );
    });

    it('never finish falsely when streamed', async () => {
      handler = (_request, response) =>
        stream(response, [delta({ content: '{"a":' }), delta({ content: '"x"}' }), delta({}, 'stop')]);
      const answer = await upstream('vllm').invoke('m', { messages, response_format, stream: true });
      assert.equal((await refusal(chunksOf(answer))).kind, 'protocol');
      handler = (_request, response) => stream(response, [delta({ content: '{"a":' }), delta({}, 'length')]);
      assert.deepEqual(
        await chatTexts(await upstream('vllm').invoke('m', { messages, response_format, stream: true })),
        ['{"a":'],
      );
    });
  });

  describe('completion', () => {
    const piece = (text: string, finish: string | null = null) => ({
      id: 'x',
      object: 'text_completion',
      choices: [{ index: 0, text, finish_reason: finish }],
    });

    it('emulates lists, n, echo and suffix, and never forwards suffix', async () => {
      handler = (_request, response) => stream(response, [piece('one '), piece('two', 'stop'), { choices: [], usage }]);
      const answer = bodyOf<WireCompletion>(
        await upstream('vllm').invoke('b', { prompt: ['p', 'q'], n: 2, echo: true, suffix: '!', max_tokens: 4 }),
      );
      assert.deepEqual(
        answer.choices.map((choice) => [choice.index, choice.text, choice.finish_reason]),
        [
          [0, 'pone two!', 'stop'],
          [0, 'pone two!', 'stop'],
          [1, 'qone two!', 'stop'],
          [1, 'qone two!', 'stop'],
        ],
      );
      assert.deepEqual(answer.usage, { prompt_tokens: 20, completion_tokens: 20, total_tokens: 40 });
      assert.equal(server.requests.length, 4);
      for (const name of ['suffix', 'echo', 'n', 'error_behavior', 'use_raw_prompt'])
        assert.equal(sent()[name], undefined);
      const chunks = await chunksOf<WireCompletion>(
        await upstream('vllm').invoke('b', { prompt: ['p', 'q'], echo: true, suffix: '!', stream: true }),
      );
      for (const index of [0, 1]) assert.equal(textOfChoice(chunks, index), `${'pq'[index]}one two!`);
      assert.equal(sent()['max_tokens'], null);
    });

    it('sends prompts through the chat template of a chat model, or as they are', async () => {
      handler = (request, response) =>
        stream(
          response,
          request.url?.endsWith('/chat/completions') ? [delta({ content: 'T' }, 'stop')] : [piece('R', 'stop')],
        );
      assert.equal(
        bodyOf<WireCompletion>(await upstream('vllm').invoke('m-completion', { prompt: 'p' })).choices[0]?.text,
        'T',
      );
      assert.deepEqual(sent()['messages'], [{ role: 'user', content: 'p' }]);
      assert.equal(
        bodyOf<WireCompletion>(await upstream('vllm').invoke('m-completion', { prompt: 'p', use_raw_prompt: true }))
          .choices[0]?.text,
        'R',
      );
      assert.equal(sent()['prompt'], 'p');
    });

    it("reaches Ollama's raw form on its own route", async () => {
      handler = (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.write('{"response":"one ","done":false}\n{"response":"tw');
        response.end(
          'o","done":false}\n{"response":"","done":true,"done_reason":"length","prompt_eval_count":3,"eval_count":2}\n',
        );
      };
      const answer = bodyOf<WireCompletion>(
        await upstream('ollama').invoke('m-completion', { prompt: 'p', use_raw_prompt: true, top_k: 5, max_tokens: 2 }),
      );
      assert.deepEqual(answer.choices, [{ index: 0, text: 'one two', finish_reason: 'length' }]);
      assert.equal(server.requests[0]?.url, '/api/generate');
      assert.deepEqual(
        [sent()['raw'], (sent()['options'] as Body)['top_k'], (sent()['options'] as Body)['num_predict']],
        [true, 5, 2],
      );
    });

    it('carries error_behavior out: context and time-out', async () => {
      handler = (_request, response) => answerJson(response, '{"error":{"message":"context length exceeded"}}', 400);
      assert.equal((await refusal(upstream('vllm').invoke('b', { prompt: 'p' }))).kind, 'tooLarge');
      assert.deepEqual(
        bodyOf<WireCompletion>(await upstream('vllm').invoke('b', { prompt: 'p', error_behavior: 'truncate' })).choices,
        [{ index: 0, text: '', finish_reason: 'length' }],
      );
      handler = (request, response) => {
        if ((JSON.parse(request.body) as Body)['max_tokens'] === 99)
          answerJson(response, '{"error":{"message":"context length exceeded"}}', 400);
        else stream(response, [piece('as far as it goes', 'length')]);
      };
      assert.equal(
        bodyOf<WireCompletion>(
          await upstream('vllm').invoke('b', { prompt: 'p', max_tokens: 99, error_behavior: 'truncate' }),
        ).choices[0]?.text,
        'as far as it goes',
      );
      handler = (_request, response) => stream(response, [piece('part')], false);
      const slow = upstream('vllm', { timeoutInSeconds: 0.1 });
      assert.deepEqual(
        bodyOf<WireCompletion>(await slow.invoke('b', { prompt: 'p', error_behavior: 'truncate' })).choices,
        [{ index: 0, text: 'part', finish_reason: 'length' }],
      );
      assert.equal((await refusal(slow.invoke('b', { prompt: 'p' }))).kind, 'timeout');
    });

    it('is whole where usage and the end mark say so', async () => {
      handler = (_request, response) => stream(response, [piece('all'), { ...piece(''), choices: [], usage }]);
      assert.deepEqual(bodyOf<WireCompletion>(await upstream('vllm').invoke('b', { prompt: 'p' })).choices, [
        { index: 0, text: 'all', finish_reason: 'stop' },
      ]);
    });

    it('is cut off without a finish_reason', async () => {
      handler = (_request, response) => stream(response, [piece('part')]);
      assert.equal((await refusal(upstream('vllm').invoke('b', { prompt: 'p' }))).kind, 'cutOff');
    });
  });

  describe('embedding', () => {
    const vector = (index: number) => ({ object: 'embedding', index, embedding: [index, 1] });

    it('puts the instruction before each text, and orders by index', async () => {
      answers({
        object: 'list',
        model: 'real',
        data: [vector(1), vector(0)],
        usage: { prompt_tokens: 4, total_tokens: 4 },
      });
      const answer = bodyOf<WireEmbeddings>(
        await upstream('ollama').invoke('e', { input: ['x', 'y'], instruction: 'Find:' }),
      );
      assert.deepEqual(
        answer.data.map((entry) => entry.embedding),
        [
          [0, 1],
          [1, 1],
        ],
      );
      assert.deepEqual(answer.usage, { prompt_tokens: 4, total_tokens: 4 });
      assert.deepEqual(
        [sent()['input'], sent()['instruction'], sent()['encoding_format']],
        [['Find: x', 'Find: y'], undefined, 'float'],
      );
    });

    it('sends a list one by one where the server drops all but one', async () => {
      answers({ data: [vector(0)] });
      assert.equal(
        bodyOf<WireEmbeddings>(await upstream('generic').invoke('e', { input: ['x', 'y', 'z'] })).data.length,
        3,
      );
      assert.equal(server.requests.length, 4);
    });

    it("uses a model's own template", async () => {
      answers({ data: [vector(0)] });
      const models = createModels({
        discover: false,
        upstreams: [
          {
            name: 'up',
            baseUrl: `${server.url}/v1`,
            models: [{ model: 'e', task: 'embedding', instructionTemplate: 'Instruct: {instruction}\nQuery: {input}' }],
          },
        ],
      });
      await models.invoke('e', { input: 'x', instruction: '$& find' });
      assert.equal(sent()['input'], 'Instruct: $& find\nQuery: x');
    });
  });

  describe('configuration', () => {
    const list = (owner: string, ...ids: string[]) => ({
      object: 'list',
      data: ids.map((id) => ({ id, object: 'model', owned_by: owner })),
    });

    it('lists all models of a server, chat models with a completion endpoint', async () => {
      answers(list('x', 'llama3.2:latest', '/models/Smol.Q4.gguf', 'nomic-embed-text', 'guide'));
      const models = upstream('generic', { models: 'all', name: 'lab' });
      assert.deepEqual(
        (await models.list()).slice(3).map((endpoint) => `${endpoint.name} ${endpoint.task}`),
        [
          'llama3.2-latest llm/v1/chat',
          'llama3.2-latest-completion llm/v1/completions',
          'Smol.Q4 llm/v1/chat',
          'Smol.Q4-completion llm/v1/completions',
          'nomic-embed-text llm/v1/embeddings',
          'lab-guide llm/v1/chat',
          'lab-guide-completion llm/v1/completions',
        ],
      );
    });

    it('finds servers on this machine, tells their kind, and asks seldom', async () => {
      handler = (request, response) =>
        answerJson(
          response,
          JSON.stringify(
            request.url === '/api/show'
              ? { capabilities: request.body.includes('embedder') ? ['embedding'] : ['completion'] }
              : list('library', 'qwen3', 'my-embedder'),
          ),
        );
      const port = Number(new URL(server.url).port);
      const models = createModels({ discoverPorts: [port, 1] });
      const found = (await models.list()).slice(3);
      assert.deepEqual(
        found.map((endpoint) => [endpoint.name, endpoint.task, endpoint.source]),
        [
          ['qwen3', 'llm/v1/chat', 'upstream'],
          ['qwen3-completion', 'llm/v1/completions', 'upstream'],
          ['my-embedder', 'llm/v1/embeddings', 'upstream'],
        ],
      );
      assert.match(found[0]?.description ?? '', /Ollama at http:\/\/127\.0\.0\.1/);
      const asked = server.requests.length;
      await models.list();
      await models.get('qwen3');
      assert.equal(server.requests.length, asked);
      assert.equal(createModels({ discover: false, discoverPorts: [port] }) instanceof Object, true);
      assert.equal((await createModels({ discover: false, discoverPorts: [port] }).list()).length, 3);
    });

    it('is not slowed down by something else on such a port', async () => {
      handler = () => undefined;
      const start = performance.now();
      assert.equal((await createModels({ discoverPorts: [Number(new URL(server.url).port)] }).list()).length, 3);
      assert.ok(performance.now() - start < 25_000);
      handler = (_request, response) => answerJson(response, '<html>');
      assert.equal((await createModels({ discoverPorts: [Number(new URL(server.url).port)] }).list()).length, 3);
    });

    it('answers the built-in endpoints without asking anyone', async () => {
      handler = () => undefined;
      await createModels({ discoverPorts: [Number(new URL(server.url).port)] }).invoke('guide', { messages });
      assert.equal(server.requests.length, 0);
    });

    it('reads models.json, with the key from the environment', async () => {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'models-'));
      const open = (logged: string[] = []) =>
        createModels({
          discover: false,
          dataFolder: folder,
          environment: { LAB_KEY: 'sesame' },
          logger: {
            trace() {},
            debug() {},
            info() {},
            warn: (text) => logged.push(text),
            error: (text) => logged.push(text),
          },
        });
      try {
        answers(whole({ content: 'Hi' }));
        await writeFile(
          path.join(folder, 'models.json'),
          JSON.stringify({
            upstreams: [
              { name: 'lab', kind: 'vllm', baseUrl: `${server.url}/v1/`, apiKeyVariable: 'LAB_KEY', models: ['m'] },
            ],
          }),
        );
        await open().invoke('m', { messages });
        assert.equal(server.requests[0]?.headers.authorization, 'Bearer sesame');
        assert.equal(server.requests[0]?.url, '/v1/chat/completions');
        for (const [text, expected] of [
          ['{', /not JSON/],
          ['{"upstreams":[{"name":"x"}]}', /baseUrl/],
          [JSON.stringify({ upstreams: [{ name: 'x', baseUrl: 'http://h/v1', apiKey: 'k' }] }), /environment variable/],
          [JSON.stringify({ upstream: [] }), /upstream/],
        ] as const) {
          await writeFile(path.join(folder, 'models.json'), text);
          assert.match((await refusal(open().invoke('m', { messages }))).message, expected);
          const logged: string[] = [];
          assert.equal((await open(logged).list()).length, 3);
          assert.match(logged.join(), expected);
        }
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('makes names of models', () => {
      assert.deepEqual(['llama3.2:latest', 'org/Model', 'C:\\m\\a b.gguf', '...', 'x'.repeat(90)].map(endpointName), [
        'llama3.2-latest',
        'org-Model',
        'a-b',
        'model',
        'x'.repeat(50),
      ]);
    });

    it('knows embedding models by their names', () => {
      for (const name of [
        'nomic-embed-text',
        'all-MiniLM-L6-v2',
        'bge-m3',
        'text-embedding-3-small',
        'multilingual-e5-large',
        'gte-base',
      ])
        assert.equal(taskByName(name), 'embedding', name);
      for (const name of ['llama3.2', 'qwen3:8b', 'mistral-7b', 'smollm2-135m-instruct', 'gemma3'])
        assert.equal(taskByName(name), 'chat', name);
    });

    it("serves an upstream's model on a created endpoint", async () => {
      answers(whole({ content: 'Hi' }));
      const models = upstream('ollama');
      await models.create({ name: 'mine', config: { served_entities: [{ entity_name: 'm' }] } });
      assert.equal(bodyOf<WireChat>(await models.invoke('mine', { messages, n: 2 })).choices.length, 2);
    });
  });
});
