import assert from 'node:assert/strict';
import { createModels } from '../../../../../src/service/models/models.ts';
import type { WireChat, WireChatChunk } from '../../../../../src/service/models/wire.ts';
import { answerJson } from '../../../../support/httpServer.ts';
import { bodyOf, chatTexts, chunksOf, refusal } from '../support.ts';
import { add, type Body, call, delta, messages, other, stream, upstreamBench, usage, whole } from './upstreamBench.ts';

describe('an upstream chat model', () => {
  const bench = upstreamBench();
  const { upstream, sent, answers } = bench;

  describe('as an endpoint', () => {
    it('answers in the documented format and receives every sampling value', async () => {
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
      assert.equal(bench.server.requests[0]?.url, '/v1/chat/completions');
    });

    const topK: readonly (readonly [kind: string, topK: number | null, expected: Body | RegExp])[] = [
      ['llamacpp', null, { top_k: 0, temperature: 1 }],
      ['ollama', null, { top_k: undefined, temperature: 1 }],
      ['ollama', 40, /top_k: Ollama does not take it/],
    ];
    for (const [kind, value, expected] of topK) {
      it(`sends, emulates or refuses top_k ${value} on ${kind}`, async () => {
        answers(whole({ content: 'Hi' }));
        const request = upstream(kind).invoke('m', { messages, top_k: value });
        if (expected instanceof RegExp) {
          assert.match((await refusal(request)).message, expected);
          assert.equal(bench.server.requests.length, 0);
        } else {
          await request;
          for (const [name, wanted] of Object.entries(expected)) assert.equal(sent()[name], wanted);
        }
      });
    }

    it('emulates n with several calls, or passes it on', async () => {
      answers(whole({ content: 'Hi' }));
      const emulated = bodyOf<WireChat>(await upstream('ollama').invoke('m', { messages, n: 3 }));
      assert.deepEqual(
        emulated.choices.map((choice) => choice.index),
        [0, 1, 2],
      );
      assert.deepEqual(emulated.usage, { prompt_tokens: 10, completion_tokens: 15, total_tokens: 25 });
      assert.equal(bench.server.requests.length, 3);
      assert.equal(sent()['n'], undefined);
      const two = whole({ content: 'Hi' });
      answers({ ...two, choices: [two.choices[0], { ...two.choices[0], index: 1 }] });
      assert.equal(bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, n: 2 })).choices.length, 2);
      assert.equal(sent()['n'], 2);
      answers(whole({ content: 'Hi' }));
      assert.match((await refusal(upstream('vllm').invoke('m', { messages, n: 2 }))).message, /1 choices of the 2/);
    });

    it('streams the role first, and finish_reason and usage last', async () => {
      bench.handler = (_request, response) =>
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

    it('answers a stream request even if the server does not stream', async () => {
      answers(whole({ content: 'Hi' }));
      assert.deepEqual(await chatTexts(await upstream('generic').invoke('m', { messages, stream: true })), ['Hi']);
    });

    const cuts: readonly (readonly [name: string, events: readonly (object | string)[], end: boolean, kind: string])[] =
      [
        ['ends without a finish_reason', [delta({ content: 'a' })], true, 'cutOff'],
        ['ends without a chunk', [], true, 'cutOff'],
        [
          'contains an error',
          [delta({ content: 'a' }), { error: { message: 'out of memory', code: 500 } }],
          true,
          'server',
        ],
      ];
    for (const [name, events, end, kind] of cuts) {
      it(`fails if a stream ${name}`, async () => {
        bench.handler = (_request, response) => stream(response, events, end);
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

    it('reports an error in the middle of a stream', async () => {
      const failure = '{"code":500,"message":"the slot was lost"}';
      for (const form of [`error: ${failure}`, `event: error\ndata: ${failure}`, `data: {"error":${failure}}`]) {
        bench.handler = (_request, response) => {
          stream(response, [delta({ content: 'a' })], false);
          response.end(`${form}\n\n`);
        };
        const error = await refusal(chunksOf(await upstream('generic').invoke('m', { messages, stream: true })));
        assert.deepEqual([error.kind, /the slot was lost/.test(error.message)], ['server', true], form);
      }
    });

    it('distinguishes a cut connection from a missing server', async () => {
      bench.handler = (_request, response) => {
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

    it('closes the connection on abort and when the reader stops', async () => {
      for (const leave of [false, true]) {
        let closed: (() => void) | undefined;
        const done = new Promise<void>((resolve) => (closed = resolve));
        bench.handler = (_request, response) => {
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

    it('times out if nothing arrives', async () => {
      bench.handler = () => undefined;
      const error = await refusal(upstream('generic', { timeoutInSeconds: 0.05 }).invoke('m', { messages }));
      assert.equal(error.kind, 'timeout');
      assert.equal(error.status, 504);
    });

    const failures: readonly (readonly [status: number, body: string, expected: number, kind: string, text: RegExp])[] =
      [
        [400, '{"error":{"message":"bad temperature"}}', 400, 'rejected', /bad temperature/],
        [400, '{"error":{"message":"maximum context length is 10 tokens"}}', 400, 'tooLarge', /context length/],
        [401, '{"error":"no key"}', 403, 'forbidden', /API key/],
        [429, 'slow down', 429, 'rateLimited', /slow down/],
        [200, 'hello', 502, 'protocol', /not JSON/],
        [200, '{"choices":[]}', 502, 'protocol', /without a choice/],
      ];
    for (const [status, body, expected, kind, text] of failures) {
      it(`maps status ${status} with ${body.slice(0, 30)}`, async () => {
        bench.handler = (_request, response) =>
          answerJson(response, body, status, status === 302 ? { location: 'http://elsewhere.invalid/' } : {});
        const error = await refusal(upstream('generic').invoke('m', { messages }));
        assert.deepEqual([error.status, error.kind], [expected, kind]);
        assert.match(error.message, text);
      });
    }
  });

  describe('with log probabilities', () => {
    it('maps them, and fails if the server returns none', async () => {
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
      bench.handler = (_request, response) => stream(response, [delta({ content: 'a' }), delta({}, 'stop')]);
      assert.match(
        (await refusal(upstream('ollama').invoke('m', { messages, logprobs: true, stream: true }))).message,
        /gave none/,
      );
    });
  });
});

describe('an upstream chat model with tools', () => {
  const bench = upstreamBench();
  const { upstream, sent, answers } = bench;

  describe('and functions', () => {
    it('passes them on and maps the call', async () => {
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

    it('sends only the forced function if the server knows only "required"', async () => {
      bench.handler = (request, response) =>
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

    it('requests a call as JSON if the server ignores tool_choice', async () => {
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

    it('sends no functions for "none" if the server ignores it', async () => {
      answers(whole({ content: 'Hi' }));
      await upstream('ollama').invoke('m', { messages, tools: [add], tool_choice: 'none' });
      assert.equal(sent()['tools'], undefined);
    });

    it('emulates them if the model or the server does not support them', async () => {
      bench.handler = (request, response) =>
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
      bench.handler = (request, response) => {
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

    it('requests a call as JSON if a required call is missing', async () => {
      bench.handler = (request, response) => {
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

    it('fails after a few attempts without a call', async () => {
      answers(whole({ content: 'I think' }));
      const error = await refusal(upstream('vllm').invoke('m', { messages, tools: [add], tool_choice: 'required' }));
      assert.match(error.message, /times: it called no function, although a call was required/);
      assert.deepEqual(
        bench.server.requests.map(({ body }) => 'tools' in (JSON.parse(body) as Body)),
        [true, false, false],
      );
    });

    it('retries once after wrong arguments, then fails', async () => {
      answers(whole(call('add', '{"a":"x"}'), 'tool_calls'), whole(call('add', '{"a":1,"b":2}'), 'tool_calls'));
      assert.equal(
        bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, tools: [add] })).choices[0]?.finish_reason,
        'tool_calls',
      );
      assert.equal(bench.server.requests.length, 2);
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

    it('reads the older single call and arguments that are no text, whole and in a stream', async () => {
      const request = { messages, tools: [add], tool_choice: 'required' };
      for (const message of [
        { content: null, function_call: { name: 'add', arguments: '{"a":1,"b":2}' } },
        { content: null, tool_calls: [{ id: 'c', function: { name: 'add', arguments: { a: 1, b: 2 } } }] },
      ]) {
        bench.answers(whole(message, 'function_call'));
        const [choice] = bodyOf<WireChat>(await upstream('vllm').invoke('m', request)).choices;
        assert.equal(choice?.message.tool_calls?.[0]?.function.arguments, '{"a":1,"b":2}');
        assert.equal(choice?.finish_reason, 'tool_calls');
      }
      bench.handler = (_request, response) =>
        stream(response, [
          delta({ function_call: { name: 'add', arguments: '{"a":1,' } }),
          delta({ function_call: { arguments: '"b":2}' } }),
          delta({}, 'function_call'),
        ]);
      const chunks = await chunksOf<WireChatChunk>(await upstream('vllm').invoke('m', { ...request, stream: true }));
      const fragments = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
      assert.equal(fragments.map((part) => part.function.arguments ?? '').join(''), '{"a":1,"b":2}');
    });

    it('streams calls in fragments, with or without an index', async () => {
      const parts = [
        { index: 0, id: 'c1', type: 'function', function: { name: 'add', arguments: '' } },
        { index: 0, function: { arguments: '{"a":1,' } },
        { index: 0, function: { arguments: '"b":2}' } },
      ];
      for (const numbered of [true, false]) {
        bench.handler = (_request, response) =>
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

  it('ends a truncated call with the finish_reason "length"', async () => {
    const cut = { index: 0, id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1,' } };
    bench.handler = (request, response) =>
      (JSON.parse(request.body) as Body)['stream'] === true
        ? stream(response, [delta({ tool_calls: [cut] }), delta({}, 'length')])
        : answerJson(response, JSON.stringify(whole(call('add', '{"a":1,'), 'length')));
    const chunks = await chunksOf<WireChatChunk>(
      await upstream('vllm').invoke('m', { messages, tools: [add], stream: true }),
    );
    assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'length');
    const answer = bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, tools: [add] }));
    assert.equal(answer.choices[0]?.finish_reason, 'length');
  });

  describe('and JSON answers', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    const response_format = { type: 'json_schema', json_schema: { name: 's', schema, strict: true } };

    it("requests JSON in each server's own way and validates it", async () => {
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

    it('never finishes an invalid stream', async () => {
      bench.handler = (_request, response) =>
        stream(response, [delta({ content: '{"a":' }), delta({ content: '"x"}' }), delta({}, 'stop')]);
      const answer = await upstream('vllm').invoke('m', { messages, response_format, stream: true });
      assert.equal((await refusal(chunksOf(answer))).kind, 'protocol');
      bench.handler = (_request, response) => stream(response, [delta({ content: '{"a":' }), delta({}, 'length')]);
      assert.deepEqual(
        await chatTexts(await upstream('vllm').invoke('m', { messages, response_format, stream: true })),
        ['{"a":'],
      );
    });
  });
});
