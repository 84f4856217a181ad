import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { type FakeElement, leavePage, usePage } from '../../../support/editorStandIn/page.ts';

usePage();
const { KeptParts } = await import('../../../../src/runs/webview/pageParts.ts');
const { h } = await import('../../../../src/chat/webview/dom.ts');
leavePage();

describe('the parts of a page that are drawn again', () => {
  before(usePage);
  after(leavePage);
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('stay while one of their buttons is pressed, and are what came last when it is let go', () => {
    const parts = new KeptParts();
    const place = h('div', {});
    const asPressed = place as unknown as FakeElement;
    const put = (title: string): void => parts.put(place, { title }, () => [h('button', {}, title)]);
    put('1 s');
    const button = place.firstChild;
    asPressed.isPressed = true;
    put('2 s');
    put('3 s');
    mock.timers.tick(1000);
    assert.ok(place.firstChild === button);
    asPressed.isPressed = false;
    assert.ok(place.firstChild === button, 'the click comes first');
    mock.timers.tick(50);
    assert.equal(place.textContent, '3 s');
    mock.timers.tick(1000);
    assert.equal(place.textContent, '3 s');
  });

  it('are not drawn by what was put off, where what is shown is what came last', () => {
    const parts = new KeptParts();
    const place = h('div', {});
    const asPressed = place as unknown as FakeElement;
    const put = (title: string): void => parts.put(place, { title }, () => [h('p', {}, title)]);
    put('a');
    asPressed.isPressed = true;
    put('b');
    put('a');
    asPressed.isPressed = false;
    mock.timers.tick(1000);
    assert.equal(place.textContent, 'a');
  });
});
