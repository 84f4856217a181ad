import assert from 'node:assert/strict';
import { listPairs } from '../../../../src/jobfile/services/listPairs.ts';

const ordered = (own: string, other: string) => listPairs([...own], [...other], { isSet: false });
const asSet = (own: string, other: string) => listPairs([...own], [...other], { isSet: true });

/** Length of the longest row of letters that both have in the same order, the slow way. */
function common(own: string, other: string): number {
  if (own === '' || other === '') return 0;
  if (own[0] === other[0]) return 1 + common(own.slice(1), other.slice(1));
  return Math.max(common(own.slice(1), other), common(own, other.slice(1)));
}

function words(letters: string, length: number): string[] {
  return length === 0
    ? ['']
    : words(letters, length - 1).flatMap((word) => [...letters].map((letter) => word + letter));
}

describe('listPairs', () => {

  it('leaves as many items alone as can be, for every pair of short lists', () => {
    const lists = [2, 3, 4, 5].flatMap((length) => words('ab', length).concat(words('abc', Math.min(length, 3))));
    for (const own of lists) {
      for (const other of lists) {
        if (own.length === other.length) continue;
        const pairs = ordered(own, other) ?? [];
        const [gone, come] = [pairs.flatMap(([at]) => at ?? []), pairs.flatMap(([, at]) => at ?? [])];
        const rest = (word: string, left: readonly number[]) =>
          [...word].filter((_, at) => !left.includes(at)).join('');
        assert.equal(rest(own, gone), rest(other, come), `${own} ${other}`);
        assert.equal(rest(own, gone).length, common(own, other), `${own} ${other}`);
      }
    }
  });

  it('pairs what is left of sets, whatever the order and however often', () => {
    assert.deepEqual(asSet('abc', 'cabb'), []);
    assert.deepEqual(asSet('xaby', 'bazz'), [
      [0, 2],
      [3, undefined],
    ]);
    assert.deepEqual(asSet('a', 'bac'), [
      [undefined, 0],
      [undefined, 2],
    ]);
  });

  it('gives up on what is long and has nothing in common', () => {
    const list = (letter: string, length: number) => Array.from({ length }, (_, at) => letter + at);
    assert.equal(listPairs(list('a', 500), list('b', 501), { isSet: false }), undefined);
    assert.equal(listPairs(list('a', 499), list('b', 501), { isSet: false })?.length, 501);
    assert.equal(listPairs(list('a', 400), list('b', 625), { isSet: false })?.length, 625);
    assert.equal(listPairs(list('a', 400), list('b', 626), { isSet: false }), undefined);
    const long = list('a', 100_000);
    assert.deepEqual(listPairs(long, long.toSpliced(50_000, 1), { isSet: false }), [[50_000, undefined]]);
  });
});
