import assert from 'node:assert/strict';
import { withoutSuppressed } from '../../../../src/jobfile/services/suppression.ts';
import type { Problem } from '../../../../src/jobfile/yaml/problem.ts';

describe('problems that a comment leaves out', () => {
  const left = (text: string): string[] =>
    withoutSuppressed(
      text,
      ['one', 'two'].map((code) => ({ code, start: text.indexOf('X') }) as unknown as Problem),
    ).map(({ code }) => code);

  for (const [text, expected] of [
    ['a: X', ['one', 'two']],
    ['a: X # millrace-ignore', []],
    ['a: X # millrace-ignore\nb: 1', []],
    ['a: X # millrace-ignore: one', ['two']],
    ['a: X #millrace-ignore:one, two', []],
    ['a: X # millrace-ignore: two one\n', []],
    ['a: X # millrace-ignore: three', ['one', 'two']],
    ['# millrace-ignore: one\na: X', ['two']],
    ['x: 1\n  # millrace-ignore\n  a: X\n', []],
    ['b: 1 # millrace-ignore\na: X', ['one', 'two']],
    ['# millrace-ignore\n\na: X', ['one', 'two']],
    ['a: X\n# millrace-ignore', ['one', 'two']],
    ['a: X millrace-ignore', ['one', 'two']],
    ['a: X # not millrace-ignore', ['one', 'two']],
  ] as const)
    it(`${JSON.stringify(text)} leaves ${expected.join(' and ') || 'none'}`, () =>
      assert.deepEqual(left(text), expected));

  it('of other lines stay', () => {
    const text = 'a: 1 # millrace-ignore\nb: 2';
    const problems = [0, text.indexOf('b')].map((start) => ({ code: 'one', start }) as unknown as Problem);
    assert.deepEqual(withoutSuppressed(text, problems), [problems[1]]);
  });
});
