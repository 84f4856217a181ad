import assert from 'node:assert/strict';
import { elementLine, of } from '../../../../support/editorStandIn/elementLine.ts';
import { type FakeElement, leavePage, page, usePage } from '../../../../support/editorStandIn/page.ts';

usePage();
const { sanitize } = await import('../../../../../src/chat/webview/markdown/render.ts');
leavePage();

describe('the second wall behind the renderer', () => {
  before(usePage);
  after(leavePage);
  const element = (tag: string, attributes: Record<string, string> = {}, ...children: (FakeElement | string)[]) => {
    const made = page.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const left = (...children: FakeElement[]): string[] => {
    const root = element('div', {}, ...children);
    sanitize(root as never);
    return of(root as never).children.map(elementLine);
  };

  it('takes every attribute away that is not allowed, however many stand beside each other', () => {
    const wrong = { onclick: 'x', onload: 'x', href: 'x', src: 'x', style: 'x', id: 'x' };
    assert.deepEqual(
      left(element('p', wrong, 'a', element('a', { ...wrong, 'data-link': 'https://x.example/' }, 'b'))),
      ['p{a | a [data-link=https://x.example/]{b}}'],
    );
  });

  it('leaves each attribute to the elements that may have it, with the values that it may have', () => {
    const allowed: [tag: string, name: string, value: string][] = [
      ['a', 'data-link', 'https://x.example/'],
      ['td', 'data-label', 'Head'],
      ['span', 'aria-label', 'Done'],
      ['span', 'aria-label', 'To do'],
      ['span', 'role', 'img'],
      ['a', 'role', 'link'],
      ['a', 'tabindex', '0'],
      ['div', 'tabindex', '0'],
      ['ol', 'start', '123456789'],
    ];
    const refused: typeof allowed = [
      ['span', 'data-link', 'https://x.example/'],
      ['a', 'data-link', 'command:x'],
      ['th', 'data-label', 'Head'],
      ['span', 'aria-label', 'Click here'],
      ['p', 'aria-label', 'Done'],
      ['span', 'role', 'button'],
      ['div', 'role', 'link'],
      ['p', 'tabindex', '0'],
      ['ol', 'start', '1234567890'],
      ['ol', 'start', 'x'],
      ['ul', 'start', '1'],
      ['a', 'href', 'https://x.example/'],
    ];
    const has = ([tag, name, value]: (typeof allowed)[number]): boolean => {
      const made = element(tag, { [name]: value }, 'x');
      sanitize(element('div', {}, made) as never);
      return made.getAttribute(name) === value;
    };
    assert.deepEqual([allowed.filter((each) => !has(each)), refused.filter(has)], [[], []]);
  });

  it('makes text of elements that are not allowed, at any depth', () => {
    assert.deepEqual(
      left(element('p', {}, 'a', element('script', {}, 'b()'), element('em', {}, element('img'), 'c'))),
      ['p{a | b() | em{c}}'],
    );
  });
});
