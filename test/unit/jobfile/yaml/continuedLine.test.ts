import assert from 'node:assert/strict';
import { continuedLine } from '../../../../src/jobfile/yaml/continuedLine.ts';

describe('a key that continues the text above it', () => {
  const found = (text: string, offset = 0): string | undefined => {
    const line = continuedLine(text, offset);
    return line && `${text.slice(line.start, line.end)} ${line.start}`;
  };

  it('is the first of the lines below that has one', () => {
    for (const [text, wanted, from] of [
      ['b\n  c: d\n', 'c 4'],
      ['b\n  c:\n', 'c 4'],
      ['b\n  c:', 'c 4'],
      ['b\n\tc \t: d\n', 'c 3'],
      ['b\nc: d\n', 'c 2'],
      ['b\n  text\n\n    c: d\n  e: f\n', 'c 14'],
      // Behind the offset, not before it.
      ['a: b\n  c: d\n', 'c 7', 3],
      // A key on the line itself is the second one.
      ['b: c\n  d: e\n', undefined],
      ['b:\n  d: e\n', undefined],
      ['b:c\n  d: e\n', 'd 6'],
      ['a: b', undefined, 3],
      ['b\n', undefined],
      ['b\n  c d: e\n', undefined],
      ['b\n  c:d\n', undefined],
      ['b\n  :c: d\n', undefined],
    ] as const)
      assert.equal(found(text, from), wanted, text);
    assert.equal(
      continuedLine('b\n  c: d\n', 0)?.message,
      'c is indented more than the key above it, whose text it would continue. Start it in the same column as the other keys of its mapping.',
    );
  });

  it('is looked for in twenty lines with the one of the text, and in two thousand characters', () => {
    assert.deepEqual(
      [18, 19].map((lines) => found(`b\n${'x\n'.repeat(lines)}c: d\n`)),
      ['c 38', undefined],
    );
    // The line end before them counts; a key is found with its colon and what follows, or the end of what is looked at.
    assert.deepEqual(
      [1996, 1997, 1998].map((length) => found(`b\n${'x'.repeat(length)}\nc: d\n`)),
      ['c 1999', undefined, undefined],
    );
  });
});
