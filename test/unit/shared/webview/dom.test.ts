import assert from 'node:assert/strict';
import { click, fire, inPage, onPage } from '../../../support/editorStandIn/page.ts';

const { h, setHidden, setText, takesFindKey } = await onPage(() => import('../../../../src/shared/webview/dom.ts'));

describe('an element of the page', () => {
  inPage();

  it('has what is given, and text as text', () => {
    let clicks = 0;
    const element = h(
      'button',
      {
        class: 'a b',
        label: 'L',
        title: 'T',
        role: 'R',
        attributes: { rows: '2', 'data-x': '' },
        onClick: () => (clicks += 1),
      },
      h('span'),
      '<b>',
      null,
      undefined,
      false,
      '',
    );
    assert.equal(
      element.outerHTML,
      '<button class="a b" aria-label="L" title="T" role="R" rows="2" data-x="" type="button"><span></span>&lt;b&gt;</button>',
    );
    click(element);
    assert.deepEqual([clicks, element.type], [1, 'button'], 'it sends no form');
    assert.equal(h('p', { class: '', label: '', title: '', role: '' }).outerHTML, '<p></p>');
  });

  it('is given a text or hidden only where that changes something', () => {
    const element = document.createElement('p');
    const writes: unknown[] = [];
    for (const name of ['textContent', 'hidden'] as const) {
      let value: unknown = name === 'hidden' ? false : 'x';
      Object.defineProperty(element, name, {
        get: () => value,
        set: (next: unknown) => {
          value = next;
          writes.push(next);
        },
      });
    }
    for (const text of ['x', 'y', 'y']) setText(element as never, text);
    for (const is of [false, true, true, false]) setHidden(element as never, is);
    assert.deepEqual(writes, ['y', true, false]);
  });

  it('takes the key of a search for the page alone, on every system, and no other key', () => {
    const heard = (fields: object): unknown => {
      let [isTaken, isPassedOn]: [boolean | undefined, boolean] = [undefined, false];
      const [outer, inner] = [document.createElement('div'), document.createElement('p')];
      outer.append(inner);
      outer.addEventListener('keydown', () => (isPassedOn = true));
      inner.addEventListener('keydown', (event) => (isTaken = takesFindKey(event as KeyboardEvent)));
      const isPrevented = fire(inner, 'keydown', { key: 'f', ctrlKey: false, metaKey: false, ...fields });
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
