import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { FromPage, PageLink } from '../../../../src/runs/page/pageProtocol.ts';
import { type FakeElement, leavePage, page, usePage } from '../../../support/editorStandIn/page.ts';
import { holdTrail, noting } from '../../../support/trail.ts';

usePage();
const { actionButton, facts, KeptParts, linkTo, notice, outlineButton, pageHead, section, stateIcon } =
  await import('../../../../src/runs/webview/pageParts.ts');
const { h } = await import('../../../../src/shared/webview/dom.ts');
leavePage();

describe('the parts of a page that are drawn again', () => {
  holdTrail(import.meta.url);
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

  it('take the focus from nobody who types outside of the page, and keep it for who comes back', () => {
    const parts = new KeptParts();
    const place = h('div', {});
    const of = place as unknown as FakeElement;
    const put = (version: number): void => parts.put(place, { version }, () => [h('button', {}, 'first')]);
    put(1);
    of.find('first').focus();
    page.isFocused = false;
    put(2);
    put(3);
    assert.equal(page.activeElement === of.find('first'), false);
    page.isFocused = true;
    window.dispatchEvent(new Event('focus'));
    assert.equal(page.activeElement === of.find('first'), true);
  });
});

describe('the parts that the pages are made of', () => {
  holdTrail(import.meta.url, '-2');
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

  it('are buttons with an icon where they have one, of which the first choice stands out', () => {
    const run = of(actionButton({ id: 'run', label: 'Run', icon: 'play', primary: true }, post));
    const other = of(actionButton({ id: 'other', label: 'Other' }, post));
    const shown = [run, other].map(({ className, children }) => [className, children.length]);
    assert.deepEqual(shown, [
      ['button', 2],
      ['button secondary', 1],
    ]);
    let pressed = 0;
    const copy = of(outlineButton('copy', 'Copy All', () => (pressed += 1)));
    copy.does('click');
    assert.deepEqual([copy.title, copy.getAttribute('aria-label'), pressed], ['Copy All', 'Copy All', 1]);
  });

  it('show a state by its tone, which turns while it goes on and is large in the head', () => {
    const going = { icon: 'loading', tone: 'now', spins: true } as const;
    assert.equal(stateIcon(going).getAttribute('class'), 'icon tone-now spin');
    assert.equal(stateIcon({ ...going, spins: false }, true).getAttribute('class'), 'icon tone-now big');
    const view = { state: going, title: 'etl', subtitle: '30 min 59 s', actions: [] };
    const head = of(pageHead(view, post));
    assert.ok(head.find('icon').classes.has('big'));
    assert.equal(head.textContent, 'etl30\u00a0min 59\u00a0s');
    const more = [{ id: 'pause', label: 'Pause' }];
    assert.equal(
      of(pageHead({ ...view, production: 'P', more }, post)).textContent,
      `${head.textContent}productionMore…`,
    );
  });

  it('tell facts with what they are of, and copy what a fact is a name for', () => {
    const values = [{ label: 'a' }, { label: 'b' }, { label: 'c' }];
    const list = of(
      facts(
        [
          { name: 'Tags', values, copies: 'a b c' },
          { name: 'Size', values: [] },
        ],
        post,
      ),
    );
    assert.equal(list.textContent, 'Tagsa, b, cSize');
    list.find('Copy Tags').does('click');
    assert.deepEqual(sent, [{ type: 'copy', text: 'a b c' }]);
    assert.equal(list.all().filter(({ tag }) => tag === 'button').length, 1);
  });

  it('interrupt a screen reader with a notice, in detail where that is known, and head sections with a note', () => {
    const actions = [{ id: 'retry', label: 'Try Again' }];
    const box = of(notice({ text: 'No answer', detail: 'since noon', actions }, post));
    assert.deepEqual([box.getAttribute('role'), box.textContent], ['alert', 'No answersince noonTry Again']);
    assert.equal(
      of(notice({ text: 'No answer', actions: [] }, post))
        .all()
        .filter(({ tag }) => tag === 'p').length,
      1,
    );
    const [noted, plain] = ['UTC', ''].map((note) => of(section('Next Runs', note, 'body')).textContent);
    assert.deepEqual([noted, plain], ['Next Runs UTCbody', 'Next Runsbody']);
  });
});
