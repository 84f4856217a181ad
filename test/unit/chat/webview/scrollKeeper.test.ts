import assert from 'node:assert/strict';
import { leavePage, page, usePage, type FakeElement } from '../../../support/editorStandIn/page.ts';

usePage();
const { ScrollKeeper } = await import('../../../../src/chat/webview/scrollKeeper.ts');
leavePage();

describe('the end of a growing list', () => {
  let list: FakeElement;
  let button: FakeElement;
  let keeper: InstanceType<typeof ScrollKeeper>;
  before(usePage);
  after(leavePage);
  beforeEach(() => {
    [list, button] = [page.createElement('main'), page.createElement('button')];
    Object.assign(list, { scrollHeight: 1000, clientHeight: 100 });
    keeper = new ScrollKeeper(list as never, button as never);
    keeper.keep();
  });
  const isPinned = (): boolean => keeper.position.isPinned;
  const scrollTo = (top: number): void => {
    list.scrollTop = top;
    list.does('scroll');
  };

  it('is let go by the keys that go up, by no other, and by whoever goes elsewhere', () => {
    for (const key of ['ArrowDown', 'PageDown', 'End', 'a', 'Enter']) list.does('keydown', { key });
    assert.equal(isPinned(), true);
    for (const key of ['ArrowUp', 'PageUp', 'Home']) {
      list.does('keydown', { key });
      assert.deepEqual([isPinned(), button.hidden], [false, true], `${key}: the end is still in sight`);
      keeper.jump();
    }
    keeper.release();
    assert.equal(isPinned(), false);
  });

  it('is let go by a hand that moves it up, and not by content that shrinks', () => {
    scrollTo(900);
    scrollTo(700);
    assert.equal(isPinned(), true, 'nobody touched it');
    scrollTo(900);
    list.does('pointerdown');
    scrollTo(899);
    assert.equal(isPinned(), true, 'a page that rounds');
    scrollTo(897);
    assert.equal(isPinned(), false);
    keeper.jump();
    list.does('touchmove');
    scrollTo(800);
    assert.deepEqual([isPinned(), button.hidden], [false, false]);
  });

  it('is taken hold of by who reaches it, to four pixels, and not by who comes up to it', () => {
    list.does('wheel', { deltaY: -1 });
    scrollTo(500);
    scrollTo(895);
    assert.deepEqual([isPinned(), button.hidden], [false, false]);
    scrollTo(896);
    assert.deepEqual([isPinned(), button.hidden], [true, true]);
    list.does('wheel', { deltaY: -1 });
    scrollTo(900);
    list.does('wheel', { deltaY: -1 });
    scrollTo(899);
    assert.equal(isPinned(), false, 'on the way up');
  });

  it('is followed while the list grows, and is gone to with the button', () => {
    list.scrollHeight = 2000;
    keeper.keep();
    assert.equal(list.scrollTop, 2000);
    list.does('wheel', { deltaY: -1 });
    scrollTo(400);
    list.scrollHeight = 3000;
    keeper.keep();
    assert.deepEqual([list.scrollTop, button.hidden], [400, false]);
    button.does('click');
    assert.deepEqual([list.scrollTop, isPinned(), button.hidden], [3000, true, true]);
  });

  it('comes back where it was: at its place, or at the end', () => {
    keeper.restore({ top: 300, isPinned: false });
    assert.deepEqual([keeper.position, button.hidden], [{ top: 300, isPinned: false }, false]);
    keeper.restore({ top: 300, isPinned: true });
    assert.deepEqual([keeper.position, button.hidden], [{ top: 1000, isPinned: true }, true]);
    keeper.isIdle = true;
    keeper.restore({ top: 300, isPinned: true });
    assert.equal(list.scrollTop, 0, 'what has no end is not scrolled');
  });
});
