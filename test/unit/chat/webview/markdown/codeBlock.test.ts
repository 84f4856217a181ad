import assert from 'node:assert/strict';
import '../workerHook.ts';
import { leavePage, usePage, type FakeElement, type FakeNode } from '../../../../support/editorStandIn/page.ts';

usePage();
const { CodeBlock } = await import('../../../../../src/chat/webview/markdown/codeBlock.ts');
leavePage();

const nothing = (): void => undefined;

describe('a code block on screen', () => {
  before(usePage);
  after(leavePage);

  /** The rows that begin where no line does, and the longest piece. */
  const drawn = (code: string, step: number): { torn: string[]; longest: number } => {
    const block = new CodeBlock('yaml', { copy: nothing, insert: nothing, newFile: nothing, apply: nothing });
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
});
