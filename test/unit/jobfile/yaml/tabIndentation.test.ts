import assert from 'node:assert/strict';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { isTabIndentation } from '../../../../src/jobfile/yaml/tabIndentation.ts';

describe('tabs in the indentation of a job file', () => {
  it('are told from those behind a text, and not looked for in what is long', () => {
    const at = (text: string, start: number): boolean => isTabIndentation(text, { start } as never);
    assert.ok(at('a:\n\tb: 1\n', 3));
    assert.ok(at('a:\n \tb: 1\n', 5));
    assert.ok(!at('a:\n  b: 1\n', 5));
    assert.ok(!at('a: 1\t2\n', 4));
    const long = (length: number): string => 'a:\n\tb: 1\n'.padEnd(length, '#');
    assert.deepEqual([at(long(200_000), 3), at(long(200_001), 3)], [true, false]);
  });

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
});
