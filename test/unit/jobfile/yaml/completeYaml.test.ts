import assert from 'node:assert/strict';
import { parseComplete } from '../../../../src/jobfile/yaml/completeYaml.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';

/** What is marked in a text. */
const marked = (text: string): string[] => parseComplete(text).problems.map(({ start, end }) => text.slice(start, end));

describe('a text that the complete parser reads', () => {
  const mistakes: readonly (readonly [text: string, mark: string])[] = [
    ['a: "x\\qy"\n', '\\q'],
    ['a: 1\n---\nb: 1\n', '---'],
    ['a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n', '<<<<<<<'],
    ['{"a": "x" "b": 2}\n', '"b"'],
    ['a: [1,\nb: 2\n', '['],
    ['a: {b: 1,\nc: 2\n', '{'],
    ['a: "x\nb: 2\n', '"'],
    ['a: b\n  c: d\n', 'c'],
    ['a: !x 1\n', '!x'],
    ['- &a b\n- *c\n', '*c'],
  ];
  for (const [text, mark] of mistakes)
    it(`is marked at ${JSON.stringify(mark)} in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(marked(text), [mark]);
      // At its own place in a longer text, too.
      const before = 'before: 1\n';
      const { problems } = parseComplete(`${before}${text}`, before.length, before.length + text.length);
      assert.deepEqual(
        problems.map(({ start, end }) => `${before}${text}`.slice(start, end)),
        [mark],
      );
    });

  it('has integers of any size exactly, and takes digits without end for a text', () => {
    const valueOf = (text: string): unknown =>
      (nodeValue(parseComplete(`&x a: ${text}\n`).root).value as { a: unknown }).a;
    assert.equal(valueOf('9223372036854775807'), 9223372036854775807n);
    assert.equal(valueOf('12'), 12);
    assert.equal(valueOf('0x1F'), 31);
    assert.equal(valueOf('1.5'), 1.5);
    assert.equal(valueOf('9'.repeat(5000)), '9'.repeat(5000));
  });

  it('goes no deeper than a hundred levels, and says so', () => {
    const nested = (depth: number): string => `&x a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
    assert.equal(parseComplete(nested(98)).problems.length, 0);
    assert.equal(parseComplete(nested(99)).problems.length, 1);
    const { root, problems } = parseComplete(nested(120));
    assert.deepEqual([problems.length, root], [1, null]);
    assert.match(problems[0]?.message ?? '', /deep|level/);
  });

  it('reads large texts, and stops where one would be felt', () => {
    const list = (count: number): string => `&x a:\n${'  - b: 1\n'.repeat(count)}`;
    assert.deepEqual([parseComplete(list(600)).problems, parseComplete(list(600)).root === null], [[], false]);
    assert.equal(parseComplete(list(20_000)).problems.length, 1);
  });

});
