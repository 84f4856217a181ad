import assert from 'node:assert/strict';
import type { WireChat, WireChatChunk } from '../../../../../src/service/models/wire.ts';
import { answerJson } from '../../../../support/httpServer.ts';
import { bodyOf, chatTexts, chunksOf, refusal } from '../support.ts';
import { add, other, messages, whole, call, stream, delta, type Body, upstreamBench } from './upstreamBench.ts';

describe('upstreams', () => {
  const bench = upstreamBench();
  const { upstream, sent, answers } = bench;

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

    it('that are called without anything get an id and no arguments', async () => {
      answers(whole({ content: null, tool_calls: [{ type: 'function', function: { name: 'other' } }] }));
      const choice = bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, tools: [other] })).choices[0];
      const [made] = choice?.message.tool_calls ?? [];
      assert.match(made?.id ?? '', /^call-[0-9a-f]{32}$/);
      assert.deepEqual(made?.function, { name: 'other', arguments: '{}' });
      // What was cut is no call that is whole.
      answers(whole(call('other', '{}'), 'length'));
      const cut = bodyOf<WireChat>(await upstream('vllm').invoke('m', { messages, tools: [other] })).choices[0];
      assert.equal(cut?.finish_reason, 'length');
    });

    it('are narrowed to the forced one where only "required" is known', async () => {
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

    it('are asked for as JSON where a required call does not come, streamed or not', async () => {
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

    it('that do not come at all, asked for as JSON neither, are an error after a few tries', async () => {
      answers(whole({ content: 'I think' }));
      const error = await refusal(upstream('vllm').invoke('m', { messages, tools: [add], tool_choice: 'required' }));
      assert.match(error.message, /times: it called no function, although a call was required/);
      assert.deepEqual(
        bench.server.requests.map(({ body }) => 'tools' in (JSON.parse(body) as Body)),
        [true, false, false],
      );
    });

    it('with wrong arguments are asked for once more, then are an error', async () => {
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

    it('stream in fragments, numbered or not', async () => {
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

  it('calls that were cut off end as they were cut off, streamed or not', async () => {
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
