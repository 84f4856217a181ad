import assert from 'node:assert/strict';
import { unexplainedEnd as whole } from '../../../../../src/api/schema/inference/answer.ts';
import type { ChatChunk, ChatRequest } from '../../../../../src/api/schema/inference/schemas.ts';
import { documentChunks } from '../../../../../src/service/models/upstream/chatStream.ts';
import type { WireChatChunk } from '../../../../../src/service/models/wire.ts';
import { isAppError } from '../../../../../src/shared/errors.ts';

const head = { id: 'own', created: 9, model: 'mine' };

/** What becomes of the chunks of a server. */
async function chunksOf(chunks: readonly object[], request: object = {}): Promise<WireChatChunk[]> {
  const read: WireChatChunk[] = [];
  async function* received(): AsyncGenerator<ChatChunk> {
    for (const chunk of chunks) yield chunk as ChatChunk;
  }
  const asked = { messages: [], ...request } as unknown as ChatRequest;
  for await (const chunk of documentChunks(received(), asked, head, { label: 'lab' })) read.push(chunk);
  return read;
}

/** Each choice as `index: delta finish_reason`. */
async function shown(chunks: readonly object[], request?: object): Promise<string[]> {
  return (await chunksOf(chunks, request)).flatMap(({ choices, usage }) =>
    choices.map(
      ({ index, delta, finish_reason: end }) => `${index}: ${JSON.stringify(delta)} ${end}${usage ? ' usage' : ''}`,
    ),
  );
}

const part = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
const end = (reason: string, index = 0) => ({ choices: [{ index, delta: {}, finish_reason: reason }] });
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };

describe("a server's chunks as the document has them", () => {
  it('have the role in the first, the end in the last alone, and nothing between that says nothing', async () => {
    assert.deepEqual(
      await shown([
        part({ role: 'assistant' }),
        part({ content: 'a' }),
        part({ content: '' }),
        part({ content: 'b' }),
        end('length'),
      ]),
      [
        '0: {"role":"assistant","content":""} null',
        '0: {"content":"a"} null',
        '0: {"content":"b"} null',
        '0: {} length',
      ],
    );
    assert.deepEqual(await shown([part({ content: 'a' }, { finish_reason: 'stop' })]), [
      '0: {"role":"assistant","content":"a"} null',
      '0: {} stop',
    ]);
    assert.deepEqual(await shown([part({ reasoning_content: 'hm' }), part({ content: 'a' }), end('stop')]), [
      '0: {"role":"assistant","content":"","reasoning_content":"hm"} null',
      '0: {"content":"a"} null',
      '0: {} stop',
    ]);
  });

  it("have the server's id and model where it names them, the service's time always, and the last usage at the very end", async () => {
    const chunks = await chunksOf([
      { ...part({ content: 'a' }), id: '', created: 1, usage: { ...usage, completion_tokens: 1 } },
      { ...end('stop'), id: 'theirs', model: 'real' },
      { usage },
    ]);
    assert.deepEqual(
      chunks.map(({ id, model, created, object, usage: told }) => [
        id,
        model,
        created,
        object,
        told?.completion_tokens,
      ]),
      [
        ['own', 'mine', 9, 'chat.completion.chunk', undefined],
        ['theirs', 'real', 9, 'chat.completion.chunk', 2],
      ],
    );
    const two = await shown([end('stop'), end('stop', 1), { usage }], { n: 2 });
    assert.deepEqual(two.slice(-2), ['0: {} stop', '1: {} stop usage']);
    const others = await shown([end('length', 1), end('stop'), { usage }], { n: 2 });
    assert.deepEqual(others.slice(-2).toSorted(), ['0: {} stop usage', '1: {} length']);
  });

  const call = (delta: object, index = 0) => part({ tool_calls: [{ index, ...delta }] });
  const tools = { tools: [{ type: 'function', function: { name: 'add', parameters: {} } }] };

  it('name a call once, with an id of its own if the server gave none, and end with tool_calls', async () => {
    const named = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a"' } };
    const chunks = await shown([call(named), call({ function: { arguments: ':1}' } }), end('stop')], tools);
    assert.deepEqual(chunks, [
      `0: ${JSON.stringify({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...named }] })} null`,
      `0: ${JSON.stringify({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] })} null`,
      '0: {} tool_calls',
    ]);
    const [first] = await chunksOf(
      [call({ function: { name: 'add' } }), call({ function: { arguments: '{}' } }), end('stop')],
      tools,
    );
    const [made] = first?.choices[0]?.delta.tool_calls ?? [];
    assert.match(made?.id ?? '', /^call-[0-9a-f]{32}$/);
    assert.deepEqual(made?.function, { name: 'add', arguments: '' });
    assert.equal(
      (await shown([call(named), call({ function: { arguments: ':1}' } }), end('length')], tools)).at(-1),
      '0: {} length',
    );
  });

  it('name a call also where its name comes after it began, and know the calls of each choice by themselves', async () => {
    const two = (index: number, delta: object) => ({
      choices: [{ index, delta: { tool_calls: [{ index: 0, ...delta }] } }],
    });
    const [first, second] = ['c1', 'c2'].map((id) => ({
      id,
      type: 'function',
      function: { name: 'add', arguments: '{' },
    }));
    assert.deepEqual(
      await shown(
        [
          two(0, { id: 'c1', function: { arguments: '' } }),
          two(1, second ?? {}),
          two(0, { function: { name: 'add', arguments: '{' } }),
          two(0, { function: { arguments: '}' } }),
          two(1, { function: { arguments: '}' } }),
          end('stop'),
          end('stop', 1),
        ],
        { ...tools, n: 2 },
      ),
      [
        `0: ${JSON.stringify({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...first, function: { name: '', arguments: '' } }] })} null`,
        `1: ${JSON.stringify({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...second }] })} null`,
        `0: ${JSON.stringify({ tool_calls: [{ index: 0, function: { name: 'add', arguments: '{' } }] })} null`,
        `0: ${JSON.stringify({ tool_calls: [{ index: 0, function: { arguments: '}' } }] })} null`,
        `1: ${JSON.stringify({ tool_calls: [{ index: 0, function: { arguments: '}' } }] })} null`,
        '0: {} tool_calls',
        '1: {} tool_calls',
      ],
    );
  });

  const logprobs = { content: [{ token: 'a', logprob: -1 }] };
  it('pass log probabilities on, and are refused without those that were asked for', async () => {
    const chunks = await chunksOf(
      [part({ content: 'a' }, { logprobs }), part({ content: 'b' }), part({}, { logprobs }), end('stop')],
      { logprobs: true },
    );
    assert.deepEqual(
      chunks.map(({ choices: [choice] }) => [choice?.delta.content, choice?.logprobs?.content?.[0]?.token]),
      [
        ['a', 'a'],
        ['b', undefined],
        [undefined, 'a'],
        [undefined, undefined],
      ],
    );
    const ofEach = [0, 1].map((index) => ({
      index,
      delta: { content: 'x' },
      logprobs: { content: [{ token: `of ${index}`, logprob: -1 }] },
      finish_reason: 'stop',
    }));
    assert.deepEqual(
      (await chunksOf([{ choices: ofEach }], { n: 2, logprobs: true }))
        .flatMap(({ choices }) => choices)
        .map(({ index, logprobs: told }) => [index, told?.content?.[0]?.token]),
      [
        [0, 'of 0'],
        [1, 'of 1'],
        [0, undefined],
        [1, undefined],
      ],
      'each choice has its own',
    );
    const without = [part({ content: 'a' }), end('stop')];
    await assert.rejects(
      chunksOf(without, { logprobs: true }),
      (error) => isAppError(error) && error.kind === 'invalid' && /logprobs: lab gave none/.test(error.message),
    );
    assert.equal((await chunksOf(without, { logprobs: false })).length, 2);
  });

  it('are whole without a finish_reason only where usage and the end mark say so, for each choice that was asked for', async () => {
    assert.deepEqual((await shown([part({ content: 'a' }), { usage }, whole])).at(-1), '0: {} stop usage');
    for (const [chunks, request, kind, text] of [
      [[part({ content: 'a' }), whole], {}, 'cutOff', /lab broke off its answer: it ended without a finish_reason/],
      [[part({ content: 'a' }), { usage }, whole], { n: 2 }, 'cutOff', /without a finish_reason/],
      [[part({ content: 'a' }), { usage }], {}, 'cutOff', /without a finish_reason/],
      [[], {}, 'cutOff', /lab ended its answer before it began/],
      [[{ usage }, whole], {}, 'cutOff', /before it began/],
      [[end('stop')], { n: 2 }, 'protocol', /lab gave 1 choices of the 2 that were asked for/],
      [
        [end('stop')],
        { ...tools, tool_choice: 'required' },
        'protocol',
        /The model of lab broke .*: it called no function.* Try again, or use a more/,
      ],
    ] as const)
      await assert.rejects(
        chunksOf(chunks, request),
        (error) => isAppError(error) && error.kind === kind && text.test(error.message),
        String(text),
      );
  });
});
