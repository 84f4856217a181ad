import assert from 'node:assert/strict';
import {
  addUsage,
  logprobsFrom,
  readChat,
  readChunk,
  readCompletion,
  usageFrom,
} from '../../../../../src/service/models/upstream/received.ts';
import { isAppError } from '../../../../../src/shared/errors.ts';

describe('what a model server sent', () => {
  it('is refused by name, place and reason where it has another form', () => {
    for (const read of [readChat, readChunk, readCompletion])
      assert.throws(
        () => read({ choices: [{ index: 0 }, 'x'] }, 'lab'),
        (error) =>
          isAppError(error) &&
          error.status === 502 &&
          error.retryable === false &&
          /^lab sent an answer of another form: choices\.1 \S/.test(error.message),
      );
    assert.throws(() => readChunk('text', 'lab'), /lab sent an answer of another form: {2}?\S/);
    const extra = { choices: [{ index: 0, delta: { content: 'x' } }], more: 1 };
    assert.equal(readChunk(extra, 'lab').choices?.[0]?.delta?.content, 'x');
  });

  const counts = (prompt: number, completion: number, total: number) => ({
    completion_tokens: completion,
    prompt_tokens: prompt,
    total_tokens: total,
  });
  for (const [given, expected] of [
    [undefined, undefined],
    [{}, undefined],
    [{ total_tokens: 5 }, undefined],
    [{ prompt_tokens: 0 }, counts(0, 0, 0)],
    [{ prompt_tokens: 3 }, counts(3, 0, 3)],
    [{ completion_tokens: 4 }, counts(0, 4, 4)],
    [{ prompt_tokens: 3, completion_tokens: 4 }, counts(3, 4, 7)],
    // What it thought is counted in the total alone.
    [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 20 }, counts(3, 4, 20)],
  ] as const)
    it(`counts ${JSON.stringify(given)} as ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(usageFrom(given), expected));

  it('is counted together: the same prompt once, others each', () => {
    const [one, other] = [counts(10, 5, 15), counts(12, 2, 99)];
    assert.deepEqual(addUsage(one, other, true), counts(12, 7, 19));
    assert.deepEqual(addUsage(other, one, true), counts(12, 7, 19));
    assert.deepEqual(addUsage(one, other, false), counts(22, 7, 29));
    assert.deepEqual(addUsage(one, undefined, false), one);
    assert.deepEqual(addUsage(undefined, one, true), one);
    assert.equal(addUsage(undefined, undefined, true), undefined);
    assert.deepEqual(
      addUsage({ prompt_tokens: 1, total_tokens: 1 }, { prompt_tokens: 2, total_tokens: 2 }, false),
      counts(3, 0, 3),
    );
  });

  it('has each field of its log probabilities filled', () => {
    for (const none of [undefined, {}, { content: null }]) assert.equal(logprobsFrom(none as never), undefined);
    assert.deepEqual(logprobsFrom({ content: [] } as never), { content: [] });
    assert.deepEqual(
      logprobsFrom({
        content: [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2 }, {}] }, {}],
      } as never),
      {
        content: [
          {
            token: 'a',
            logprob: -0.5,
            bytes: [97],
            top_logprobs: [
              { token: 'b', logprob: -2, bytes: null },
              { token: '', logprob: 0, bytes: null },
            ],
          },
          { token: '', logprob: 0, bytes: null, top_logprobs: [] },
        ],
      },
    );
  });
});
