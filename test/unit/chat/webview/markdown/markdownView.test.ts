import assert from 'node:assert/strict';
import { mock } from 'node:test';
import '../workerHook.ts';
import { leavePage, usePage } from '../../../../support/editorStandIn/page.ts';
import { of, outline } from '../viewParts.ts';

usePage();
const { MarkdownView } = await import('../../../../../src/chat/webview/markdown/markdownView.ts');
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
    assert.equal(outline(view.element), 'div.markdown{div.part{p{a} | p{b}}}');
    const [first] = of(view.element).find('part').children;
    assert.equal(view.update('a\n\nb\nc', true), 0);
    assert.equal(outline(view.element), 'div.markdown{div.part{p{a} | p{b | br | c}}}');
    assert.ok(of(view.element).find('part').children[0] === first, 'what is finished is not touched');
    assert.equal(view.update('a\n\nb\ncd', true), 0);
    assert.equal(outline(view.element), 'div.markdown{div.part{p{a} | p{b | br | c}}}');
  });

  it('links what is defined behind its use', () => {
    mock.method(performance, 'now', () => 0);
    const view = made();
    view.update('[a]\n\n[a]: https://b.example/', true);
    assert.equal(
      outline(view.element),
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
    assert.equal(outline(view.element), 'div.markdown{div.part{p{a}}}');
    assert.equal(view.update('a b', true, 10_000), 0, 'what is finished does not wait');
    assert.equal(outline(view.element), 'div.markdown{div.part{p{a b}}}');
  });
});
