import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { format, type FormatOptions } from '../../../src/jobfile/services/format.ts';
import { parseDocument } from '../../../src/jobfile/yaml/document.ts';
import { nodeValue } from '../../../src/jobfile/yaml/nodeValue.ts';
import { changed } from '../../../src/jobfile/yaml/textRange.ts';
import { cpuOf } from '../../support/cpuTime.ts';

/** Each text, and how it is laid out with two spaces for a level. */
const layouts: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'levels, of mappings and of lists': [
    'schedule:\n    timezone_id: UTC\nlibraries:\n- jar: a\n- pypi:\n     package: b\n',
    'schedule:\n  timezone_id: UTC\nlibraries:\n  - jar: a\n  - pypi:\n      package: b\n',
  ],
  'colons, dashes and the ends of lines': [
    'name :   x  \nlibraries:\n-   jar :  a\t\n    egg:\n-\n',
    'name: x\nlibraries:\n  - jar: a\n    egg:\n  -\n',
  ],
  'comments, which stay with what they stand beside': [
    '# top\na:\n    # of b\n    b: 1 # after\n    # below b\n# of c\nc:\n- # of the item\n    d: 1\n    # end of d\n# end\n',
    '# top\na:\n  # of b\n  b: 1 # after\n  # below b\n# of c\nc:\n  - # of the item\n    d: 1\n    # end of d\n# end\n',
  ],
  'empty lines': ['\n\na: 1\n\n \n\nb: 2\n\n\n', 'a: 1\n\nb: 2\n'],
  'anchors, tags, aliases and merges': [
    'x-a: &a\n     k: 1\ny:   &b v\nz:\n    <<:   *a\n    w:  *b\n    &k q: !!str 1\nl:\n- &i\n  k: 1\n-  *i\n',
    'x-a: &a\n  k: 1\ny:   &b v\nz:\n  <<: *a\n  w: *b\n  &k q: !!str 1\nl:\n  - &i\n    k: 1\n  - *i\n',
  ],
  'texts of several lines, whose own spaces stay': [
    'a:\n    b: |\n          one\n\n            two  \n          \n    c: >-\n      folded\n      text\n    d: |1\n  ' +
      '    odd\n    e: "x\n      y"\n    f: plain\n     text\n',
    'a:\n  b: |\n    one\n\n      two  \n\n  c: >-\n    folded\n    text\n  d: |1\n    odd\n  e: "x\n    y"\n  f: plain\n   text\n',
  ],
  'braces over several lines': [
    'a:\n    b: {c: 1,\n      d: [1,\n      2]}\n    e: [\n      # one\n      1 ]\n',
    'a:\n  b: {c: 1,\n    d: [1,\n    2]}\n  e: [\n    # one\n    1 ]\n',
  ],
  'lists in lists': [
    'a:\n-   - 1\n    - 2\n-   -   b: 1\n        c: 2\n',
    'a:\n  - - 1\n    - 2\n  - - b: 1\n      c: 2\n',
  ],
  'values on lines of their own': [
    'a:\n      text\nb:\n      [1]\nc:\n-\n     x\n',
    'a:\n  text\nb:\n  [1]\nc:\n  -\n    x\n',
  ],
  'lines that end as on Windows': ['a:\r\n    b: 1  \r\n\r\n\r\nc:  2', 'a:\r\n  b: 1\r\n\r\nc: 2\r\n'],
  'a text that says how far it is indented': ['a: |2+\n    text\n  \n\nb:   1\n', 'a: |2+\n    text\n  \n\nb: 1\n'],
  'comments at every depth': [
    '   # first\na:\n  # one\n      # deep\n  b:\n      c: 1\n    # of b\n  # of a\n# top\nd: 1\n   # behind\n',
    '# first\na:\n  # one\n  # deep\n  b:\n    c: 1\n  # of b\n  # of a\n# top\nd: 1\n# behind\n',
  ],
  'empty lines everywhere': [
    '# only\n\n\n\na:\n    b: 1\n\n\n\n    c: 2\n  \n  \n',
    '# only\n\na:\n  b: 1\n\n  c: 2\n',
  ],
  'comments behind a colon, which stay where they are': [
    'a:   # note\n    b: 1\nc:\t# other\n    - d\n',
    'a:   # note\n  b: 1\nc:\t# other\n  - d\n',
  ],
  'texts of items': [
    'a: >\n   one\n    two\n\n   three\nb:\n    - |\n        x\n      \n        y\n    -   z\n',
    'a: >\n  one\n   two\n\n  three\nb:\n  - |\n    x\n\n    y\n  - z\n',
  ],
  'a list by itself': ['- a\n-   b\n', '- a\n- b\n'],
  'a file that is indented as a whole': ['    a: 1\n    b:\n      c: 2\n', 'a: 1\nb:\n  c: 2\n'],
};

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

  it('uses the indentation of the editor, within limits', () => {
    assert.equal(
      formatted('a:\n b: |\n  x\nl:\n - c: 1\n', { indent: 4 }),
      'a:\n    b: |\n        x\nl:\n    - c: 1\n',
    );
    assert.equal(formatted('a:\n    b: 1\n', { indent: 0 }), 'a:\n b: 1\n');
    assert.equal(formatted('a:\n    b: 1\n', { indent: 1000 }), 'a:\n        b: 1\n');
  });

  it('leaves unreadable, empty and JSON files unchanged', () => {
    for (const text of ['a: "x\nb:   1\n', '', '\n\n# only\n', 'a:   1\n---\nb: 1\n', '{"a":   1,\n     "b": [1]}\n'])
      assert.deepEqual(format(parseDocument(text)), [], text);
  });

  const folder = path.join(import.meta.dirname, '../../fixtures/jobfiles');
  for (const name of fs.readdirSync(folder)) {
    it(`keeps the meaning of ${name} at any indentation`, () => {
      const text = fs.readFileSync(path.join(folder, name), 'utf8');
      const value = nodeValue(parseDocument(text).root);
      const wide = formatted(text, { indent: 5 });
      assert.deepEqual(nodeValue(parseDocument(wide).root), value);
      assert.equal(formatted(wide), formatted(text));
      assert.deepEqual(nodeValue(parseDocument(formatted(text)).root), value);
      assert.equal(wide.replace(/\s/g, ''), text.replace(/\s/g, ''));
    });
  }

  it('formats large files quickly', async () => {
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
