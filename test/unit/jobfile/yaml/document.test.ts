import assert from 'node:assert/strict';
import { nodeAt, parseDocument } from '../../../../src/jobfile/yaml/document.ts';

describe('a job file as a document', () => {
  it('is not read where it is far longer than any job, which is said at its first character', () => {
    const text = `a: ${'x'.repeat(500_000 - 3)}`;
    assert.deepEqual([parseDocument(text).problems, parseDocument(text).root?.end], [[], 500_000]);
    assert.deepEqual(parseDocument(`${text}x`), {
      text: `${text}x`,
      root: null,
      problems: [
        {
          code: 'tooLarge',
          message: 'The file has 500001 characters; a job file of more than 500000 is not read. Shorten it.',
          start: 0,
          end: 1,
          severity: 'error',
        },
      ],
      broken: [{ start: 0, end: 500_001 }],
    });
  });

  it('is the same text whichever way it is read', () => {
    for (const [text, problems, broken] of [
      ['a: 1\n', 0, []],
      ['a: &b 1\n', 0, []],
      ['a: 1\nb: "x\nc: 2\n', 1, [[5, 11]]],
      ['a: 1\n---\nb: "x\n', 1, [[0, 15]]],
      ['a:\n\tb: 1\nc: 2\n', 1, []],
      ['', 0, []],
    ] as const) {
      const document = parseDocument(text);
      assert.deepEqual(
        [document.text, document.problems.length, document.broken.map(({ start, end }) => [start, end])],
        [text, problems, broken],
        text,
      );
    }
  });

  const text = 'a: &x {b: 1}\nc: *x\nd:\n  - e\n  - f: g\n<<: *x\n';
  const { root } = parseDocument(text);

  it('has a key or a value at each place, the innermost, with both its ends', () => {
    const at = (offset: number): unknown => {
      const found = nodeAt(root, offset);
      return found && [found.path.join('.'), found.onKey, found.key?.name];
    };
    for (const [offset, ...wanted] of [
      [0, 'a', true, 'a'],
      [1, 'a', true, 'a'],
      [2, '', false, undefined],
      [6, 'a', false, 'a'],
      [7, 'a.b', true, 'b'],
      [8, 'a.b', true, 'b'],
      [9, 'a', false, 'a'],
      [10, 'a.b', false, 'b'],
      [11, 'a.b', false, 'b'],
      [12, 'a', false, 'a'],
      [16, 'c', false, 'c'],
      [18, 'c', false, 'c'],
      [text.indexOf('e'), 'd.0', false, undefined],
      [text.indexOf('e') + 1, 'd.0', false, undefined],
      [text.indexOf('- f'), 'd', false, 'd'],
      [text.indexOf('f:'), 'd.1.f', true, 'f'],
      [text.indexOf('g'), 'd.1.f', false, 'f'],
    ] as const)
      assert.deepEqual(at(offset), wanted, String(offset));
    const end = root?.end ?? 0;
    assert.deepEqual(at(end), ['<<', false, '<<']);
    assert.deepEqual([at(end + 1), nodeAt(null, 0)], [undefined, undefined]);
    assert.equal(nodeAt(parseDocument('\n\na: 1\n').root, 1), undefined);
    assert.equal(nodeAt(parseDocument('\n\na: 1\n').root, 2)?.key?.name, 'a');
  });
});
