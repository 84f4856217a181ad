import assert from 'node:assert/strict';
import { type FakeElement, leavePage, page, usePage } from '../../support/editorStandIn/page.ts';

const { takesFindKey } = await import('../../../src/shared/webview/dom.ts');

usePage();

leavePage();

describe('an element of the page', () => {
  before(usePage);
  after(leavePage);

  it('takes the key of a search for the page alone, on every system, and no other key', () => {
    const heard = (fields: object): unknown => {
      let [isTaken, isPassedOn]: [boolean | undefined, boolean] = [undefined, false];
      const [outer, inner] = [page.createElement('div'), page.createElement('p')] as [FakeElement, FakeElement];
      outer.append(inner);
      outer.addEventListener('keydown', () => (isPassedOn = true));
      inner.addEventListener('keydown', (event) => (isTaken = takesFindKey(event as KeyboardEvent)));
      const isPrevented = inner.does('keydown', { key: 'f', ctrlKey: false, metaKey: false, ...fields });
      return [isTaken, isPrevented, isPassedOn];
    };
    for (const fields of [{ ctrlKey: true }, { metaKey: true }, { ctrlKey: true, key: 'F' }])
      assert.deepEqual(heard(fields), [true, true, false], JSON.stringify(fields));
    for (const fields of [
      {},
      { ctrlKey: true, key: 'g' },
      { ctrlKey: true, shiftKey: true },
      { metaKey: true, altKey: true },
    ])
      assert.deepEqual(heard(fields), [false, false, true], JSON.stringify(fields));
  });
});
