import assert from 'node:assert/strict';
import { asChatChunk } from '../../../../src/api/client/inference/chunk.ts';
import { AnswerReader, type AnswerDelta, join } from '../../../../src/api/schema/inference/answer.ts';
import type { ChatChunk } from '../../../../src/api/schema/inference/chat.ts';

interface Fragment {
  index?: number;
  id?: string | null;
  name?: string | null;
  args?: unknown;
}

/** The calls of a stream of one choice: each inner list is one chunk. */
function callsOf(chunks: readonly (readonly Fragment[])[]): [id: string, name: string, args: string][] {
  const reader = new AnswerReader();
  let answer: AnswerDelta = { choices: [] };
  for (const fragments of chunks) {
    const calls = fragments.map(({ index, id, name, args }) => ({
      index,
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
    const chunk = asChatChunk({ choices: [{ index: 0, delta: { tool_calls: calls } }] });
    assert.ok(chunk);
    answer = join(answer, reader.read(chunk));
  }
  const calls = answer.choices[0]?.toolCalls ?? [];
  assert.deepEqual(
    calls.map(({ index }) => index),
    calls.map((_, position) => position),
    'numbered in order',
  );
  return calls.map(({ id = '', name = '', arguments: given = '' }) => [id, name, given]);
}

const paris: [string, string, string] = ['a', 'get_weather', '{"city":"Paris"}'];

const rome: [string, string, string] = ['b', 'get_weather', '{"city":"Rome"}'];

const withoutIds = [paris, rome].map(([, name, args]) => ['', name, args]);

describe('AnswerReader', () => {
  const shapes: Record<string, { chunks: Fragment[][]; calls?: unknown }> = {
    'as the document has it': {
      chunks: [
        [{ index: 0, id: 'a', name: 'get_weather', args: '' }],
        [{ index: 0, args: '{"city":' }],
        [{ index: 0, args: '"Paris"}' }],
        [{ index: 1, id: 'b', name: 'get_weather', args: '' }],
        [{ index: 1, args: '{"city":"Rome"}' }],
      ],
    },
    'fragments of two calls in turns': {
      chunks: [
        [{ index: 0, id: 'a', name: 'get_weather' }],
        [{ index: 1, id: 'b', name: 'get_weather' }],
        [{ index: 0, args: '{"city":' }],
        [{ index: 1, args: '{"city":' }],
        [{ index: 0, args: '"Paris"}' }],
        [{ index: 1, args: '"Rome"}' }],
      ],
    },
    'name and id repeated in each fragment': {
      chunks: [
        [{ index: 0, id: 'a', name: 'get_weather', args: '{"city"' }],
        [{ index: 0, id: 'a', name: 'get_weather', args: ':"Paris"}' }],
        [{ index: 1, id: 'b', name: 'get_weather', args: '{"city":"Rome"' }],
        [{ index: 1, id: 'b', name: 'get_weather', args: '}' }],
      ],
    },
    'every call numbered 0, whole, without ids': {
      chunks: [
        [{ index: 0, name: 'get_weather', args: '{"city":"Paris"}' }],
        [{ index: 0, name: 'get_weather', args: '{"city":"Rome"}' }],
      ],
      calls: withoutIds,
    },
    'no index, ids in turns': {
      chunks: [
        [{ id: 'a', name: 'get_weather', args: '{"city":' }],
        [{ id: 'b', name: 'get_weather', args: '{"city":' }],
        [{ id: 'a', args: '"Paris"}' }],
        [{ id: 'b', args: '"Rome"}' }],
      ],
    },
    'no index, the id in the first fragment only': {
      chunks: [
        [{ id: 'a', name: 'get_weather' }],
        [{ args: '{"city":"Paris"}' }],
        [{ id: 'b', name: 'get_weather' }],
        [{ args: '{"city":"Rome"}' }],
      ],
    },
    'no index, no id, whole': {
      chunks: [[{ name: 'get_weather', args: '{"city":"Paris"}' }], [{ name: 'get_weather', args: '{"city":"Rome"}' }]],
      calls: withoutIds,
    },
    'all in one chunk, all numbered 0': {
      chunks: [
        [
          { index: 0, id: 'a', name: 'get_weather', args: '{"city":"Paris"}' },
          { index: 0, id: 'b', name: 'get_weather', args: '{"city":"Rome"}' },
        ],
      ],
    },
    'a new id with each fragment': {
      chunks: [
        [{ index: 0, id: 'a', name: 'get_weather', args: '' }],
        [{ index: 0, id: 'x', args: '{"city":"Pa' }],
        [{ index: 0, id: 'y', args: 'ris"}' }],
        [{ index: 1, id: 'b', name: 'get_weather', args: '' }],
        [{ index: 1, id: 'z', args: '{"city":"Rome"}' }],
      ],
    },
    'arguments as an object': {
      chunks: [
        [{ id: 'a', name: 'get_weather', args: { city: 'Paris' } }],
        [{ id: 'b', name: 'get_weather', args: { city: 'Rome' } }],
      ],
    },
    'nulls where nothing is said': {
      chunks: [
        [{ index: 0, id: 'a', name: 'get_weather', args: null }],
        [{ index: 0, id: null, name: null, args: '{"city":"Paris"}' }],
        [{ index: 1, id: 'b', name: 'get_weather', args: '{"city":"Rome"}' }],
      ],
    },
    'braces in the text of arguments': {
      chunks: [[{ index: 0, name: 'f', args: '{"a":"}' }], [{ index: 0, name: 'f', args: '{\\""}' }]],
      calls: [['', 'f', '{"a":"}{\\""}']],
    },
    'a fragment that begins with an object inside': {
      chunks: [[{ index: 0, id: 'a', name: 'f', args: '{"a":' }], [{ index: 0, id: 'a', name: 'f', args: '{"b":1}}' }]],
      calls: [['a', 'f', '{"a":{"b":1}}']],
    },
  };
  for (const [name, { chunks, calls = [paris, rome] }] of Object.entries(shapes)) {
    it(`reads the same tool calls: ${name}`, () => assert.deepEqual(callsOf(chunks), calls));
  }

  it('joins chunks to the same answer in any grouping', () => {
    const reader = new AnswerReader();
    const deltas = Array.from({ length: 12 }, (_, index) =>
      reader.read(
        asChatChunk({
          model: `m${index}`,
          usage: index % 4 === 3 ? { total_tokens: index } : null,
          choices: [
            {
              index: index % 3,
              delta: {
                content: `${index} `,
                tool_calls: [{ index: index % 2, id: `c${index % 2}`, function: { name: 'f', arguments: `${index}` } }],
              },
              logprobs: { content: [{ token: `${index}`, logprob: -1 }] },
              finish_reason: index > 8 ? 'stop' : null,
            },
          ],
        }) ?? {},
      ),
    );
    const whole = deltas.reduce(join);
    for (let at = 1; at < deltas.length; at += 1)
      assert.deepEqual(join(deltas.slice(0, at).reduce(join), deltas.slice(at).reduce(join)), whole, `cut at ${at}`);
    assert.deepEqual(
      [whole.model, whole.usage, whole.choices[0]?.text, reader.isComplete],
      ['m11', { total_tokens: 11 }, '0 3 6 9 ', true],
    );
  });
});

describe('Chunk deltas', () => {
  const read = (...chunks: unknown[]): unknown[] => {
    const reader = new AnswerReader();
    return chunks.map((chunk) => reader.read(chunk as ChatChunk));
  };

  it('identify choices by index, or by position without one', () => {
    assert.deepEqual(
      read({
        choices: [
          { index: 4000, delta: { content: 'a' } },
          { index: 4001, delta: { content: 'b' } },
          { index: -1, delta: { content: 'c' } },
          { index: 0.5, delta: { content: 'd' } },
          { delta: { content: 'e' } },
        ],
      }),
      [
        {
          choices: [
            { choice: 4000, text: 'a' },
            { choice: 1, text: 'b' },
            { choice: 2, text: 'c' },
            { choice: 3, text: 'd' },
            { choice: 4, text: 'e' },
          ],
        },
      ],
    );
  });

  it('read reasoning in each known place', () => {
    for (const delta of [
      { reasoning_content: 'r' },
      { reasoning: 'r' },
      { content: [{ type: 'reasoning', text: 'r' }] },
      { content: [{ type: 'thinking', thinking: 'r' }] },
      { content: [{ type: 'reasoning', reasoning: 'r' }] },
      { content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'r' }, 5, { text: 5 }] }] },
    ])
      assert.deepEqual(
        read({ choices: [{ delta }] }),
        [{ choices: [{ choice: 0, reasoning: 'r' }] }],
        JSON.stringify(delta),
      );
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: 'r' },
      { type: 'image', text: 'x' },
    ];
    assert.deepEqual(read({ choices: [{ delta: { content: parts } }] }), [
      { choices: [{ choice: 0, text: 'a', reasoning: 'r' }] },
    ]);
  });

  it('include model, usage and complete log probabilities', () => {
    assert.deepEqual(
      read({
        model: 'm',
        usage: { total_tokens: 3, prompt_tokens: Infinity },
        choices: [
          {
            delta: {},
            logprobs: {
              content: [
                { token: 'a', logprob: -1, top_logprobs: [{ token: 'b', logprob: -2 }, { token: 'c' }] },
                { token: 'd' },
                { logprob: -1 },
              ],
            },
          },
        ],
      }),
      [
        {
          model: 'm',
          usage: { total_tokens: 3 },
          choices: [
            { choice: 0, logprobs: [{ token: 'a', logprob: -1, alternatives: [{ token: 'b', logprob: -2 }] }] },
          ],
        },
      ],
    );
    assert.deepEqual(read({ model: '', usage: {} }), [{ choices: [] }]);
  });

  it('leave out tool calls beyond the limit', () => {
    const call = { function: { name: 'f', arguments: '{}' } };
    const calls = Array.from({ length: 1100 }, (_, index) => ({ index, id: `c${index}`, ...call }));
    const [delta] = read({ choices: [{ delta: { tool_calls: calls } }] }) as AnswerDelta[];
    assert.equal(delta?.choices[0]?.toolCalls?.length, 1001);
  });
});
