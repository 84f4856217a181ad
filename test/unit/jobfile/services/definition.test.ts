import assert from 'node:assert/strict';
import { anchorOf } from '../../../../src/jobfile/services/definition.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';

describe('the definition of an alias', () => {
  it('is the value of its anchor, from each of its characters', () => {
    const text = 'x: &a {b: 1}\nc: *a\nd: &a 5\ne: [*a, f]\n';
    const found = (offset: number): string | undefined => {
      const range = anchorOf(parseDocument(text), offset);
      return range && text.slice(range.start, range.end);
    };
    const [first, second] = [text.indexOf('*a'), text.lastIndexOf('*a')];
    assert.deepEqual([first, first + 1, first + 2, second, second + 2].map(found), [
      '{b: 1}',
      '{b: 1}',
      '{b: 1}',
      '5',
      '5',
    ]);
    for (const offset of [0, 4, text.indexOf('f'), text.length + 1])
      assert.equal(found(offset), undefined, String(offset));
    assert.equal(anchorOf(parseDocument('a: *none\n'), 4), undefined);
    assert.equal(anchorOf(parseDocument(''), 0), undefined);
  });
});
