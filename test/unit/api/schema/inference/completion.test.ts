import assert from 'node:assert/strict';
import { completionRequest } from '../../../../../src/api/schema/inference/completion.ts';

describe('how many completions one request may ask for', () => {
  const problem = (prompts: number, n?: number): string | undefined =>
    completionRequest.safeParse({ prompt: Array.from({ length: prompts }, () => 'x'), ...(n !== undefined && { n }) })
      .error?.issues[0]?.message;

  it('is 4,000 together, 1,000 prompts and 128 of each', () => {
    assert.equal(problem(1000, 4), undefined);
    assert.equal(problem(40, 100), undefined);
    assert.match(
      problem(1000, 5) ?? '',
      /^5 for each of the prompts makes 5000 completions; at most 4000 are allowed\./,
    );
    assert.match(problem(127, 32) ?? '', /makes 4064 completions/);
    assert.equal(problem(1000), undefined);
    assert.notEqual(problem(1001), undefined);
    assert.equal(problem(1, 128), undefined);
    assert.notEqual(problem(1, 129), undefined);
    assert.equal(completionRequest.safeParse({ prompt: 'x', n: 128 }).success, true);
  });
});
