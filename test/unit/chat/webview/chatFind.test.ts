import assert from 'node:assert/strict';
import { of } from '../../../support/editorStandIn/elementLine.ts';
import {
  FakeElement,
  leavePage,
  page,
  pageMarks,
  pageShown,
  pageTimers,
  usePage,
} from '../../../support/editorStandIn/page.ts';

usePage();
const { ChatFind } = await import('../../../../src/chat/webview/chatFind.ts');
const { h } = await import('../../../../src/shared/webview/dom.ts');
leavePage();

describe('the messages on the page are looked through', () => {
  let calls: string[];
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    calls = [];
    pageTimers.length = pageShown.length = 0;
    page.body.replaceChildren();
    page.activeElement = page.body;
  });

  const findIn = (...messages: Parameters<typeof h>[2][]) => {
    const root = h('div', {}, ...messages);
    const find = new ChatFind(
      root,
      () => calls.push('search'),
      () => calls.push('go'),
    );
    page.body.append(of(root), of(find.element));
    const element = of(find.element);
    const input = element.find('find-input');
    const count = (): string => element.find('find-count').textContent;
    const type = (text: string): string => {
      input.value = text;
      input.does('input');
      return count();
    };
    return { root: of(root), find, element, input, count, type };
  };
  const marked = (): unknown[] => [pageMarks.get('found'), pageMarks.get('found-current')];

  it('without regard to case, and every match is marked, the current one in another way', () => {
    const { find, type, count, element } = findIn(h('p', {}, 'A Needle, a needle'), h('p', {}, 'NEEDLE'));
    find.open();
    assert.deepEqual([count(), marked()], ['', [[], []]]);
    assert.equal(type('nEEdle'), '1 of 3');
    assert.deepEqual(marked(), [['Needle', 'needle', 'NEEDLE'], ['Needle']]);
    element.find('Next Match').does('click');
    assert.deepEqual([count(), marked()[1]], ['2 of 3', ['needle']]);
    element.find('Previous Match').does('click');
    element.find('Previous Match').does('click');
    assert.deepEqual([count(), marked()[1], pageShown.at(-1)], ['3 of 3', ['NEEDLE'], 'NEEDLE']);
    element.find('Next Match').does('click');
    assert.equal(count(), '1 of 3');
    assert.deepEqual([type('nothing'), marked()], ['No results', [[], []]]);
    element.find('Next Match').does('click');
    assert.equal(count(), 'No results');
    assert.equal(type(''), '');
  });

  it('within a line, whatever of it is written in another way, and not across lines', () => {
    const { find, type } = findIn(
      h('p', {}, 'an ', h('strong', {}, 'ne', h('em', {}, 'ed')), 'le here'),
      h('p', {}, 'ne'),
      h('p', {}, 'edle'),
      h('div', {}, 'before ', h('p', {}, 'within'), 'after'),
    );
    find.open();
    assert.equal(type('needle'), '1 of 1');
    assert.deepEqual(marked()[0], ['ne|le']);
    assert.deepEqual(
      [type('here'), type('before within'), type('withinafter')],
      ['1 of 1', 'No results', 'No results'],
    );
    assert.deepEqual([type('an needle here'), marked()[0]], ['1 of 1', ['an |le here']]);
  });

  it('in what is seen: not what is hidden or folded, nor the labels of buttons, but links to runs', () => {
    const folded = h('details', {}, h('summary', {}, 'needle of a summary'), h('p', {}, 'folded needle'));
    const hidden = h('p', {}, 'hidden needle');
    hidden.hidden = true;
    const { find, type, element, count } = findIn(
      folded,
      hidden,
      h('button', {}, 'needle'),
      h('button', { class: 'run-link' }, 'run needle'),
    );
    find.open();
    assert.equal(type('needle'), '1 of 2');
    element.find('Next Match').does('click');
    assert.deepEqual([count(), pageShown.at(-1)], ['2 of 2', 'run needle']);
    folded.open = true;
    assert.equal(type('needle'), '1 of 3');
  });

  it('and the focus goes back to where it was, however often the search is opened meanwhile', () => {
    const { find, input, element } = findIn();
    const prompt = new FakeElement('textarea');
    prompt.focus();
    find.open();
    assert.ok(page.activeElement === input);
    find.open();
    element.find('Close').does('click');
    assert.ok(page.activeElement === prompt);
  });

  it('again while it grows, at most once in a while, without moving the reader', () => {
    const { find, type, count, root, element } = findIn(h('p', {}, 'needle'), h('p', {}, 'needle'));
    const pass = (): void => pageTimers.splice(0).forEach((work) => work());
    find.changed();
    assert.equal(pageTimers.length, 0, 'nothing is looked for');
    find.open();
    type('needle');
    element.find('Next Match').does('click');
    pageShown.length = 0;
    root.prepend(of(h('p', {}, 'needle')));
    find.changed();
    find.changed();
    assert.deepEqual([pageTimers.length, count()], [1, '2 of 2']);
    pass();
    assert.deepEqual([count(), pageShown], ['3 of 3', []]);
    root.children.at(-1)?.remove();
    find.changed();
    pass();
    assert.equal(count(), '2 of 2', 'the last that is left');
    root.replaceChildren();
    find.changed();
    pass();
    assert.equal(count(), 'No results');
    find.changed();
    find.close();
    calls.length = 0;
    pass();
    assert.deepEqual(calls, [], 'it was closed meanwhile');
  });

  it('up to 2,000 matches', () => {
    const { find, type } = findIn(h('p', {}, 'b '.repeat(1999)), h('p', {}, 'c'));
    find.open();
    assert.equal(type('b'), '1 of 1999');
    const many = findIn(h('p', {}, 'b '.repeat(2001)));
    many.find.open();
    assert.deepEqual([many.type('b'), pageMarks.get('found')?.length], ['1 of 2000+', 2000]);
    many.element.find('Previous Match').does('click');
    assert.equal(many.count(), '2000 of 2000+');
  });
});
