import assert from 'node:assert/strict';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { Layout } from '../../../../src/jobfile/yaml/layout.ts';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';
import type { YamlNode } from '../../../../src/jobfile/yaml/yamlNode.ts';
import { assertApproved } from '../../../support/approved.ts';
import { laidOut, layouts } from '../layoutTexts.ts';

function laid(text: string, indent = 2): string | undefined {
  const changes = new Layout(text, indent).changes(parseDocument(text).root as YamlNode);
  return changes && changed(text, changes);
}

describe('the layout of a text', () => {
  for (const [what, [before, after]] of Object.entries(layouts))
    it(`places ${what}, and leaves it once it is so`, () => {
      assert.equal(laid(before), after);
      assert.deepEqual(new Layout(after, 2).changes(parseDocument(after).root as YamlNode), []);
    });

  it('is what was approved for texts of every shape, by one, by three and by eight', () => {
    const texts = [...laidOut, ...Object.values(layouts).map(([before]) => before)].filter(
      (text) => parseDocument(text).root !== null,
    );
    const told = texts.map((text) =>
      [text, ...[1, 3, 8].map((indent) => laid(text, indent))].map((each) => JSON.stringify(each)).join('\n'),
    );
    assertApproved('yaml-layouts', `${told.join('\n\n')}\n`);
  });

  it('is none where a line is nobody’s', () => {
    for (const text of ['a:\n    &x\n    b: 1\n', '? a\n: b\n'])
      assert.equal(laid(text), undefined, JSON.stringify(text));
  });
});
