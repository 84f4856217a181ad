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
