import assert from 'node:assert/strict';
import { entryOf, findPath, nodeAt, parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { fieldOf } from '../../../../src/jobfile/yaml/nodeValue.ts';
import { resolved } from '../../../../src/jobfile/yaml/yamlNode.ts';

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

  it('has entries and items, also by an alias, and those that are merged in where they are asked for', () => {
    const told = (...args: Parameters<typeof findPath>): unknown => {
      const found = findPath(...args);
      return found && [text.slice(found.node.start, found.node.end), found.key?.name];
    };
    assert.deepEqual(
      [
        told(root, []),
        told(root, ['a', 'b']),
        told(root, ['c']),
        told(root, ['c', 'b']),
        told(root, ['d', 0]),
        told(root, ['d', 1, 'f']),
        told(root, ['b']),
        told(root, ['b'], fieldOf),
        told(null, []),
      ],
      [
        [text.trimEnd(), undefined],
        ['1', 'b'],
        ['*x', 'c'],
        ['1', 'b'],
        ['e', undefined],
        ['g', 'f'],
        undefined,
        ['1', 'b'],
        undefined,
      ],
    );
    for (const path of [
      ['z'],
      ['d', 2],
      ['d', -1],
      ['d', 'f'],
      ['a', 0],
      ['a', 'b', 'c'],
      ['a', 'b', 0],
      ['z', 'a'],
      ['d', 9, 'f'],
    ])
      assert.equal(findPath(root, path), undefined, path.join());
    const [entry] = root?.kind === 'map' ? root.entries : [];
    assert.equal(entryOf(root, 'a'), entry);
    assert.equal(entryOf(findPath(root, ['c'])?.node, 'b')?.key.name, 'b');
    assert.deepEqual(
      [entryOf(null, 'a'), entryOf(undefined, 'a'), entryOf(entry?.value, 'z')],
      [undefined, undefined, undefined],
    );
    assert.equal(entryOf(findPath(root, ['d'])?.node, 'f'), undefined);
    assert.equal(resolved(findPath(root, ['c'])?.node), entry?.value);
    assert.deepEqual([resolved(undefined), resolved(root ?? undefined)], [undefined, root]);
    assert.equal(resolved({ kind: 'alias', start: 0, end: 2, name: 'z', target: undefined }), undefined);
  });

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
