import assert from 'node:assert/strict';
import { similarNames } from '../../../src/shared/similarNames.ts';

const known = ['name', 'timeout_seconds', 'max_retries', 'max_concurrent_runs', 'schedule'];

describe('similarNames', () => {
  for (const [name, expected] of [
    ['nmae', ['name']],
    ['nam', ['name']],
    ['names', ['name']],
    ['nime', ['name']],
    ['timeoutSeconds', ['timeout_seconds']],
    ['Timeout-Seconds', ['timeout_seconds']],
    ['timeut_secnds', ['timeout_seconds']],
    ['max_retires', ['max_retries']],
    ['shcedule', ['schedule']],
    ['timeout', []],
    ['eman', []],
    ['max_concurrent', []],
    ['', []],
  ] as const) {
    it(`${JSON.stringify(name)} ${expected.length > 0 ? `stands for ${expected.join()}` : 'is near to none'}`, () =>
      assert.deepEqual(similarNames(name, known), expected));
  }

  it('gives the nearest first, and no more than are asked for', () => {
    const names = ['rabcdefgh', 'abcdefghij', 'abcdefgh', 'abcdefxy', 'abcdefg'];
    assert.deepEqual(similarNames('abcdefgh', names), ['abcdefgh', 'rabcdefgh', 'abcdefg']);
    assert.deepEqual(similarNames('abcdefgh', names, 1), ['abcdefgh']);
    assert.equal(similarNames('abcdefgh', names, 9).length, 5);
  });
});
