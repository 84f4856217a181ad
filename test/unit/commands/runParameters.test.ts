import assert from 'node:assert/strict';
import { joinWords, readParameterList } from '../../../src/commands/runParameters.ts';
import { splitWords } from '../../../src/shared/splitWords.ts';

describe('parameters as a line', () => {
  const cases: [line: string, words: string[], openQuote?: string][] = [
    ['', []],
    ['a b  c', ['a', 'b', 'c']],
    ['--name "two words" \'and "more"\'', ['--name', 'two words', 'and "more"']],
    ['a\\ b', ['a b']],
    ['""', ['']],
    ['x"y z"w', ['xy zw']],
    ['a "open', ['a', 'open'], '"'],
    ["'it''s'", ['its']],
  ];
  for (const [line, words, openQuote] of cases)
    it(`reads ${JSON.stringify(line)}`, () =>
      assert.deepEqual(splitWords(line), openQuote === undefined ? { words } : { words, openQuote }));

  it('writes what it reads', () => {
    const lists = [['a'], ['two words', ''], ['"', "'", '\\', '\\"', ' '], ['--x=1', 'C:\\dir', 'tab\there']];
    for (const list of lists) assert.deepEqual(splitWords(joinWords(list)), { words: list });
    for (const list of [...lists, ['["a"]', 'b'], ['[', ']']])
      assert.deepEqual(readParameterList(joinWords(list)), list);
  });

  it('may be a JSON list of texts, as the document shows it', () => {
    assert.deepEqual(readParameterList(' ["a b", "c"] '), ['a b', 'c']);
    assert.deepEqual(readParameterList('[]'), []);
    assert.deepEqual(readParameterList('a ["b"]'), ['a', '[b]']);
  });

  it('is told where it is neither', () => {
    assert.match(String(readParameterList('["a"')), /JSON list/);
    assert.match(String(readParameterList('[1, true]')), /texts/);
    assert.match(String(readParameterList('a "b')), /quotation mark/);
  });
});
