import assert from 'node:assert/strict';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { hasTooManyValues, isMerge, maxValues, nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';

const meaning = (text: string): unknown => nodeValue(parseDocument(text).root).value;

describe('what a node of a job file means', () => {
  it('is read as far as there are not too many values, the list itself counted', () => {
    for (const [items, isTooMuch] of [
      [maxValues - 1, false],
      [maxValues, true],
    ] as const) {
      const { root } = parseDocument(`[${'1,'.repeat(items)}]`);
      assert.equal(hasTooManyValues(root), isTooMuch, `${items} items`);
      assert.equal(nodeValue(root).isCut, isTooMuch, `${items} items`);
      const map = parseDocument(`{${Array.from({ length: items }, (_each, index) => `k${index}: 1`).join(', ')}}`).root;
      assert.deepEqual([hasTooManyValues(map), nodeValue(map).isCut], [isTooMuch, isTooMuch], `${items} fields`);
    }
    assert.equal(hasTooManyValues(null), false);
    assert.deepEqual(nodeValue(null), { value: undefined, isCut: false });
    const aliases = parseDocument(`a: &a [${'1,'.repeat(200)}]\nb: [${'*a,'.repeat(100)}]\n`).root;
    assert.deepEqual([hasTooManyValues(aliases), nodeValue(aliases).isCut], [false, true]);
  });

  it('is merged: what stands there wins, then the first of several', () => {
    const anchors = 'one: &one {a: 1, b: 1}\ntwo: &two {b: 2, c: 2}\n';
    const merged = (text: string): unknown => (meaning(`${anchors}x:\n${text}`) as { x: unknown }).x;
    assert.deepEqual(merged('  <<: *one\n  a: 0\n'), { a: 0, b: 1 });
    assert.deepEqual(merged('  a: 0\n  <<: *one\n'), { a: 0, b: 1 });
    assert.deepEqual(merged('  <<: [*one, *two]\n'), { a: 1, b: 1, c: 2 });
    assert.deepEqual(merged('  <<: [*one, 1]\n'), { '<<': [{ a: 1, b: 1 }, 1] });
    assert.deepEqual(merged('  <<: text\n'), { '<<': 'text' });
    assert.deepEqual(merged('  __proto__: {a: 1}\n'), JSON.parse('{"__proto__": {"a": 1}}'));
  });

  it('is a merge only of mappings', () => {
    const merges = (text: string): boolean => {
      const { root } = parseDocument(text);
      const [{ key, value } = assert.fail()] = root?.kind === 'map' ? root.entries.slice(-1) : [];
      return isMerge(key.name, value);
    };
    assert.deepEqual(
      ['<<: {a: 1}\n', '<<: [{a: 1}, {}]\n', '<<: []\n', 'x: &x {}\n<<: *x\n', 'x: &x {}\n<<: [*x]\n'].map(merges),
      [true, true, true, true, true],
    );
    assert.deepEqual(
      ['a: {a: 1}\n', '<<: 1\n', '<<:\n', '<<: [{a: 1}, 1]\n', 'x: &x 1\n<<: *x\n', '<<: *none\n', '<<: [*none]\n'].map(
        merges,
      ),
      [false, false, false, false, false, false, false],
    );
    assert.deepEqual(meaning('a: {<<: [[{b: 1}]]}\n'), { a: { '<<': [[{ b: 1 }]] } });
    const odd = meaning('"__proto__": 1\nb: 2\n') as object;
    assert.deepEqual(Object.getOwnPropertyDescriptors(odd), {
      ['__proto__']: { value: 1, enumerable: true, writable: true, configurable: true },
      b: { value: 2, enumerable: true, writable: true, configurable: true },
    });
  });

});
