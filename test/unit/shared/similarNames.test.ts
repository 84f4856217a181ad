import assert from 'node:assert/strict';
import { similarNames } from '../../../src/shared/similarNames.ts';
import { seededRandom } from '../../support/counts.ts';

/** Changes, insertions, removals and swaps of neighbours that make one name of the other, by trying each. */
function distance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const [a, b] = [one.slice(1), other.slice(1)];
  if (one[0] === other[0]) return distance(a, b);
  const isSwap = one.length > 1 && other.length > 1 && one[0] === other[1] && one[1] === other[0];
  return (
    1 +
    Math.min(
      distance(a, other),
      distance(one, b),
      distance(a, b),
      ...(isSwap ? [distance(one.slice(2), other.slice(2))] : []),
    )
  );
}

const known = ['name', 'timeout_seconds', 'max_retries', 'max_concurrent_runs', 'schedule'];

describe('similarNames', () => {
  for (const [name, expected] of [
    ['nmae', ['name']],
    ['nam', ['name']],
    ['names', ['name']],
    ['nime', ['name']],
    ['timeoutSeconds', ['timeout_seconds']],
    ['Timeout-Seconds', ['timeout_seconds']],
    ['MAX_RETRIES', ['max_retries']],
    ['timeut_secnds', ['timeout_seconds']],
    ['max_retires', ['max_retries']],
    ['shcedule', ['schedule']],
    ['timeout', []],
    ['eman', []],
    ['max_concurrent', []],
    ['', []],
  ] as const) {
    it(`${JSON.stringify(name)} ${expected.length > 0 ? `stands for ${expected.join()}` : 'is near to none'}`, () =>
      assert.deepEqual(similarNames(name, known), expected));
  }

  it('counts each change by the shortest way, up to one for each four letters', () => {
    const random = seededRandom(5);
    const letters = (length: number): string => Array.from({ length }, () => 'abc'[Math.floor(random() * 3)]).join('');
    let near = 0;
    for (let count = 0; count < 3000; count += 1) {
      const one = letters(1 + Math.floor(random() * 9));
      const at = Math.floor(random() * one.length);
      const edited = `${one.slice(0, at)}${letters(Math.floor(random() * 3))}${one.slice(at + Math.floor(random() * 3))}`;
      const other = random() < 0.3 ? letters(1 + Math.floor(random() * 9)) : edited;
      const limit = Math.max(1, Math.floor(Math.min(one.length, other.length) / 4));
      const isNear = distance(one, other) <= limit;
      near += Number(isNear);
      assert.deepEqual(similarNames(one, [other]), isNear ? [other] : [], `${one} ${other}`);
    }
    assert.ok(near > 500 && near < 2500, `${near}`);
  });

  it('leaves names that are as near in their order', () => {
    assert.deepEqual(similarNames('abcdefgh', ['abcdefgx', 'xbcdefgh', 'abcdefghi', 'abcdegfh']), [
      'abcdefgx',
      'xbcdefgh',
      'abcdefghi',
    ]);
  });

  it('gives the nearest first, and no more than are asked for', () => {
    const names = ['rabcdefgh', 'abcdefghij', 'abcdefgh', 'abcdefxy', 'abcdefg'];
    assert.deepEqual(similarNames('abcdefgh', names), ['abcdefgh', 'rabcdefgh', 'abcdefg']);
    assert.deepEqual(similarNames('abcdefgh', names, 1), ['abcdefgh']);
    assert.equal(similarNames('abcdefgh', names, 9).length, 5);
  });
});
