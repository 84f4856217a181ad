import assert from 'node:assert/strict';
import { duplicateKeys } from '../../../../src/jobfile/services/duplicateKeys.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

describe('keys that are given twice', () => {
  const found = (text: string): string[] =>
    duplicateKeys(parseDocument(text).root).map(({ start, end }) => `${text.slice(start, end)} ${start}`);

  it('are told wherever they stand, each but the first of its mapping', () => {
    for (const [text, ...wanted] of [
      [''],
      ['a: 1\nb: {a: 1}\nc: [{a: 1}, {a: 2}]\n'],
      ['a: 1\na: 2\na: 3\n', 'a 5', 'a 10'],
      ['x:\n  b: 1\n  b: 2\n', 'b 12'],
      ['x: [{b: 1, b: 2}]\n', 'b 11'],
      ['a: 1\n"a": 2\n', '"a" 5'],
      ['x: &x {a: 1}\ny: &y {a: 2}\nz:\n  <<: *x\n  <<: *y\n'],
      ['<<: 1\n<<: 2\n', '<< 6'],
      ['__proto__: 1\n__proto__: 2\ntoString: 1\n', '__proto__ 13'],
    ] as const)
      assert.deepEqual(found(text), wanted, text);
  });

  it('are errors that say what to do', () => {
    const [problem] = duplicateKeys(parseDocument('"": 1\n"": 2\n').root);
    assert.deepEqual(problem, {
      code: 'duplicateKey',
      message: '"" is given twice in this mapping; only one can count. Remove one.',
      start: 6,
      end: 8,
      severity: 'error',
    });
    const long = 'k'.repeat(70);
    const [shortened] = duplicateKeys(parseDocument(`${long}: 1\n${long}: 2\n`).root);
    assert.match(shortened?.message ?? '', /^k{60}… is given twice/);
  });

  it('are told two hundred times and no more', () => {
    const lines = (count: number): string => `a: 1\n${'a: 2\n'.repeat(count)}`;
    assert.deepEqual([found(lines(200)).length, found(lines(201)).length], [200, 200]);
    const items = `x:\n${'- {a: 1, a: 2}\n'.repeat(201)}`;
    assert.equal(found(items).length, 200);
  });
});
