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
  it('pairs lists of one length by their positions', () => {
    assert.deepEqual(ordered('abcd', 'abcd'), []);
    assert.deepEqual(ordered('abcd', 'axcy'), [
      [1, 1],
      [3, 3],
    ]);
    assert.deepEqual(ordered('abc', 'bca'), [
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
  });

  it('finds the items that came, went and changed in lists of different lengths', () => {
    assert.deepEqual(ordered('abcd', 'abd'), [[2, undefined]]);
    assert.deepEqual(ordered('abd', 'abcd'), [[undefined, 2]]);
    assert.deepEqual(ordered('abcdef', 'bcxf'), [
      [0, undefined],
      [3, 2],
      [4, undefined],
    ]);
    assert.deepEqual(ordered('', 'ab'), [
      [undefined, 0],
      [undefined, 1],
    ]);
    assert.deepEqual(ordered('aa', 'aaa'), [[undefined, 2]]);
  });

  it('takes the likest for one another, wherever they stand', () => {
    assert.deepEqual(listPairs(['ops'], ['admin', 'ops/edited'], { isSet: true }), [
      [0, 1],
      [undefined, 0],
    ]);
    assert.deepEqual(listPairs(['a.jar', 'b.whl'], ['c.whl', 'a2.jar', 'x'], { isSet: true }), [
      [0, 1],
      [1, 0],
      [undefined, 2],
    ]);
    assert.deepEqual(listPairs(['same', 'one'], ['same', 'new', 'one/2'], { isSet: false }), [
      [1, 2],
      [undefined, 1],
    ]);
  });

  it('takes for alike what begins and ends alike, each character counted once', () => {
    const pairs = (own: string[], other: string[]) => listPairs(own, other, { isSet: true });
    assert.deepEqual(pairs(['x.jar'], ['a.whl', 'b.jar']), [
      [0, 1],
      [undefined, 0],
    ]);
    // Four of them in "aba", and no more in "ababa" for being longer.
    assert.deepEqual(pairs(['abaXaba', 'aba'], ['aba-', 'abaYaba', 'ab']), [
      [0, 1],
      [1, 0],
      [undefined, 2],
    ]);
    assert.deepEqual(pairs(['aa', 'ab'], ['aaa', 'a']), [
      [0, 0],
      [1, 1],
    ]);
    assert.deepEqual(pairs(['aXcd'], ['aYYd', 'bXcd']), [
      [0, 1],
      [undefined, 0],
    ]);
    assert.deepEqual(pairs(['abab'], ['ab', 'abaX']), [
      [0, 1],
      [undefined, 0],
    ]);
    assert.deepEqual(pairs([], ['a', 'b']), [
      [undefined, 0],
      [undefined, 1],
    ]);
  });

  it('takes many items of a gap as they stand', () => {
    const texts = (count: number, mark: string) =>
      Array.from({ length: count }, (_, at) => `${String(at).padStart(2, '0')}${mark}`);
    const pairs = (count: number) => listPairs(texts(20, 'a'), texts(count, 'b').toReversed(), { isSet: true });
    assert.deepEqual(pairs(20)?.[0], [0, 19]);
    assert.deepEqual(pairs(21)?.[0], [0, 0]);
    assert.deepEqual(pairs(21)?.at(-1), [undefined, 20]);
  });

  it('leaves the first of a row that could be left in two ways', () => {
    assert.deepEqual(ordered('xab', 'ba'), [
      [0, undefined],
      [1, undefined],
      [undefined, 1],
    ]);
    assert.deepEqual(ordered('abz', 'ba'), [
      [0, undefined],
      [2, 1],
    ]);
    assert.deepEqual(ordered('ab', 'bca'), [
      [0, undefined],
      [undefined, 1],
      [undefined, 2],
    ]);
  });

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
