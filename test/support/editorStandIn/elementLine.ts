import type { FakeElement } from './page.ts';

/** An element of the page as what it is in these tests. */
export const of = (element: unknown): FakeElement => element as FakeElement;

/** An element with all that is in it, on one line: `div.class state "title" [attribute=value]{what | is | in it}`; an icon is `(name)`. */
export function elementLine(node: unknown): string {
  const { tag, className, hidden, disabled, open, title, attributes, children, textContent } = of(node);
  if (tag === undefined) return textContent;
  if (tag === 'svg') return `(${/icon-(\w+)/.exec(className)?.[1] ?? className})`;
  const head = [
    [tag, ...className.split(' ')].filter(Boolean).join('.'),
    ...Object.entries({ hidden, disabled, open }).flatMap(([name, is]) => (is ? [name] : [])),
    ...(title === '' ? [] : [JSON.stringify(title)]),
    ...[...attributes.entries()]
      .filter(([name, value]) => name !== 'class' && !(name === 'aria-label' && value === title))
      .map(([name, value]) => `[${name}=${value}]`),
  ].join(' ');
  const inside = children.map(elementLine).filter(Boolean).join(' | ');
  return inside === '' ? head : `${head}{${inside}}`;
}
