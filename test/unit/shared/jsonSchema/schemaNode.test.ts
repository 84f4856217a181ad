import assert from 'node:assert/strict';
import {
  nodeOf,
  nodesOf,
  numberOr,
  resolveReference,
  stringsOf,
  typesOf,
  type SchemaNode,
} from '../../../../src/shared/jsonSchema/schemaNode.ts';

describe('a node of a JSON schema', () => {
  it('is found by a reference within the document, however its names are written, and by no other', () => {
    const found = { type: 'string' };
    const root = {
      $defs: { plain: found, 'a/b': found, 'a~1b': false, 'ä b': found, list: [true, found], text: 'x' },
    } as unknown as SchemaNode;
    for (const [reference, expected] of [
      ['#', root],
      ['#/', root],
      ['#/$defs/plain', found],
      ['#/$defs/a~1b', found],
      ['#/$defs/a~01b', false],
      ['#/$defs/%C3%A4%20b', found],
      ['#/$defs/list/1', found],
      ['#/$defs/list/0', true],
      ['#/$defs/list/2', undefined],
      ['#/$defs/none', undefined],
      ['#/$defs/text', undefined],
      ['#/$defs/toString', undefined],
      ['other.json#/$defs/plain', undefined],
      [5, undefined],
    ] as const)
      assert.equal(resolveReference(root, reference), expected, String(reference));
  });

  it('is what a schema can be, and all else allows everything', () => {
    assert.deepEqual([true, false, {}, [], null, 5, undefined].map(nodeOf), [true, false, {}, true, true, true, true]);
    assert.deepEqual([nodesOf([false, 5]), nodesOf({}), nodesOf(undefined)], [[false, true], [], []]);
    assert.deepEqual([stringsOf(['a', 5]), stringsOf('a')], [['a'], []]);
    assert.deepEqual([numberOr(0, 5), numberOr('1', 5), numberOr(undefined, 5)], [0, 5, 5]);
    assert.deepEqual(
      [{ type: 'null' }, { type: ['null', 5, 'string'] }, { type: 5 }, {}].map((schema) => typesOf(schema)),
      [['null'], ['null', 'string'], undefined, undefined],
    );
  });
});
