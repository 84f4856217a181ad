import assert from 'node:assert/strict';
import { mock } from 'node:test';
import '../workerHook.ts';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import {
  leavePage,
  pageFrames,
  usePage,
  type FakeElement,
  type FakeNode,
} from '../../../../support/editorStandIn/page.ts';
import { notedIn } from '../viewParts.ts';

usePage();
const { BoundedThread } = await import('../../../../../src/chat/webview/boundedThread.ts');
const { colouredScopes } = await import('../../../../../src/chat/webview/markdown/colours.ts');
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

describe('the colours of a code block', () => {
  let asked: unknown[];
  let reply: (colours: Int32Array | undefined) => Promise<void>;
  let nowInMs: () => number;
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    pageFrames.length = 0;
    nowInMs = () => 0;
    mock.method(performance, 'now', () => nowInMs());
    mock.method(BoundedThread.prototype, 'ask', (request: unknown) => {
      asked.push(request);
      return new Promise((resolve) => {
        reply = async (colours) => {
          resolve(colours);
          await new Promise(setImmediate);
        };
      });
    });
  });
  afterEach(() => mock.reset());

  const finished = (...texts: string[]): FakeElement => {
    asked = [];
    const block = new CodeBlock('python', actions);
    for (const text of texts) block.append(text);
    const apply = of(block.element).find('Apply with diff');
    assert.deepEqual([apply.style['visibility'], asked], ['hidden', []], 'half of a file is no change of it');
    block.finish();
    assert.equal(apply.style['visibility'], '');
    return of(block.element).find('code');
  };
  const scope = (name: (typeof colouredScopes)[number]): number => colouredScopes.indexOf(name);

  it('are asked for when it is finished, and put on its runs', async () => {
    const code = finished('if ', 'a:\n  1');
    assert.deepEqual(asked, [{ code: 'if a:\n  1', language: 'python' }]);
    assert.equal(elementLine(code), 'code{span.piece{if a:\n  1}}');
    await reply(Int32Array.of(2, scope('keyword'), 1, -1, 1, scope('comment'), 4, -1, 1, scope('emphasis')));
    assert.equal(
      elementLine(code),
      'code{span.piece{span.hljs-keyword{if} |   | span.hljs-comment{a} | :\n   | span.hljs-emphasis{1}}}',
    );
  });

  it('go on in the next piece where a run does, and wait for the next frame after six milliseconds', async () => {
    const line = 'abcd\n';
    const code = finished(line.repeat(60));
    const names = (): string[] =>
      (code.children as FakeElement[]).map((piece) => piece.children.map(elementLine).join('|'));
    const [plain, rows] = [line.repeat(20), `span.hljs-string{${line.repeat(20)}}`];
    assert.deepEqual(names(), [plain, plain, plain]);
    let looks = 0;
    // The first look begins the stretch; each piece takes three milliseconds.
    nowInMs = () => 3 * Math.max(0, looks++ - 1);
    await reply(Int32Array.of(250, scope('string'), 50, -1));
    assert.deepEqual([names(), pageFrames.length], [[rows, rows, plain], 1]);
    looks = 0;
    pageFrames.shift()?.();
    const half = line.repeat(10);
    assert.deepEqual([names(), pageFrames.length], [[rows, rows, `span.hljs-string{${half}}|${half}`], 0]);
  });
});
