import assert from 'node:assert/strict';
import { type FakeElement, leavePage, usePage } from '../../../support/editorStandIn/page.ts';

usePage();
const { icon } = await import('../../../../src/chat/webview/icons.ts');
leavePage();

describe('an icon of the page', () => {
  before(usePage);
  after(leavePage);

  it('is drawn in its own square, has a class of its name, and is read out to nobody', () => {
    const made = icon('stop') as unknown as FakeElement;
    assert.deepEqual(
      ['viewBox', 'class', 'aria-hidden'].map((name) => made.getAttribute(name)),
      ['0 0 16 16', 'icon icon-stop', 'true'],
    );
    assert.equal(made.children.length, 1);
    assert.match(String((made.children[0] as unknown as FakeElement).getAttribute('d')), /^M[\d.]/);
  });
});
