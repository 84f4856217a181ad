import assert from 'node:assert/strict';
import { mock } from 'node:test';
import '../workerHook.ts';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import {
  leavePage,
  page,
  pageFrames,
  usePage,
  type FakeElement,
  type FakeNode,
} from '../../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../../support/trail.ts';
import { notedIn } from '../viewParts.ts';

usePage();
const { BoundedThread } = await import('../../../../../src/chat/webview/boundedThread.ts');
const { colouredScopes } = await import('../../../../../src/chat/webview/markdown/colours.ts');
const { CodeBlock, showCopied } = await import('../../../../../src/chat/webview/markdown/codeBlock.ts');
leavePage();

let calls: unknown[][] = [];
const noted = notedIn(() => calls);
const actions = { copy: noted('copy'), insert: noted('insert'), newFile: noted('newFile'), apply: noted('apply') };
const ticked = 'button.icon-button "Copy the code" [aria-label=Copied]{(check)}';

describe('a code block on screen', () => {
  holdTrail(import.meta.url);
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

  it('shows its language, its buttons and code that the keyboard reaches', () => {
    const block = new CodeBlock('yml', actions);
    block.append('a: 1\n');
    const head = (label: string): string =>
      `div.code-block{div.code-head{span.code-language{${label}} | span.code-actions{` +
      'button.icon-button "Wrap Lines" [aria-pressed=false]{(wrap)} | button.icon-button "Copy the code"{(copy)} | ' +
      'button.icon-button "Apply with diff"{(apply)} | button.icon-button "Insert at the cursor"{(insert)} | ' +
      `button.icon-button "New file"{(newFile)}}} | pre [aria-label=Code: ${label}] [role=group] [tabindex=0]{`;
    assert.equal(elementLine(block.element), `${head('yml')}code.language-yaml{span.piece{a: 1\n}}}}`);
    assert.equal(elementLine(new CodeBlock('', actions).element), `${head('Code')}code}}`);
    assert.equal(of(new CodeBlock('yaml', actions).element).find('code').className, 'language-yaml');
    assert.equal(of(new CodeBlock('python', actions).element).find('code').className, '');
  });

  it('gives its whole text and language to what its buttons do', () => {
    calls = [];
    const block = new CodeBlock('python', actions);
    block.append('a = 1\n');
    block.append('b = 2');
    for (const label of ['Copy code', 'Apply With Diff', 'Insert at the cursor', 'New file', 'Wrap Lines'])
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

  it('wraps its lines while the button for that is pressed', () => {
    const block = new CodeBlock('python', actions);
    const wrap = of(block.element).find('Wrap Lines');
    const states = [0, 1, 2].map((clicks) => {
      if (clicks > 0) wrap.does('click');
      return [of(block.element).className, wrap.getAttribute('aria-pressed')];
    });
    assert.deepEqual(states, [
      ['code-block', 'false'],
      ['code-block wrapped', 'true'],
      ['code-block', 'false'],
    ]);
  });

  it('shows the tick of what was copied for one and a half seconds', () => {
    const waiting: [() => void, number][] = [];
    const timeout = mock.method(window, 'setTimeout', (work: () => void, inMs: number) => waiting.push([work, inMs]));
    const button = page.createElement('button');
    button.setAttribute('aria-label', 'Copy it');
    showCopied(button as never, 'Copy it');
    assert.deepEqual(
      [elementLine(button), waiting.map(([, inMs]) => inMs)],
      [`button [aria-label=Copied]{(check)}`, [1500]],
    );
    waiting[0]?.[0]();
    assert.equal(elementLine(button), 'button [aria-label=Copy it]{(copy)}');
    timeout.mock.restore();
  });

  it('begins a new piece after twenty lines, and tells the size of each while it is out of sight', () => {
    const sizes = (...texts: string[]): unknown[] => {
      const block = new CodeBlock('yaml', actions);
      for (const text of texts) block.append(text);
      return (of(block.element).find('code').children as FakeElement[]).map((piece) => [
        piece.className,
        piece.textContent.length,
        piece.style['containIntrinsicSize'],
      ]);
    };
    const twenty = 'abcd\n'.repeat(19) + 'abcdefgh\n';
    assert.deepEqual(sizes(twenty), [['piece', 104, '9ch 29em']]);
    assert.deepEqual(sizes(`${twenty}x`), [
      ['piece', 104, '9ch 29em'],
      ['piece', 1, '1ch 1.45em'],
    ]);
    assert.deepEqual(sizes(twenty, 'x', 'yz\n', 'a'), [
      ['piece', 104, '9ch 29em'],
      ['piece', 5, '4ch 2.9em'],
    ]);
    assert.deepEqual(sizes('ab', 'cd\n', 'e'), [['piece', 6, '5ch 2.9em']]);
    assert.deepEqual(sizes(''), []);
    assert.deepEqual(sizes('x'.repeat(1999), 'x', 'x'), [
      ['piece', 2000, '2000ch 1.45em'],
      ['piece', 1, '1ch 1.45em'],
    ]);
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
  holdTrail(import.meta.url, '-2');
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
    const apply = of(block.element).find('Apply With Diff');
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

  it('are none where nobody knows them, and none behind the last run', async () => {
    const plain = finished('if a');
    await reply(undefined);
    assert.equal(elementLine(plain), 'code{span.piece{if a}}');
    const short = finished('if a');
    await reply(Int32Array.of(2, scope('keyword')));
    assert.equal(elementLine(short), 'code{span.piece{span.hljs-keyword{if} |  a}}');
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
