import assert from 'node:assert/strict';
import { joinWords, splitWords } from '../../../src/commands/parameters.ts';

describe('parameters as a line', () => {
  const cases: [string, string[] | undefined][] = [
    ['', []],
    ['a b  c', ['a', 'b', 'c']],
    ['--name "two words" \'and "more"\'', ['--name', 'two words', 'and "more"']],
    ['a\\ b', ['a b']],
    ['""', ['']],
    ['x"y z"w', ['xy zw']],
    ['"open', undefined],
    ["'it''s'", ['its']],
  ];
  for (const [line, words] of cases) it(`reads ${JSON.stringify(line)}`, () => assert.deepEqual(splitWords(line), words));

  it('writes what it reads', () => {
    const lists = [['a'], ['two words', ''], ['"', "'", '\\', '\\"', ' '], ['--x=1', 'C:\\dir', 'tab\there']];
    for (const list of lists) assert.deepEqual(splitWords(joinWords(list)), list);
  });
});
