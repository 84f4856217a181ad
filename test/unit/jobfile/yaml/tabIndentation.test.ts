import assert from 'node:assert/strict';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';

describe('tabs in the indentation of a job file', () => {

  it('are told once for lines that follow each other, and hide nothing else', () => {
    const text = 'a:\n\tb: 1\n\tc: 2\nd: [\n';
    assert.deepEqual(
      parseDocument(text).problems.map(({ start, end }) => [start, end]),
      [
        [3, 4],
        [18, 19],
      ],
    );
  });

  const read = (text: string): unknown[] => {
    const { problems, broken, root, text: kept } = parseDocument(text);
    assert.equal(kept, text);
    const places = (ranges: readonly { start: number; end: number }[]): string =>
      ranges.map(({ start, end }) => `${start}-${end}`).join(' ');
    return [places(problems), places(broken), nodeValue(root).value];
  };

  it('count as blanks where their lines fit so', () => {
    for (const [text, ...wanted] of [
      ['a:\n\tb: 1\n\tc: 2\nd: 3\n', '3-4', '', { a: { b: 1, c: 2 }, d: 3 }],
      ['\ta: 1\n', '0-1', '', { a: 1 }],
      ['a:\n\t- b\n\t- c\n', '3-4', '', { a: ['b', 'c'] }],
      ['a:\n\tb:\n\t\tc: 1\nd: 2\n', '3-4', '', { a: { b: { c: 1 } }, d: 2 }],
      // A blank and a tab are as wide as two blanks.
      ['a:\n \tb: 1\n\t c: 2\n', '4-5', '', { a: { b: 1, c: 2 } }],
      ['a:\n\tb: 1', '3-4', '', { a: { b: 1 } }],
      ['a:\n\tb: 1\n# c\n\tc: 1\n', '3-4 13-14', '', { a: { b: 1, c: 1 } }],
      // Nothing stands in them.
      ['a: 1\n\t# c\nb: 2\n', '', '', { a: 1, b: 2 }],
    ] as const)
      assert.deepEqual(read(text), wanted, JSON.stringify(text));
  });

  it('take their lines away where those fit nowhere, with what is meant to stand below them', () => {
    for (const [text, ...wanted] of [
      ['a:\n\tb: 1\nc: 2\n\td: 3\n', '3-4 14-15', '3-8 14-19', { a: null, c: 2 }],
      ['a:\n  b: 1\n\tc: 2\nd: 3\n', '10-11', '10-15', { a: { b: 1 }, d: 3 }],
      ['a:\n\tb: [\nc: 1\n', '3-4', '3-8', { a: null, c: 1 }],
      ['a: 1\n\tb: 2\n', '5-6', '5-10', { a: 1 }],
      ['a: 1\n\tb: 2\n  c: 3\nd: 4\n', '5-6', '0-18 5-10', { a: { '1\nc': 3 }, d: 4 }],
      ['a: 1\n\tb: 2\n\n  c: 3\n', '5-6', '0-19 5-10', { a: { '1\n\nc': 3 } }],
    ] as const)
      assert.deepEqual(read(text), wanted, JSON.stringify(text));
  });

});
