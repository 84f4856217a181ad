import assert from 'node:assert/strict';
import '../workerHook.ts';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage, type FakeElement, type FakeNode } from '../../../../support/editorStandIn/page.ts';
import { notedIn } from '../viewParts.ts';

usePage();
const {} = await import('../../../../../src/chat/webview/boundedThread.ts');
const {} = await import('../../../../../src/chat/webview/markdown/colours.ts');
const { CodeBlock } = await import('../../../../../src/chat/webview/markdown/codeBlock.ts');
leavePage();

let calls: unknown[][] = [];
const noted = notedIn(() => calls);
const actions = { copy: noted('copy'), insert: noted('insert'), newFile: noted('newFile'), apply: noted('apply') };
const ticked = 'button.icon-button "Copy the code" [aria-label=Copied]{(check)}';

describe('a code block on screen', () => {
  before(usePage);
  after(leavePage);

  /** The rows that begin where no line does, and the longest piece. */
  const drawn = (code: string, step: number): { torn: string[]; longest: number } => {
    const block = new CodeBlock('yaml', actions);
    for (let at = 0; at < code.length; at += step) block.append(code.slice(at, at + step));
    assert.equal(block.text, code);
    const element = block.element as unknown as FakeElement;
    const texts = (element.find('language-yaml').children as FakeNode[]).map(({ textContent }) => textContent);
    assert.equal(texts.join(''), code);
    return {
      torn: texts.slice(0, -1).filter((text) => !text.endsWith('\n')),
      longest: Math.max(...texts.map(({ length }) => length)),
    };
  };

  it('is laid out in pieces that end with a line, however long the lines are and however they came', () => {
    for (const width of [1, 60, 163, 700, 1999])
      for (const step of [1, 7, 200, 100_000]) {
        const code = `${'x'.repeat(width)}\n`.repeat(60);
        const { torn, longest } = drawn(code, step);
        assert.deepEqual(torn, [], `${width} characters a line, ${step} at a time`);
        assert.ok(longest <= 4000, String(longest));
      }
  });

  it('tears a line that is too long to be laid out, and nothing else', () => {
    const code = `short\n${'x'.repeat(5000)}\n${'y'.repeat(150)}\n`;
    for (const step of [1, 200, 100_000]) {
      const { torn, longest } = drawn(code, step);
      assert.deepEqual(torn, [`short\n${'x'.repeat(2000)}`, 'x'.repeat(2000)]);
      assert.ok(longest <= 4000, String(longest));
    }
  });

  it('gives its whole text and language to what its buttons do', () => {
    calls = [];
    const block = new CodeBlock('python', actions);
    block.append('a = 1\n');
    block.append('b = 2');
    for (const label of ['Copy the code', 'Apply with diff', 'Insert at the cursor', 'New file', 'Wrap Lines'])
      of(block.element).find(label).does('click');
    assert.deepEqual(calls, [
      ['copy', 'a = 1\nb = 2'],
      ['apply', 'a = 1\nb = 2', 'python'],
      ['insert', 'a = 1\nb = 2'],
      ['newFile', 'a = 1\nb = 2', 'python'],
    ]);
    assert.equal(
      of(block.element).find('code-actions').children.map(elementLine)[1],
      ticked,
      'it says that it was copied',
    );
  });

  it('never parts the two halves of a character', () => {
    const pieces = (text: string): number[] => {
      const block = new CodeBlock('yaml', actions);
      block.append(text);
      assert.equal(block.text, text);
      return of(block.element)
        .find('code')
        .children.map(({ textContent }) => textContent.length);
    };
    assert.deepEqual(pieces(`${'x'.repeat(1999)}😀y`), [2001, 1]);
    assert.deepEqual(pieces(`${'x'.repeat(2000)}😀y`), [2000, 3]);
    assert.deepEqual(pieces(`${'x'.repeat(1998)}😀y`), [2000, 1]);
    for (const first of ['\ud800', '\udbff']) assert.deepEqual(pieces(`${'x'.repeat(1999)}${first}\udc00y`), [2001, 1]);
    for (const other of ['\ud7ff', '\ue000']) assert.deepEqual(pieces(`${'x'.repeat(1999)}${other}zy`), [2000, 2]);
  });
});
