import assert from 'node:assert/strict';
import { mock } from 'node:test';
import '../workerHook.ts';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../../support/editorStandIn/page.ts';
import { holdTrail } from '../../../../support/trail.ts';

usePage();
const { MarkdownView } = await import('../../../../../src/chat/webview/markdown/markdownView.ts');
const { CodeBlock } = await import('../../../../../src/chat/webview/markdown/codeBlock.ts');
leavePage();

describe('a markdown text that grows on screen', () => {
  holdTrail(import.meta.url);
  before(usePage);
  after(leavePage);
  afterEach(() => mock.reset());
  const nothing = (): void => undefined;
  const made = () => new MarkdownView({ copy: nothing, insert: nothing, newFile: nothing, apply: nothing });

  it('replaces its open block alone, and is drawn no more once it is finished', () => {
    mock.method(performance, 'now', () => 0);
    const view = made();
    assert.equal(view.update('a\n\nb\n', false), 0);
    assert.equal(elementLine(view.element), 'div.markdown{div.part{p{a} | p{b}}}');
    const [first] = of(view.element).find('part').children;
    assert.equal(view.update('a\n\nb\nc', true), 0);
    assert.equal(elementLine(view.element), 'div.markdown{div.part{p{a} | p{b | br | c}}}');
    assert.ok(of(view.element).find('part').children[0] === first, 'what is finished is not touched');
    assert.equal(view.update('a\n\nb\ncd', true), 0);
    assert.equal(elementLine(view.element), 'div.markdown{div.part{p{a} | p{b | br | c}}}');
  });

  it('links what is defined behind its use', () => {
    mock.method(performance, 'now', () => 0);
    const view = made();
    view.update('[a]\n\n[a]: https://b.example/', true);
    assert.equal(
      elementLine(view.element),
      'div.markdown{div.part{p{a "Open https://b.example/" [data-link=https://b.example/] [role=link] [tabindex=0]{a}}}}',
    );
  });

  it('begins a new part where the last one weighs 150 elements', () => {
    mock.method(performance, 'now', () => 0);
    const view = made();
    // A paragraph and its eighty characters weigh five.
    view.update(`${'x'.repeat(80)}\n\n`.repeat(31), true);
    assert.deepEqual(
      of(view.element).children.map((part) => of(part).children.length),
      [30, 1],
    );
  });

  it('rests twice as long as a drawing took that was longer than eight milliseconds', () => {
    let nowMs = 0;
    mock.method(performance, 'now', () => (nowMs += 5));
    const view = made();
    assert.equal(view.update('a', false, 1000), 0);
    // Begun at 5 ms, ended at 15: asked again at 20, there is time from 35 on.
    assert.equal(view.update('a b', false, 1000), 15);
    assert.equal(elementLine(view.element), 'div.markdown{div.part{p{a}}}');
    assert.equal(view.update('a b', true, 10_000), 0, 'what is finished does not wait');
    assert.equal(elementLine(view.element), 'div.markdown{div.part{p{a b}}}');
  });

  it('links at its end what was defined behind its use, though all of it was shown before', () => {
    mock.method(performance, 'now', () => 0);
    const view = made();
    const before = `[a]\n\n${'b\n\n'.repeat(1000)}`;
    const text = `${before}[a]: https://b.example/`;
    view.update(before, false);
    view.update(text, false);
    assert.doesNotMatch(elementLine(view.element), /data-link/);
    assert.equal(view.update(text, true), 0);
    assert.match(elementLine(view.element), /data-link=https:\/\/b\.example\//);
    assert.equal(
      of(view.element)
        .all()
        .filter(({ tagName }) => tagName === 'P').length,
      1001,
      'and nothing twice',
    );
  });

  it('is drawn for eight milliseconds, 1,200 characters at a time, and goes on after a rest', () => {
    let nowMs = 0;
    mock.method(performance, 'now', () => (nowMs += 3));
    const view = made();
    const text = 'abcdefgh\n\n'.repeat(1000);
    const drawn = (): number => of(view.element).children.reduce((sum, part) => sum + of(part).children.length, 0);
    // Called at 3, begun at 6, asked again at 9 and 12, ended at 15.
    assert.equal(view.update(text, false), 15);
    assert.equal(drawn(), 120);
    let calls = 0;
    while (view.update(text, true) > 0) {
      calls += 1;
      assert.ok(calls < 20);
    }
    assert.equal(drawn(), 1000);
    assert.ok(calls > 5);
  });

  it('does not rest where it was quick', () => {
    let nowMs = 0;
    mock.method(performance, 'now', () => (nowMs += 1));
    const view = made();
    assert.equal(view.update('a', false, 1000), 0);
    assert.equal(view.update('a b', false, 1000), 0);
    assert.equal(elementLine(view.element), 'div.markdown{div.part{p{a b}}}');
  });

  it('asks to be called again where there was no time, to draw it or to end it', () => {
    let times = [0];
    mock.method(performance, 'now', () => (times.length > 1 ? (times.shift() ?? 0) : (times[0] ?? 0)));
    const view = made();
    assert.equal(view.update('a', false, 0), 1);
    assert.equal(elementLine(view.element), 'div.markdown');
    // There is time to take the text, and none to finish it.
    times = [0, 0, 5, 5];
    assert.ok(view.update('*a*', true, 1) > 0);
    times = [0];
    assert.equal(view.update('*a*', true, 1), 0);
    assert.equal(elementLine(view.element), 'div.markdown{div.part{p{em{a}}}}');
  });

  it('is in parts by all of the elements that it has', () => {
    mock.method(performance, 'now', () => 0);
    const view = made();
    // Nine paragraphs of thirty elements come in a step and stay together; their text alone would leave room for the others.
    view.update(`${Array.from({ length: 29 }, () => '*a*').join(' ')}\n\n`.repeat(11), true);
    assert.deepEqual(
      of(view.element).children.map((part) => of(part).children.length),
      [9, 2],
    );
    const other = made();
    other.update(`${'x'.repeat(80)}\n\n`.repeat(130), true);
    const [first, second, third] = of(other.element).children.map((part) => of(part).children.length);
    assert.deepEqual([first, second, third !== undefined], [42, 30, true]);
  });

  it('goes on in the next part where a block is too long for one', () => {
    mock.method(performance, 'now', () => 0);
    const view = made();
    view.update('- item of a list\n'.repeat(100), true);
    assert.deepEqual(
      of(view.element).children.map((part) => [elementLine(part).split('{')[0], of(part).children.length]),
      [
        ['div.part.continues', 1],
        ['div.part', 1],
      ],
    );
  });

  it('shows code as it comes, and finishes it once', () => {
    mock.method(performance, 'now', () => 0);
    const finish = mock.method(CodeBlock.prototype, 'finish');
    const view = made();
    view.update('```python\nx = 1\n', false);
    assert.match(elementLine(view.element), /python.*x = 1/s);
    assert.equal(finish.mock.callCount(), 0);
    view.update('```python\nx = 1\ny = 2\n```\n', false);
    assert.match(elementLine(view.element), /x = 1\ny = 2/);
    assert.equal(finish.mock.callCount(), 1);
    view.update('```python\nx = 1\ny = 2\n```\nz', true);
    assert.match(elementLine(view.element), /p\{z\}/);
    assert.equal(finish.mock.callCount(), 1);
    assert.equal(elementLine(view.element).split('code-block').length, 2);
  });

  it('shows code in a list, which is finished with it', () => {
    mock.method(performance, 'now', () => 0);
    const finish = mock.method(CodeBlock.prototype, 'finish');
    const view = made();
    const text = '- a\n\n  ```py\n  x = 1\n  ```\n';
    view.update(text, false);
    assert.match(elementLine(view.element), /li\{p\{a\}.*py.*x = 1/s);
    assert.equal(finish.mock.callCount(), 0);
    view.update(text, true);
    assert.match(elementLine(view.element), /li\{p\{a\}.*py.*x = 1/s);
    assert.equal(finish.mock.callCount(), 1);
  });
});
