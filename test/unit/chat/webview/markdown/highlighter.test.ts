import assert from 'node:assert/strict';
import { highlight, type HighlightNode } from '../../../../../src/chat/webview/markdown/highlighter.ts';

const textOf = (nodes: readonly HighlightNode[]): string => nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
const classesOf = (nodes: readonly HighlightNode[]): string[] => nodes.flatMap((node) => (typeof node === 'string' ? [] : [node.className, ...classesOf(node.children)]));

describe('highlighter', () => {
  it('colours the languages of this product and loses no character', () => {
    const samples: Record<string, string> = {
      yaml: 'name: "x" # c\nmax: 1\n', yml: 'a: true', python: 'def f(x): return "<b>"', py: 'import os', sql: 'select 1 from t', scala: 'val x = 1', json: '{"a": [1, null]}',
      bash: 'echo "$HOME" && ls', sh: 'if true; then :; fi', typescript: 'const a: number = 1;', js: 'let b = `x${1}`', r: 'x <- c(1, 2)', java: 'class A {}', ini: '[a]\nb=1', xml: '<a b="c">d</a>', markdown: '# h',
    };
    for (const [language, code] of Object.entries(samples)) {
      const nodes = highlight(code, language);
      assert.ok(nodes, language);
      assert.equal(textOf(nodes), code, language);
      assert.ok(classesOf(nodes).length > 0, language);
      assert.ok(classesOf(nodes).every((name) => /^(hljs-[a-z_-]+|)$/i.test(name)), `${language}: ${classesOf(nodes).join(' ')}`);
    }
  });

  it('leaves what it does not know and what is too long', () => {
    assert.equal(highlight('x', 'brainfuck'), undefined);
    assert.equal(highlight('x', ''), undefined);
    assert.equal(highlight('x'.repeat(60_001), 'python'), undefined);
  });
});
