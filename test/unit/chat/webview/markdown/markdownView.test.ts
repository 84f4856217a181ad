import assert from 'node:assert/strict';
import { mock } from 'node:test';
import '../workerHook.ts';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../../support/editorStandIn/page.ts';

usePage();
const { MarkdownView } = await import('../../../../../src/chat/webview/markdown/markdownView.ts');
const { CodeBlock } = await import('../../../../../src/chat/webview/markdown/codeBlock.ts');
leavePage();

describe('a markdown text that grows on screen', () => {
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
});
