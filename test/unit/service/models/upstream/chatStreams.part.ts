import assert from 'node:assert/strict';
import { createUpstreamChat } from '../../../../../src/service/models/upstream/upstreamChat.ts';
import type { WireChatChunk } from '../../../../../src/service/models/wire.ts';
import { chunksOf, refusal } from '../support.ts';
import { answered, called, ChatBench, counts, refused, tool, type ChatScript } from './chatBench.ts';

const piece = (delta: object, finish: string | null = null, more: object = {}): object => ({
  id: 'up-1',
  model: 'real',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const counted = { choices: [], usage: counts(10, 5) };
const call = piece({ tool_calls: [{ index: 0, ...called('f') }] });

type Told = Pick<WireChatChunk, 'id' | 'model' | 'created' | 'usage'> & WireChatChunk['choices'][number];
/** Each piece with its one choice. */
const flat = (chunks: readonly WireChatChunk[]): Told[] =>
  chunks.map(({ choices, object, ...rest }) => {
    assert.deepEqual([object, choices.length], ['chat.completion.chunk', 1]);
    return { ...rest, ...(choices[0] as WireChatChunk['choices'][number]) };
  });
async function streamed(script: ChatScript, request: object = {}): Promise<[Told[], ChatBench]> {
  const bench = new ChatBench(createUpstreamChat, script);
  return [flat(await chunksOf<WireChatChunk>(await bench.ask({ stream: true, ...request }))), bench];
}
const texts = (told: readonly Told[]): string => told.map(({ delta }) => delta.content ?? '').join('');

describe('the chat of a model server in pieces', () => {
  it('has those of the server, under the name that it gives', async () => {
    const events = [piece({ role: 'assistant', content: 'He' }), piece({ content: 'llo' }), piece({}, 'stop'), counted];
    const [told, { sent, signal }] = await streamed({ streams: [events] });
    const head = { id: 'up-1', model: 'real', created: 1999, index: 0 };
    assert.deepEqual(told, [
      { ...head, delta: { role: 'assistant', content: 'He' }, finish_reason: null },
      { ...head, delta: { content: 'llo' }, finish_reason: null },
      // The last event had neither of them; ours is used again.
      { ...told[2], created: 1999, index: 0, delta: {}, finish_reason: 'stop', usage: counts(10, 5) },
    ]);
    const [asked] = sent;
    assert.deepEqual(
      [sent.length, asked?.what, asked?.body?.['stream'], asked?.body?.['stream_options'], asked?.options.signal],
      [1, 'stream', true, { include_usage: true }, signal],
    );
  });

  it('is named here where the server names nothing', async () => {
    const [told] = await streamed({ streams: [[{ choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] }]] });
    assert.match(told[0]?.id ?? '', /^chatcmpl-/);
    assert.deepEqual([told[0]?.model, new Set(told.map(({ id }) => id)).size], ['m', 1]);
  });

  it('is read from a server that answers whole', async () => {
    const [told] = await streamed({ streams: [[answered({ role: 'assistant', content: 'Hi' })]] });
    assert.deepEqual([texts(told), told.at(-1)?.finish_reason, told.at(-1)?.usage], ['Hi', 'stop', counts(10, 5)]);
  });

  it('keeps a piece that stands beside a whole message, and what has no choices at all', async () => {
    const both = {
      choices: [{ index: 0, delta: { content: 'a' }, message: { content: 'whole' }, finish_reason: 'stop' }],
    };
    assert.equal(texts((await streamed({ streams: [[{ id: 'x' }, both]] }))[0]), 'a');
  });

  it('is whole without a reason only where it is counted and its end is marked', async () => {
    const events = [piece({ content: 'a' }), counted];
    const [told] = await streamed({ streams: [events], isMarked: true });
    assert.equal(told.at(-1)?.finish_reason, 'stop');
    assert.equal((await refusal(streamed({ streams: [events] }))).kind, 'cutOff');
    assert.equal((await refusal(streamed({ streams: [[piece({ content: 'a' })]], isMarked: true }))).kind, 'cutOff');
  });

  it('is checked for nobody who has left', async () => {
    const stop = new AbortController();
    stop.abort();
    const bench = new ChatBench(createUpstreamChat, { streams: [[piece({ content: '{}' }, 'stop')]] }, stop.signal);
    const answer = await bench.ask({ stream: true, response_format: { type: 'json_object' } });
    await assert.rejects(chunksOf(answer), { name: 'AbortError' });
  });

  it('is refused at once, and not when it is read', async () => {
    const bench = new ChatBench(createUpstreamChat, { streams: [[refused('network', 'Away.')]] });
    assert.equal((await refusal(bench.ask({ stream: true }))).message, 'Away.');
  });

  it('is asked as often as there are choices, whose pieces have one name, and are counted together at the very end', async () => {
    const stream = (id: string, text: string): object[] => [
      piece({ content: text }, null, { id }),
      piece({ content: '!' }, null, { id }),
      piece({}, 'stop', { id }),
      counted,
    ];
    const [told, { sent }] = await streamed(
      { kind: 'ollama', streams: [stream('a', 'A'), stream('b', 'B')] },
      { n: 2 },
    );
    assert.deepEqual(
      [0, 1].map((wanted) => texts(told.filter(({ index }) => index === wanted))),
      ['A!', 'B!'],
    );
    assert.deepEqual([sent.length, sent[0]?.body?.['n']], [2, undefined]);
    assert.match(told[0]?.id ?? '', /^chatcmpl-/);
    assert.equal(new Set(told.map(({ id }) => id)).size, 1);
    assert.deepEqual(
      told.map(({ usage }) => usage).filter((usage) => usage !== undefined),
      [counts(10, 10)],
    );
    assert.ok(told.at(-1)?.usage);
    const [uncounted] = await streamed(
      { kind: 'ollama', streams: [[piece({ content: 'a' }, 'stop')], [piece({ content: 'b' }, 'stop')]] },
      { n: 2 },
    );
    assert.ok(uncounted.every((each) => !('usage' in each)));
    const two = { choices: [0, 1].map((index) => ({ index, delta: { content: 'x' }, finish_reason: 'stop' })) };
    const [together, { sent: once }] = await streamed({ kind: 'vllm', streams: [[two]] }, { n: 2 });
    assert.deepEqual([once.length, once[0]?.body?.['n'], texts(together)], [1, 2, 'xx']);
  });
});

describe('a call in the pieces of a model server', () => {
  const tools = [tool('f')];
  const required = { tools, tool_choice: 'required' };
  const inWords = answered({ content: '{"a":5}' });
  const ofWords = [
    [0, { role: 'assistant', content: null }, null],
    [0, { tool_calls: [{ index: 0, type: 'function', function: { name: 'f', arguments: '{"a":5}' } }] }, null],
    [0, {}, 'tool_calls'],
  ];
  /** Without the ids of calls, which are new each time. */
  const plain = (told: readonly Told[]): unknown[] =>
    told.map(({ index, delta, finish_reason: reason }) => [
      index,
      delta.tool_calls ? { ...delta, tool_calls: delta.tool_calls.map(({ id: _id, ...rest }) => rest) } : delta,
      reason,
    ]);

  it('is passed on from where it begins, with all before it', async () => {
    const events = [
      piece({ role: 'assistant', content: '' }),
      piece({ content: ' \n' }),
      call,
      piece({}, 'tool_calls'),
      counted,
    ];
    const [told, bench] = await streamed({ streams: [events] }, required);
    assert.deepEqual(
      told.map(({ delta }) => [delta.content, delta.tool_calls?.length]),
      [
        ['', undefined],
        [' \n', undefined],
        [undefined, 1],
        [undefined, undefined],
      ],
    );
    assert.deepEqual(
      [bench.kinds, told.at(-1)?.finish_reason, told.at(-1)?.usage],
      ['stream', 'tool_calls', counts(10, 5)],
    );
  });

  for (const [what, events] of [
    ['begins with a text', [piece({ content: 'No' }), piece({ content: ' way' }), piece({}, 'stop')]],
    ['ends without a call', [piece({ content: ' ' }), piece({}, 'stop')]],
    ['refuses functions', [refused('rejected', 'does not support tools')]],
  ] as const)
    it(`is asked for in words where the server ${what}, and nothing of that is passed on`, async () => {
      const [told, bench] = await streamed({ streams: [events], whole: [inWords] }, required);
      assert.deepEqual(plain(told), ofWords);
      assert.deepEqual(
        told.map(({ usage }) => usage),
        [undefined, undefined, counts(10, 5)],
      );
      assert.ok(told.every(({ id, model, created }) => id === 'up-1' && model === 'real' && created === 5));
      assert.deepEqual([bench.kinds, 'tools' in (bench.sent[1]?.body ?? {})], ['stream chat', false]);
    });

  it('is what there is where the answer was cut before it', async () => {
    const events = [piece({ content: ' ' }), piece({}, 'length')];
    const [told, bench] = await streamed({ streams: [events] }, required);
    assert.deepEqual([texts(told), told.at(-1)?.finish_reason, bench.kinds], [' ', 'length', 'stream']);
  });

  it('is not asked for again after another failure, or when something was passed on', async () => {
    const away = new ChatBench(createUpstreamChat, { streams: [[refused('network', 'Away.')]], whole: [inWords] });
    assert.equal((await refusal(away.ask({ stream: true, ...required }))).message, 'Away.');
    for (const request of [required, { tools }]) {
      const events = [request === required ? call : piece({ content: 'a' }), refused('rejected', 'tools are gone')];
      const bench = new ChatBench(createUpstreamChat, { streams: [events], whole: [inWords] });
      const answer = await bench.ask({ stream: true, ...request });
      assert.equal((await refusal(chunksOf(answer))).message, 'tools are gone');
      assert.equal(bench.kinds, 'stream');
    }
    const wrong = [piece({ tool_calls: [{ index: 0, ...called('other') }] }), piece({}, 'tool_calls')];
    const bench = new ChatBench(createUpstreamChat, { streams: [wrong], whole: [inWords] });
    assert.match(
      (await refusal(chunksOf(await bench.ask({ stream: true, ...required })))).message,
      /other, which is not among/,
    );
    assert.equal(bench.kinds, 'stream');
  });

  it('may be left to the model, whose text is then passed on as it comes', async () => {
    const [told, bench] = await streamed({ streams: [[piece({ content: 'Hi' }), piece({}, 'stop')]] }, { tools });
    assert.deepEqual([texts(told), bench.kinds], ['Hi', 'stream']);
  });

  it('is told whole where functions are told in words from the first', async () => {
    const props = { chat_template_caps: { supports_tools: false } };
    const [told, bench] = await streamed(
      { kind: 'llamacpp', props, whole: [answered({ content: '{"answer":"Hi"}' })] },
      { tools },
    );
    assert.deepEqual(plain(told), [
      [0, { role: 'assistant', content: 'Hi' }, null],
      [0, {}, 'stop'],
    ]);
    assert.equal(bench.kinds, 'props chat');
    const calls = answered({ content: '{"name":"f","arguments":{"a":5}}' });
    const [two] = await streamed({ kind: 'llamacpp', props, whole: [calls, calls] }, { tools, n: 2 });
    assert.deepEqual(plain(two), [
      ofWords[0],
      ofWords[1],
      [1, { role: 'assistant', content: null }, null],
      [1, { tool_calls: [{ index: 0, type: 'function', function: { name: 'f', arguments: '{"a":5}' } }] }, null],
      [0, {}, 'tool_calls'],
      [1, {}, 'tool_calls'],
    ]);
    assert.deepEqual(
      two.map(({ usage }) => usage),
      [undefined, undefined, undefined, undefined, undefined, counts(10, 10)],
    );
  });
});
