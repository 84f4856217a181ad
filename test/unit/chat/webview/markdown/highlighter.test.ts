import assert from 'node:assert/strict';
import { colouredScopes, type Colours, isHighlightable } from '../../../../../src/chat/webview/markdown/colours.ts';
import { highlight } from '../../../../../src/chat/webview/markdown/highlighter.ts';

/** The scope of each run. */
function runsOf(code: string, colours: Colours): [text: string, scope: string | undefined][] {
  const runs: [string, string | undefined][] = [];
  let from = 0;
  for (let at = 0; at < colours.length; at += 2) {
    const length = colours[at] ?? 0;
    runs.push([code.slice(from, from + length), colouredScopes[colours[at + 1] ?? -1]]);
    from += length;
  }
  return runs;
}

describe('highlighter', () => {
  it('colours the languages of this product and covers every character', () => {
    const samples: Record<string, string> = {
      yaml: 'name: "x" # c\nmax: 1\n',
      yml: 'a: true',
      python: 'def f(x): return "<b>"',
      py: 'import os',
      sql: 'select 1 from t',
      scala: 'val x = 1',
      json: '{"a": [1, null]}',
      bash: 'echo "$HOME" && ls',
      sh: 'if true; then :; fi',
      typescript: 'const a: number = 1;',
      js: 'let b = `x${1}`',
      r: 'x <- c(1, 2)',
      java: 'class A {}',
      ini: '[a]\nb=1',
      xml: '<a b="c">d</a>',
      markdown: '# h',
      diff: '-old\n+new\n',
    };
    for (const [language, code] of Object.entries(samples)) {
      const colours = highlight(code, language);
      assert.ok(colours, language);
      const runs = runsOf(code, colours);
      assert.equal(runs.map(([text]) => text).join(''), code, language);
      assert.ok(
        runs.some(([, scope]) => scope !== undefined),
        language,
      );
    }
  });

  it('leaves what it does not know, what is too long and what has a line that is too long', () => {
    assert.equal(highlight('x', 'brainfuck'), undefined);
    assert.equal(highlight('x', ''), undefined);
    assert.equal(highlight('x\n'.repeat(30_001), 'python'), undefined);
    assert.equal(highlight(`a = 1\n${'a'.repeat(5_001)}\nb = 2`, 'ini'), undefined);
    assert.equal(isHighlightable('x\n'.repeat(30_000)), true);
    for (const [before, after] of [
      ['', ''],
      ['a = 1\n', ''],
      ['', '\nb = 2'],
    ] as const) {
      const line = (length: number): string => `${before}${'a'.repeat(length)}${after}`;
      assert.deepEqual([isHighlightable(line(5_000)), isHighlightable(line(5_001))], [true, false]);
    }
  });
});
