import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { format, type FormatOptions } from '../../../../src/jobfile/services/format.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';
import { cpuOf } from '../../../support/cpuTime.ts';
import { layouts } from '../layoutTexts.ts';

function formatted(text: string, options?: FormatOptions): string {
  return changed(text, format(parseDocument(text), options));
}

describe('format', () => {
  for (const [what, [before, after]] of Object.entries(layouts)) {
    it(`lays out ${what}`, () => {
      assert.deepEqual(parseDocument(before).problems, []);
      assert.equal(formatted(before), after);
      for (const { start, end, text } of format(parseDocument(before)))
        assert.notEqual(before.slice(start, end), text, 'a change that changes nothing');
      assert.deepEqual(format(parseDocument(after)), []);
    });
  }

  it('takes the width of the editor, within reason', () => {
    assert.equal(
      formatted('a:\n b: |\n  x\nl:\n - c: 1\n', { indent: 4 }),
      'a:\n    b: |\n        x\nl:\n    - c: 1\n',
    );
    assert.equal(formatted('a:\n    b: 1\n', { indent: 0 }), 'a:\n b: 1\n');
    assert.equal(formatted('a:\n    b: 1\n', { indent: 1000 }), 'a:\n        b: 1\n');
  });

  it('leaves a file alone that cannot be read, that is empty, or that is JSON', () => {
    for (const text of ['a: "x\nb:   1\n', '', '\n\n# only\n', 'a:   1\n---\nb: 1\n', '{"a":   1,\n     "b": [1]}\n'])
      assert.deepEqual(format(parseDocument(text)), [], text);
  });

  const folder = path.join(import.meta.dirname, '../../../fixtures/jobfiles');
  for (const name of fs.readdirSync(folder)) {
    it(`keeps what ${name} says, however it is indented`, () => {
      const text = fs.readFileSync(path.join(folder, name), 'utf8');
      const value = nodeValue(parseDocument(text).root);
      const wide = formatted(text, { indent: 5 });
      assert.deepEqual(nodeValue(parseDocument(wide).root), value);
      assert.equal(formatted(wide), formatted(text));
      assert.deepEqual(nodeValue(parseDocument(formatted(text)).root), value);
      assert.equal(wide.replace(/\s/g, ''), text.replace(/\s/g, ''));
    });
  }

  it('takes little time for large files and long comments', async () => {
    const mapping = `a:\n${Array.from({ length: 10_000 }, (_, index) => `    k${index}:   v\n`).join('')}`;
    const comments = `a:\n${'    # c\n'.repeat(19_000)}    b: 1\n`;
    for (const text of [mapping, comments]) {
      const document = parseDocument(text);
      const ms = await cpuOf(() => format(document));
      // What grows with the square of the lines takes minutes.
      assert.ok(ms < 3000, `${ms.toFixed(0)} ms`);
    }
  });

});
