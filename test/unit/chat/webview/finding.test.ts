import assert from 'node:assert/strict';
import {
  click,
  find,
  fire,
  highlights,
  inPage,
  layOut,
  onPage,
  pass,
  scrolledTo,
} from '../../../support/editorStandIn/page.ts';

const { ChatFind } = await onPage(() => import('../../../../src/chat/webview/chatFind.ts'));
const { h } = await onPage(() => import('../../../../src/shared/webview/dom.ts'));
const { ScrollKeeper } = await onPage(() => import('../../../../src/chat/webview/scrollKeeper.ts'));

describe('ChatFind', () => {
  let calls: string[];
  inPage();
  beforeEach(() => {
    calls = [];
  });

  const findIn = (...messages: Parameters<typeof h>[2][]) => {
    const root = h('div', {}, ...messages);
    const search = new ChatFind(
      root,
      () => calls.push('search'),
      () => calls.push('go'),
    );
    document.body.append(root, search.element);
    const element = search.element;
    const input = find(element, 'find-input');
    const count = (): string => find(element, 'find-count').textContent;
    const type = (text: string): string => {
      input.value = text;
      fire(input, 'input');
      return count();
    };
    return { root, search, element, input, count, type };
  };
  const marked = (): unknown[] => [highlights.get('found'), highlights.get('found-current')];

  it('ignores case, marks every match and steps through them', () => {
    const { search, type, count, element } = findIn(h('p', {}, 'A Needle, a needle'), h('p', {}, 'NEEDLE'));
    search.open();
    assert.deepEqual([count(), marked()], ['', [[], []]]);
    assert.equal(type('nEEdle'), '1 of 3');
    assert.deepEqual(marked(), [['Needle', 'needle', 'NEEDLE'], ['Needle']]);
    click(find(element, 'Next Match'));
    assert.deepEqual([count(), marked()[1]], ['2 of 3', ['needle']]);
    click(find(element, 'Previous Match'));
    click(find(element, 'Previous Match'));
    assert.deepEqual([count(), marked()[1], scrolledTo.at(-1)], ['3 of 3', ['NEEDLE'], 'NEEDLE']);
    click(find(element, 'Next Match'));
    assert.equal(count(), '1 of 3');
    assert.deepEqual([type('nothing'), marked()], ['No results', [[], []]]);
    click(find(element, 'Next Match'));
    assert.equal(count(), 'No results');
    assert.equal(type(''), '');
  });

  it('finds text across formatting, but not across lines', () => {
    const { search, type } = findIn(
      h('p', {}, 'an ', h('strong', {}, 'ne', h('em', {}, 'ed')), 'le here'),
      h('p', {}, 'ne'),
      h('p', {}, 'edle'),
      h('div', {}, 'before ', h('p', {}, 'within'), 'after'),
    );
    search.open();
    assert.equal(type('needle'), '1 of 1');
    assert.deepEqual(marked()[0], ['needle']);
    assert.deepEqual(
      [type('here'), type('before within'), type('withinafter')],
      ['1 of 1', 'No results', 'No results'],
    );
    assert.deepEqual([type('an needle here'), marked()[0]], ['1 of 1', ['an needle here']]);
  });

  it('searches only visible text, without button labels', () => {
    const folded = h('details', {}, h('summary', {}, 'needle of a summary'), h('p', {}, 'folded needle'));
    const hidden = h('p', {}, 'hidden needle');
    hidden.hidden = true;
    const { search, type, element, count } = findIn(
      folded,
      hidden,
      h('button', {}, 'needle'),
      h('button', { class: 'run-link' }, 'run needle'),
    );
    search.open();
    assert.equal(type('needle'), '1 of 2');
    click(find(element, 'Next Match'));
    assert.deepEqual([count(), scrolledTo.at(-1)], ['2 of 2', 'run needle']);
    folded.open = true;
    assert.equal(type('needle'), '1 of 3');
  });

  it('returns the focus when it closes', () => {
    const { search, input, element } = findIn();
    const prompt = document.createElement('textarea');
    document.body.append(prompt);
    prompt.focus();
    search.open();
    assert.ok(document.activeElement === input);
    search.open();
    click(find(element, 'Close'));
    assert.ok(document.activeElement === prompt);
  });

  it('searches again while the conversation grows, without scrolling', () => {
    const { search, type, count, root, element } = findIn(h('p', {}, 'needle'), h('p', {}, 'needle'));
    search.changed();
    search.open();
    type('needle');
    click(find(element, 'Next Match'));
    scrolledTo.length = 0;
    root.prepend(h('p', {}, 'needle'));
    search.changed();
    search.changed();
    assert.equal(count(), '2 of 2');
    pass(2000);
    assert.deepEqual([count(), scrolledTo], ['3 of 3', []]);
    root.lastElementChild?.remove();
    search.changed();
    pass(2000);
    assert.equal(count(), '2 of 2', 'the last that is left');
    root.replaceChildren();
    search.changed();
    pass(2000);
    assert.equal(count(), 'No results');
    search.changed();
    search.close();
    calls.length = 0;
    pass(2000);
    assert.deepEqual(calls, [], 'it was closed meanwhile');
  });

  it('stops at 2,000 matches', () => {
    const { search, type } = findIn(h('p', {}, 'b '.repeat(1999)), h('p', {}, 'c'));
    search.open();
    assert.equal(type('b'), '1 of 1999');
    const many = findIn(h('p', {}, 'b '.repeat(2001)));
    many.search.open();
    assert.deepEqual([many.type('b'), highlights.get('found')?.length], ['1 of 2000+', 2000]);
    click(find(many.element, 'Previous Match'));
    assert.equal(many.count(), '2000 of 2000+');
  });
});

describe('ScrollKeeper', () => {
  let list: HTMLElement;
  let turns: HTMLElement;
  let button: HTMLElement;
  let keeper: InstanceType<typeof ScrollKeeper>;
  inPage();
  beforeEach(() => {
    [list, turns, button] = [
      document.createElement('main'),
      document.createElement('div'),
      document.createElement('button'),
    ];
    layOut(list, { scrollHeight: 1000, clientHeight: 100 });
    keeper = new ScrollKeeper(list, turns, button);
    keeper.jump();
  });
  const isPinned = (): boolean => keeper.position.isPinned;
  const scrollTo = (top: number): void => {
    list.scrollTop = top;
    fire(list, 'scroll');
  };

  it('stops following the end on the keys that scroll up', () => {
    for (const key of ['ArrowDown', 'PageDown', 'End', 'a', 'Enter']) fire(list, 'keydown', { key });
    assert.equal(isPinned(), true);
    for (const key of ['ArrowUp', 'PageUp', 'Home']) {
      fire(list, 'keydown', { key });
      assert.deepEqual([isPinned(), button.hidden], [false, true], `${key}: the end is still in sight`);
      keeper.jump();
    }
    keeper.release();
    assert.equal(isPinned(), false);
  });

  it('stops following when the reader scrolls up, but not when content shrinks', () => {
    scrollTo(900);
    scrollTo(700);
    assert.equal(isPinned(), true, 'nobody touched it');
    scrollTo(900);
    fire(list, 'pointerdown');
    scrollTo(899);
    assert.equal(isPinned(), true, 'a page that rounds');
    scrollTo(897);
    assert.equal(isPinned(), false);
    keeper.jump();
    fire(list, 'touchmove');
    scrollTo(800);
    assert.deepEqual([isPinned(), button.hidden], [false, false]);
  });

  it('follows again within four pixels of the end', () => {
    fire(list, 'wheel', { deltaY: -1 });
    scrollTo(500);
    scrollTo(895);
    assert.deepEqual([isPinned(), button.hidden], [false, false]);
    scrollTo(896);
    assert.deepEqual([isPinned(), button.hidden], [true, true]);
    fire(list, 'wheel', { deltaY: -1 });
    scrollTo(900);
    fire(list, 'wheel', { deltaY: -1 });
    scrollTo(899);
    assert.equal(isPinned(), false, 'on the way up');
  });

  it('follows a growing list until the reader leaves the end', () => {
    layOut(list, { scrollHeight: 2000 });
    keeper.keep();
    assert.equal(list.scrollTop, 2000);
    fire(list, 'wheel', { deltaY: -1 });
    scrollTo(400);
    layOut(list, { scrollHeight: 3000 });
    keeper.keep();
    assert.deepEqual([list.scrollTop, button.hidden], [400, false]);
    keeper.jump();
    assert.deepEqual([list.scrollTop, isPinned(), button.hidden], [3000, true, true]);
  });

  it('keeps the last question and the start of its answer in sight until the reader scrolls down', () => {
    const question = document.createElement('article');
    question.className = 'user';
    layOut(question, { scrollHeight: 40, clientHeight: 40 });
    turns.append(question);
    keeper.toQuestion(true);
    const { scrollTop } = list;
    layOut(list, { scrollHeight: 3000 });
    keeper.keep();
    assert.deepEqual([list.scrollTop, question.classList.contains('pinned'), isPinned()], [scrollTop, true, false]);
    assert.notEqual(turns.style.minHeight, '');
    scrollTo(500);
    keeper.keep();
    assert.equal(list.scrollTop, 500);
  });

  it('leaves a reader alone who has scrolled up, unless the user sends a message', () => {
    fire(list, 'wheel', { deltaY: -1 });
    scrollTo(400);
    keeper.toQuestion(true, true);
    assert.equal(list.scrollTop, 400);
    keeper.toQuestion(true);
    assert.notEqual(list.scrollTop, 400);
  });

  it('restores its position', () => {
    keeper.restore({ top: 300, isPinned: false });
    assert.deepEqual([keeper.position, button.hidden], [{ top: 300, isPinned: false }, false]);
    keeper.restore({ top: 300, isPinned: true });
    assert.deepEqual([keeper.position, button.hidden], [{ top: 1000, isPinned: true }, true]);
    keeper.isIdle = true;
    keeper.restore({ top: 300, isPinned: true });
    assert.equal(list.scrollTop, 0, 'what has no end is not scrolled');
  });
});
