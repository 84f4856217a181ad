import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { FromPage, PageLink } from '../../../../src/runs/page/pageProtocol.ts';
import { type FakeElement, leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { noting } from '../../../support/trail.ts';

usePage();
const { KeptParts, linkTo } = await import('../../../../src/runs/webview/pageParts.ts');
const { h } = await import('../../../../src/shared/webview/dom.ts');
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

  it('are made only when what they are of has changed, and then keep the focus by its words', () => {
    const parts = new KeptParts();
    const place = h('div', {});
    const of = place as unknown as FakeElement;
    let made = 0;
    const put = (version: number): void =>
      parts.put(place, { version }, () => {
        made += 1;
        return [h('p', { attributes: { tabindex: '0' } }, 'first'), h('button', {}, 'second')];
      });
    page.activeElement = page.body;
    put(1);
    put(1);
    assert.equal(made, 1);
    assert.equal(page.activeElement, page.body, 'nobody was in it');
    for (const name of ['p', 'second']) {
      const before = of.find(name);
      before.focus();
      put((made += 1));
      assert.notEqual(of.find(name), before);
      assert.equal(page.activeElement, of.find(name), name);
    }
    const elsewhere = h('button', {}, 'second');
    elsewhere.focus();
    put(-1);
    assert.ok(page.activeElement === (elsewhere as unknown as FakeElement), 'who is elsewhere stays there');
  });
});

describe('the parts that the pages are made of', () => {
  let sent: FromPage[];
  before(usePage);
  after(leavePage);
  beforeEach(() => (sent = []));
  const post = (message: FromPage): void => noting('posts', sent)(message);
  const of = (element: Element): FakeElement => element as unknown as FakeElement;

  it('lead to a place, a run, a job, or do something; what leads nowhere is text', () => {
    const place = { file: '/w/a.py', line: 1 };
    const links: PageLink[] = [
      { label: 'a', place },
      { label: 'b', runId: '1' },
      { label: 'c', jobId: '2' },
      { label: 'd', action: 'pull' },
      { label: 'e' },
    ];
    const drawn = links.map((link) => of(linkTo(link, post)));
    for (const link of drawn) link.does('click');
    assert.deepEqual(
      drawn.map(({ tag, textContent }) => `${tag} ${textContent}`),
      ['button a', 'button b', 'button c', 'button d', 'span e'],
    );
    assert.deepEqual(sent, [
      { type: 'openPlace', place },
      { type: 'openRun', runId: '1' },
      { type: 'openJob', jobId: '2' },
      { type: 'action', id: 'pull' },
    ]);
  });
});
