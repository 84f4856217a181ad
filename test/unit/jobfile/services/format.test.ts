import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { format, type FormatOptions } from '../../../../src/jobfile/services/format.ts';
import { parseDocument } from '../../../../src/jobfile/yaml/document.ts';
import { nodeValue } from '../../../../src/jobfile/yaml/nodeValue.ts';
import { changed } from '../../../../src/jobfile/yaml/textChange.ts';
import { cpuOf } from '../../../support/cpuTime.ts';

function formatted(text: string, options?: FormatOptions): string {
  return changed(text, format(parseDocument(text), options));
}

const cases: Readonly<Record<string, readonly [before: string, after: string]>> = {
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
  'a file without a last newline': ['a: 1', 'a: 1\n'],
  'anchors, tags, aliases and merges': [
    'x-a: &a\n     k: 1\ny:   &b v\nz:\n    <<:   *a\n    w:  *b\n    &k q: !!str 1\nl:\n- &i\n  k: 1\n-  *i\n',
    'x-a: &a\n  k: 1\ny:   &b v\nz:\n  <<: *a\n  w: *b\n  &k q: !!str 1\nl:\n  - &i\n    k: 1\n  - *i\n',
  ],
  'texts of several lines, whose own spaces stay': [
    'a:\n    b: |\n          one\n\n            two  \n          \n    c: >-\n      folded\n      text\n    d: |1\n  ' +
      '    odd\n    e: "x\n      y"\n    f: plain\n     text\n',
    'a:\n  b: |\n    one\n\n      two  \n\n  c: >-\n    folded\n    text\n  d: |1\n    odd\n  e: "x\n    y"\n  f: plain\n   text\n',
  ],
  'empty lines that a text keeps': ['a: |+\n    x\n\n\nb:   1\n', 'a: |+\n  x\n\n\nb: 1\n'],
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
  'marks of documents': ['---   \n  a: 1\n...\n', '---\na: 1\n...\n'],
  'lines that end as on Windows': ['a:\r\n    b: 1  \r\n\r\n\r\nc:  2', 'a:\r\n  b: 1\r\n\r\nc: 2\r\n'],
  'keys in quotes': ['"a b" :  1\n\'c\':\n    d:   "x"\n', '"a b": 1\n\'c\':\n  d: "x"\n'],
};

describe('format', () => {
  for (const [what, [before, after]] of Object.entries(cases)) {
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

  it('leaves a file alone whose mistakes are known', () => {
    const document = parseDocument('a:   1\n');
    assert.equal(format(document).length, 1);
    const problem = { code: 'syntax', message: '', start: 0, end: 1, severity: 'error' } as const;
    assert.deepEqual(format({ ...document, problems: [problem] }), []);
  });

  it('leaves a file alone that would be another one, read again', () => {
    const text = 'a:   1\nb:   &x c\nd:   *x\ne:   [1, {f: 2}]\ng:\n      h: 3\n';
    const document = parseDocument(text);
    assert.equal(format(document).length, 4);
    type Json = { [name: string]: Json };
    for (const [path, value] of [
      ['entries.0.value.value', 2],
      ['entries.0.value.style', 'single'],
      ['entries.0.value', { kind: 'seq', start: 5, end: 6, flow: true, items: [] }],
      ['entries.0.value', { kind: 'map', start: 5, end: 6, flow: true, entries: [] }],
      ['entries.0.value', { kind: 'alias', start: 5, end: 6, name: 'x' }],
      ['entries.0.key.name', 'z'],
      ['entries.2.value.name', 'y'],
      ['entries.2.value', { kind: 'scalar', start: 22, end: 24, value: 'c', style: 'plain' }],
      ['entries.3.value.items.0.value', 2],
      ['entries.3.value.items.1.flow', false],
      ['entries.3.value.items.1.entries.0.key.name', 'z'],
      ['entries.3.value.items.2', { kind: 'scalar', start: 37, end: 38, value: 1, style: 'plain' }],
      ['entries.4.value.flow', true],
      ['entries.4.value.entries.0.value.value', 4],
    ] as const) {
      const root = structuredClone(document.root) as unknown as Json;
      const steps = path.split('.');
      const owner = steps.slice(0, -1).reduce((part, step) => part[step] ?? {}, root);
      owner[steps.at(-1) ?? ''] = value as unknown as Json;
      assert.deepEqual(format({ ...document, root: root as never }), [], path);
    }
  });

  it('leaves a file alone that is written in a way it does not place', () => {
    assert.deepEqual(format(parseDocument('a:\n    &x\n    b: 1\n')), []);
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

  it('leaves files alone that are longer than any job', () => {
    const lines = (count: number): string => `a:   1\n${'# c\n'.repeat(count - 2)}`;
    assert.deepEqual(
      [format(parseDocument(lines(20_000))).length, format(parseDocument(lines(20_001))).length],
      [1, 0],
    );
    assert.deepEqual(format(parseDocument(`\n${lines(20_000)}`)), [], 'an empty line counts');
  });
});
