import assert from 'node:assert/strict';
import { AnswerReader, type AnswerDelta, join } from '../../../../../src/api/schema/inference/answer.ts';
import { replayClient } from '../../../../support/replayFetch.ts';

describe('a stream without a finish_reason', () => {
  const text = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n';
  const call =
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}\n\n';
  const usage = 'data: {"choices":[],"usage":{"total_tokens":3}}\n\n';
  const done = 'data: [DONE]\n\n';

  async function read(body: string, n = 1): Promise<{ answer: AnswerDelta; isComplete: boolean; error: unknown }> {
    const reader = new AnswerReader();
    let answer: AnswerDelta = { choices: [] };
    let error: unknown;
    try {
      for await (const chunk of replayClient([new TextEncoder().encode(body)]).inference.streamChat('e', {
        messages: [{ role: 'user', content: 'Hi' }],
        n,
      }))
        answer = join(answer, reader.read(chunk));
    } catch (caught) {
      error = caught;
    }
    return { answer, isComplete: reader.isComplete, error };
  }

  it('is complete where usage and the end mark came, with its tool calls', async () => {
    for (const body of [text + usage + done, text.replace('}]}\n', '}],"usage":{"total_tokens":3}}\n') + done]) {
      assert.deepEqual(await read(body), {
        answer: { choices: [{ choice: 0, text: 'Hi', finishReason: '' }], usage: { total_tokens: 3 } },
        isComplete: true,
        error: undefined,
      });
    }
    const { answer, isComplete, error } = await read(call + usage + done);
    assert.deepEqual(
      [answer.choices[0]?.toolCalls, isComplete, error],
      [[{ index: 0, id: 'a', name: 'f', arguments: '{}' }], true, undefined],
    );
  });

  it('is cut off where one of the two is missing, or a choice', async () => {
    for (const body of [text, text + usage, text + done, usage + done, done])
      assert.match(String((await read(body)).error), /cut off|without an answer/, body);
    assert.match(String((await read(text + usage + done, 2)).error), /cut off/);
  });
});
