import assert from 'node:assert/strict';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import { leavePage, usePage } from '../../../support/editorStandIn/page.ts';

usePage();
const { ReasoningView } = await import('../../../../src/chat/webview/reasoningView.ts');
leavePage();

describe('the thoughts of a model', () => {
  const { now } = Date;
  let nowMs = 1_000_000;
  let view: InstanceType<typeof ReasoningView>;
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    nowMs = 1_000_000;
    Date.now = () => nowMs;
    view = new ReasoningView();
  });
  afterEach(() => (Date.now = now));
  const shown = (): unknown[] => {
    const element = of(view.element);
    return [
      element.hidden,
      element.open,
      element.find('summary').textContent,
      element.find('reasoning-text').textContent,
    ];
  };

  it('are open with their seconds while it thinks, and folded with how long it took when it answers', () => {
    view.update('hm', true);
    assert.deepEqual(shown(), [false, true, 'Thinking, 0 s', 'hm']);
    nowMs += 3000;
    view.tick();
    assert.deepEqual(shown(), [false, true, 'Thinking, 3 s', 'hm']);
    nowMs += 2000;
    view.update('hm, so', true);
    assert.deepEqual(shown(), [false, true, 'Thinking, 5 s', 'hm, so']);
    nowMs += 60_000;
    view.update('hm, so', false);
    assert.deepEqual(shown(), [false, false, 'Thought for 1 min 5 s', 'hm, so']);
    nowMs += 5000;
    view.tick();
    view.update('hm, so', false);
    assert.deepEqual(shown(), [false, false, 'Thought for 1 min 5 s', 'hm, so']);
  });

  it('stay folded or open as the reader has them, until it thinks again', () => {
    view.update('hm', true);
    of(view.element).open = false;
    view.update('hm, so', true);
    assert.equal(of(view.element).open, false);
    view.update('hm, so', false);
    of(view.element).open = true;
    view.update('hm, so', false);
    assert.equal(of(view.element).open, true);
  });
});
