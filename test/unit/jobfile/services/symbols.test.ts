import assert from 'node:assert/strict';
import { symbols, type JobSymbol } from '../../../../src/jobfile/services/symbols.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

describe('the outline of a job file', () => {
  const lines = (items: readonly JobSymbol[], depth = 0): string[] =>
    items.flatMap(({ name, kind, detail, children }) => [
      `${'  '.repeat(depth)}${name} ${kind}${detail === '' ? '' : ` ${detail}`}`,
      ...lines(children, depth + 1),
    ]);
  const outline = (text: string): string[] => lines(symbols(parseDocument(text)));
  const countOf = (items: readonly JobSymbol[]): number =>
    items.reduce((sum, { children }) => sum + 1 + countOf(children), 0);

  it('names items by their first value, else by their place', () => {
    assert.deepEqual(outline('a:\n- x\n- 7\n- true\n-\n- ""\n- {}\n- b: 1\n  c: 2\n- [1]\n- |\n  one\n  two\n'), [
      'a list 9',
      '  x text x',
      '  7 number 7',
      '  true boolean true',
      '  4 empty',
      '  5 text',
      '  6 mapping',
      '  b mapping',
      '    b number 1',
      '    c number 2',
      '  8 list 1',
      '    1 number 1',
      '  one text one two ',
    ]);
  });

  it('ends after a thousand', () => {
    const many = symbols(parseDocument(`a:\n${'- {b: 1, c: 2}\n'.repeat(1000)}`));
    assert.ok(countOf(many) >= 1000 && countOf(many) < 3001, String(countOf(many)));
    const flat = symbols(parseDocument(Array.from({ length: 1200 }, (_each, at) => `k${at}: 1`).join('\n')));
    assert.equal(countOf(flat), 1000);
    const [list] = symbols(parseDocument(`a:\n${'- 1\n'.repeat(1200)}b: 1\n`));
    assert.deepEqual([list?.children.length, list?.detail], [999, '1200']);
    assert.deepEqual(symbols(parseDocument('')), []);
  });
});
