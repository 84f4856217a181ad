import assert from 'node:assert/strict';
import { logprobsOf } from '../../../../../src/service/models/guide/chatDraft.ts';

describe('probabilities of the tokens of the guide', () => {
  it('are certain, with the bytes of each, and with its only candidate where candidates are asked for', () => {
    const ofToken = (token: string, bytes: number[]) => ({ token, logprob: 0, bytes });
    const [a, umlaut] = [ofToken('a', [97]), ofToken('ü', [195, 188])];
    for (const [count, hasTop] of [
      [0, false],
      [1, true],
      [5, true],
    ] as const)
      assert.deepEqual(logprobsOf(['a', 'ü'], count), {
        content: [
          { ...a, top_logprobs: hasTop ? [a] : [] },
          { ...umlaut, top_logprobs: hasTop ? [umlaut] : [] },
        ],
      });
    assert.deepEqual(logprobsOf([], 1), { content: [] });
  });
});
