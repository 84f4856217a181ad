import assert from 'node:assert/strict';
import type { WireChat, WireChatChunk } from '../../../../../src/service/models/wire.ts';
import { answerJson } from '../../../../support/httpServer.ts';
import { bodyOf, chunksOf, refusal } from '../support.ts';
import { add, call, delta, messages, other, stream, upstreamBench, usage, whole, type Body } from './upstreamBench.ts';

describe('what servers leave out of their answers', () => {
  const bench = upstreamBench();
  const { upstream, answers } = bench;
  const ask = async (kind: string, more: object = {}): Promise<WireChat> =>
    bodyOf<WireChat>(await upstream(kind).invoke('m', { messages, ...more }));

  it('is filled in: id, time, model, place, reason and counts', async () => {
    const before = Math.floor(Date.now() / 1000);
    answers({ choices: [{ message: { content: 'Hello there, you' } }, { message: { content: 'Hi' } }] });
    const { id, created, model, choices, usage: counted } = await ask('vllm', { n: 2 });
    assert.match(id, /^chatcmpl-/);
    assert.ok(created >= before && created <= Date.now() / 1000, String(created));
    assert.deepEqual(
      [model, choices.map(({ index, finish_reason: reason }) => [index, reason])],
      [
        'm',
        [
          [0, 'stop'],
          [1, 'stop'],
        ],
      ],
    );
    assert.ok(counted.prompt_tokens > 0 && (counted.completion_tokens ?? 0) > 1, JSON.stringify(counted));
    assert.equal(counted.total_tokens, counted.prompt_tokens + (counted.completion_tokens ?? 0));
    answers({ choices: [{ message: { content: 'Hello there, you' } }] });
    const longer = (await ask('vllm', { messages: [...messages, ...messages] })).usage;
    assert.ok(longer.prompt_tokens > counted.prompt_tokens);
    assert.ok((longer.completion_tokens ?? 0) < (counted.completion_tokens ?? 0), 'every choice is counted');
  });

  it('is filled in for calls, too, whose arguments are counted', async () => {
    answers({ choices: [{ message: { content: 'aside', tool_calls: [{ function: { name: 'other' } }] } }] });
    const answer = await ask('vllm', { tools: [other] });
    const [choice] = answer.choices;
    assert.match(choice?.message.tool_calls?.[0]?.id ?? '', /^call/);
    assert.deepEqual(
      [choice?.finish_reason, choice?.message.content, choice?.message.tool_calls?.[0]?.function],
      ['tool_calls', null, { name: 'other', arguments: '{}' }],
    );
    assert.ok((answer.usage.completion_tokens ?? 0) > 5);
    answers(whole(call('other', '{}'), 'length'));
    assert.equal((await ask('vllm', { tools: [other] })).choices[0]?.finish_reason, 'length');
  });

  it('is no answer where it is the choices, or some of them', async () => {
    for (const body of [{}, { choices: [] }]) {
      answers(body);
      assert.match((await refusal(upstream('vllm').invoke('m', { messages }))).message, /answered without a choice/);
    }
    answers(whole({ content: 'Hi' }));
    assert.match(
      (await refusal(upstream('vllm').invoke('m', { messages, logprobs: true }))).message,
      /^logprobs: .* gave none\. Leave it out or use another server\.$/,
    );
    assert.equal('logprobs' in ((await ask('vllm')).choices[0] ?? {}), false);
  });

  it('are thoughts under one name or another', async () => {
    for (const [given, thought] of [
      [{ content: 'Hi', reasoning_content: 'hm' }, 'hm'],
      [{ content: 'Hi', reasoning: 'so' }, 'so'],
      [{ content: 'Hi', reasoning_content: 'hm', reasoning: 'so' }, 'hm'],
      [{ content: 'Hi', reasoning_content: '' }, undefined],
      [{ content: 'Hi', reasoning_content: 5 }, undefined],
    ] as const) {
      answers(whole(given));
      assert.deepEqual(
        Object.entries((await ask('vllm')).choices[0]?.message ?? {}).find(
          ([name]) => name === 'reasoning_content',
        )?.[1],
        thought,
      );
    }
  });
});

describe('choices and calls that a server does not know', () => {
  const bench = upstreamBench();
  const { upstream, sent } = bench;

  it('are streamed under one id and counted with the last: the prompt once, each answer', async () => {
    let count = 0;
    bench.handler = (_request, response) => {
      count += 1;
      const own = { prompt_tokens: 10, completion_tokens: count, total_tokens: 10 + count };
      const id = `up-${count}`;
      stream(response, [
        { ...delta({ content: id }), id },
        { ...delta({}, count === 1 ? 'length' : 'stop'), id },
        { ...delta({}), id, choices: [], usage: own },
      ]);
    };
    const chunks = await chunksOf<WireChatChunk>(
      await upstream('ollama').invoke('m', { messages, n: 3, stream: true, max_tokens: 4 }),
    );
    assert.equal(new Set(chunks.map(({ id }) => id)).size, 1);
    assert.match(chunks[0]?.id ?? '', /^chatcmpl-/);
    assert.deepEqual(
      chunks.map((chunk) => chunk.usage !== undefined),
      chunks.map((_chunk, place) => place === chunks.length - 1),
    );
    assert.deepEqual(chunks.at(-1)?.usage, { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 });
    const reasons = chunks.flatMap(({ choices }) => choices.flatMap((each) => each.finish_reason ?? []));
    assert.deepEqual(reasons.toSorted(), ['length', 'stop', 'stop']);
    assert.deepEqual(
      [...new Set(chunks.flatMap(({ choices }) => choices.map(({ index }) => index)))].toSorted(
        (left, right) => left - right,
      ),
      [0, 1, 2],
    );
    assert.deepEqual([bench.server.requests.length, sent()['n']], [3, undefined]);
  });

  it('are asked for four at a time', async () => {
    let [open, most] = [0, 0];
    bench.handler = (_request, response) => {
      most = Math.max(most, (open += 1));
      setTimeout(() => ((open -= 1), answerJson(response, JSON.stringify(whole({ content: 'Hi' })))), 40);
    };
    const answer = bodyOf<WireChat>(await upstream('ollama').invoke('m', { messages, n: 9 }));
    assert.deepEqual([answer.choices.length, bench.server.requests.length, most], [9, 9, 4]);
  });

  it('are streamed where they are asked for as JSON: the call in one piece, usage at the end', async () => {
    bench.handler = (request, response) => {
      const isAsked = !(JSON.parse(request.body) as Body)['tools'];
      answerJson(response, JSON.stringify(whole({ content: isAsked ? '{"a":1,"b":2}' : 'no' })));
    };
    const chunks = await chunksOf<WireChatChunk>(
      await upstream('ollama').invoke('m', { messages, tools: [add], tool_choice: 'required', n: 2, stream: true }),
    );
    assert.deepEqual(
      chunks.map(({ object, usage: counted, choices: [choice] }) => [
        object,
        choice?.index,
        choice?.delta.role ?? '',
        choice?.delta.content === null,
        choice?.delta.tool_calls?.map((each) => [each.index, each.function?.name, each.function?.arguments]).join() ??
          '',
        choice?.finish_reason,
        counted?.completion_tokens,
      ]),
      [
        [0, 'assistant', true, '', null, undefined],
        [0, '', false, '0,add,{"a":1,"b":2}', null, undefined],
        [1, 'assistant', true, '', null, undefined],
        [1, '', false, '0,add,{"a":1,"b":2}', null, undefined],
        [0, '', false, '', 'tool_calls', undefined],
        [1, '', false, '', 'tool_calls', 10],
      ].map((row) => ['chat.completion.chunk', ...row]),
    );
  });

  it('are asked for otherwise where a refusal is of functions, and only then', async () => {
    const refused = async (status: number, text: string, more: object): Promise<[number, boolean]> => {
      bench.server.requests.length = 0;
      bench.handler = (request, response) =>
        (JSON.parse(request.body) as Body)['tools']
          ? answerJson(response, JSON.stringify({ error: { message: text } }), status)
          : answerJson(response, JSON.stringify(whole({ content: '{"a":1,"b":2}' })));
      const done = await upstream('vllm')
        .invoke('m', { messages, tools: [add], tool_choice: 'required', ...more })
        .then(
          async (answer) => (more === streamed ? (await chunksOf(answer)).length > 0 : bodyOf(answer) !== undefined),
          () => false,
        );
      return [bench.server.requests.length, done];
    };
    const streamed = { stream: true };
    for (const more of [{}, streamed]) {
      for (const text of ['m does not support tools', 'no tool_choice here', 'Jinja: unknown'])
        assert.deepEqual(await refused(400, text, more), [2, true], text);
      assert.deepEqual(await refused(500, 'tool failed', more), [2, true]);
      assert.deepEqual(await refused(400, 'the toolbox is shut', more), [1, false]);
      assert.deepEqual(await refused(401, 'no tools', more), [1, false]);
    }
  });

  it('are left as they are where max_tokens cut the answer before its call', async () => {
    bench.handler = (_request, response) =>
      stream(response, [delta({ content: '  ' }), delta({}, 'length'), { ...delta({}), choices: [], usage }]);
    const chunks = await chunksOf<WireChatChunk>(
      await upstream('vllm').invoke('m', { messages, tools: [add], tool_choice: 'required', stream: true }),
    );
    assert.deepEqual(
      [bench.server.requests.length, chunks.at(-1)?.choices[0]?.finish_reason, chunks[0]?.choices[0]?.delta.content],
      [1, 'length', '  '],
    );
  });
});
