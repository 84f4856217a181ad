import assert from 'node:assert/strict';
import { splitWords } from '../../../src/shared/splitWords.ts';

describe('splitWords', () => {
  for (const [line, words, openQuote] of [
    ['', []],
    ['  a   b\t c\n', ['a', 'b', 'c']],
    ['"a b" \'c d\'', ['a b', 'c d']],
    ['a"b c"d', ['ab cd']],
    ['"" \'\'', ['', '']],
    ['"it\'s" \'say "x"\'', ["it's", 'say "x"']],
    ['a\\ b \\"c', ['a b', '"c']],
    ['"a\\"b" \'a\\b\'', ['a"b', 'a\\b']],
    ['a\\', ['a\\']],
    ['"open word', ['open word'], '"'],
    ["'", [''], "'"],
  ] as const) {
    it(`takes ${JSON.stringify(line)} apart`, () =>
      assert.deepEqual(splitWords(line), openQuote === undefined ? { words } : { words, openQuote }));
  }

  for (const [line, words] of [
    ['C:\\tools\\python.exe -c x', ['C:\\tools\\python.exe', '-c', 'x']],
    ['"C:\\my tools\\" b', ['C:\\my tools" b']],
    ['"a\\\\" "b\\"c" "d\\e"', ['a\\', 'b"c', 'd\\e']],
    ["'a\\\\b'", ['a\\\\b']],
    ['a\\"b"', ['a\\b']],
  ] as const) {
    it(`takes ${line} apart where a path needs no doubled backslashes`, () =>
      assert.deepEqual(splitWords(line, { escapes: 'quoted' }).words, words));
  }
});
