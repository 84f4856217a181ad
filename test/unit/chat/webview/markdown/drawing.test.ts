import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { colouredScopes, type Colours, isHighlightable } from '../../../../../src/chat/webview/markdown/colours.ts';
import { highlight } from '../../../../../src/chat/webview/markdown/highlighter.ts';
import '../workerHook.ts';
import { all, click, find, inPage, onPage } from '../../../../support/editorStandIn/page.ts';
import { notedIn } from '../viewParts.ts';

const { CodeBlock } = await onPage(() => import('../../../../../src/chat/webview/markdown/codeBlock.ts'));
const { MarkdownView } = await onPage(() => import('../../../../../src/chat/webview/markdown/markdownView.ts'));

describe('CodeBlock', () => {
  let calls: unknown[][] = [];
  const noted = notedIn(() => calls);
  const actions = { copy: noted('copy'), insert: noted('insert'), newFile: noted('newFile'), apply: noted('apply') };

  inPage();

  /** Returns the pieces that end within a line, and the length of the longest piece. */
  const drawn = (code: string, step: number): { torn: string[]; longest: number } => {
    const block = new CodeBlock('yaml', actions);
    for (let at = 0; at < code.length; at += step) block.append(code.slice(at, at + step));
    assert.equal(block.text, code);
    const texts = [...find(block.element, 'language-yaml').childNodes].map(({ textContent }) => textContent ?? '');
    assert.equal(texts.join(''), code);
    return {
      torn: texts.slice(0, -1).filter((text) => !text.endsWith('\n')),
      longest: Math.max(...texts.map(({ length }) => length)),
    };
  };

  it('lays out code in pieces that end with a line, in any order of arrival', () => {
    for (const width of [60, 163, 1999])
      for (const step of [7, 200, 100_000]) {
        const code = `${'x'.repeat(width)}\n`.repeat(60);
        const { torn, longest } = drawn(code, step);
        assert.deepEqual(torn, [], `${width} characters a line, ${step} at a time`);
        assert.ok(longest <= 4000, String(longest));
      }
  });

  it('splits only a line that is too long to be laid out', () => {
    const code = `short\n${'x'.repeat(5000)}\n${'y'.repeat(150)}\n`;
    for (const step of [1, 200, 100_000]) {
      const { torn, longest } = drawn(code, step);
      assert.deepEqual(torn, [`short\n${'x'.repeat(2000)}`, 'x'.repeat(2000)]);
      assert.ok(longest <= 4000, String(longest));
    }
  });

  it('is named after the file of a diff, whose header is copied but not shown', () => {
    calls = [];
    const block = new CodeBlock('diff', actions);
    const [header, hunk] = ['--- a/etl/load.py\n+++ b/etl/load.py\n', '@@ -1 +1 @@\n-a\n+b\n'];
    block.append(header + hunk);
    block.finish();
    assert.match(find(block.element, 'code-language').textContent ?? '', /etl\/load\.py/);
    assert.equal(block.element.querySelector('code')?.textContent, hunk);
    click(find(block.element, 'Copy code'));
    assert.deepEqual(calls, [['copy', header + hunk]]);
  });

  it('shows the header of a diff that renames or deletes a file, or changes several', () => {
    const change = '--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n';
    for (const text of [
      change.replace('b/x.py', '/dev/null'),
      change.replace('a/x.py', 'a/y.py'),
      change + change.replaceAll('x.py', 'y.py'),
    ]) {
      const block = new CodeBlock('diff', actions);
      block.append(text);
      block.finish();
      assert.equal(block.element.querySelector('code')?.textContent, text);
      assert.equal(find(block.element, 'code-language').textContent, 'diff');
    }
  });

  it('passes its whole text and its language to its buttons', () => {
    calls = [];
    const block = new CodeBlock('python', actions);
    block.append('a = 1\n');
    block.append('b = 2');
    for (const label of ['Copy code', 'Apply With Diff', 'Insert at the cursor', 'New file', 'Wrap Lines'])
      click(find(block.element, label));
    assert.deepEqual(calls, [
      ['copy', 'a = 1\nb = 2'],
      ['apply', 'a = 1\nb = 2', 'python'],
      ['insert', 'a = 1\nb = 2'],
      ['newFile', 'a = 1\nb = 2', 'python'],
    ]);
    assert.equal(find(block.element, 'code-actions').textContent, '');
    assert.ok(find(block.element, 'Copied'));
  });

  it('never splits a surrogate pair', () => {
    const pieces = (text: string): number[] => {
      const block = new CodeBlock('yaml', actions);
      block.append(text);
      assert.equal(block.text, text);
      return [...find(block.element, 'code').childNodes].map(({ textContent }) => textContent?.length ?? 0);
    };
    assert.deepEqual(pieces(`${'x'.repeat(1999)}😀y`), [2001, 1]);
    assert.deepEqual(pieces(`${'x'.repeat(2000)}😀y`), [2000, 3]);
    assert.deepEqual(pieces(`${'x'.repeat(1998)}😀y`), [2000, 1]);
    for (const first of ['\ud800', '\udbff']) assert.deepEqual(pieces(`${'x'.repeat(1999)}${first}\udc00y`), [2001, 1]);
    for (const other of ['\ud7ff', '\ue000']) assert.deepEqual(pieces(`${'x'.repeat(1999)}${other}zy`), [2000, 2]);
  });
});

describe('MarkdownView', () => {
  inPage();
  const nothing = (): void => undefined;
  const made = () => new MarkdownView({ copy: nothing, insert: nothing, newFile: nothing, apply: nothing });

  it('redraws only its open block, and nothing once it is finished', () => {
    const view = made();
    assert.equal(view.update('a\n\nb\n', false), 0);
    assert.equal(view.element.innerHTML, '<div class="part"><p>a</p><p>b</p></div>');
    const [first] = find(view.element, 'part').children;
    assert.equal(view.update('a\n\nb\nc', true), 0);
    assert.equal(view.element.innerHTML, '<div class="part"><p>a</p><p>b<br>c</p></div>');
    assert.ok(find(view.element, 'part').children[0] === first, 'what is finished is not touched');
    assert.equal(view.update('a\n\nb\ncd', true), 0);
    assert.equal(view.element.innerHTML, '<div class="part"><p>a</p><p>b<br>c</p></div>');
  });

  it('links a reference that is defined after its use', () => {
    const view = made();
    view.update('[a]\n\n[a]: https://b.example/', true);
    assert.equal(find(view.element, 'a').getAttribute('data-link'), 'https://b.example/');
  });

  it('continues a block that is too long in the next part', () => {
    const view = made();
    view.update('- item of a list\n'.repeat(100), true);
    assert.deepEqual(
      [...view.element.children].map((part) => [part.className, part.children.length]),
      [
        ['part continues', 1],
        ['part', 1],
      ],
    );
  });

  it('shows code as it arrives and finishes it once', () => {
    const finish = mock.method(CodeBlock.prototype, 'finish');
    const view = made();
    view.update('```python\nx = 1\n', false);
    assert.match(view.element.textContent, /python.*x = 1/s);
    assert.equal(finish.mock.callCount(), 0);
    view.update('```python\nx = 1\ny = 2\n```\n', false);
    assert.match(view.element.textContent, /x = 1\ny = 2/);
    assert.equal(finish.mock.callCount(), 1);
    view.update('```python\nx = 1\ny = 2\n```\nz', true);
    assert.equal(find(view.element, 'p').textContent, 'z');
    assert.equal(finish.mock.callCount(), 1);
    assert.equal(all(view.element, '.code-block').length, 1);
  });
});

describe('highlighter', () => {
  /** Returns each run with its scope. */
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

  it('colors the languages of this product and covers every character', () => {
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

  it('leaves unknown languages, long code and long lines alone', () => {
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
