import assert from 'node:assert/strict';
import { AnswerReader, type AnswerDelta, unexplainedEnd } from '../../../../../src/api/schema/inference/answer.ts';
import type { ChatChunk } from '../../../../../src/api/schema/inference/chat.ts';

describe('what a chunk adds', () => {
  const read = (...chunks: unknown[]): unknown[] => {
    const reader = new AnswerReader();
    return chunks.map((chunk) => reader.read(chunk as ChatChunk));
  };

  it('choices are known by their index, or by their place where that is none', () => {
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

  it('reasoning is read in each place where servers put it', () => {
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
    assert.deepEqual(
      read({
        choices: [
          {
            delta: {
              content: [
                { type: 'text', text: 'a' },
                { type: 'thinking', thinking: 'r' },
                { type: 'image', text: 'x' },
              ],
            },
          },
        ],
      }),
      [{ choices: [{ choice: 0, text: 'a', reasoning: 'r' }] }],
    );
  });

  it('model, usage and log probabilities are given where they are whole', () => {
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

  it('an answer is complete when each choice that began has ended', () => {
    const reader = new AnswerReader();
    assert.deepEqual([reader.isComplete, reader.hasContent], [false, false]);
    reader.read({
      choices: [
        { index: 0, delta: { role: 'assistant' } },
        { index: 1, delta: { content: 'a' } },
      ],
    });
    assert.deepEqual([reader.isComplete, reader.hasContent], [false, true]);
    reader.read({ choices: [{ index: 0, finish_reason: 'stop' }] });
    assert.equal(reader.isComplete, false);
    assert.deepEqual(reader.read(unexplainedEnd), {
      choices: [{ choice: 1, finishReason: '' }],
    });
    assert.equal(reader.isComplete, true);
  });

  it('more tool calls than any model makes are left out', () => {
    const [delta] = read({
      choices: [
        {
          delta: {
            tool_calls: Array.from({ length: 1100 }, (_, index) => ({
              index,
              id: `c${index}`,
              function: { name: 'f', arguments: '{}' },
            })),
          },
        },
      ],
    }) as AnswerDelta[];
    assert.equal(delta?.choices[0]?.toolCalls?.length, 1001);
  });
});
