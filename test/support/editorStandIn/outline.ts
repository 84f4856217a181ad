import { FakeElement, type FakeNode } from './page.ts';

const quiet: readonly string[] = ['class', 'viewBox', 'aria-hidden'];

/** What stands on the page, a line for each element and text, with what a person or a screen reader is told of it. */
export function outline(node: unknown, depth = 0): string {
  const indent = '  '.repeat(depth);
  if (!(node instanceof FakeElement)) return `${indent}${JSON.stringify((node as FakeNode).textContent)}\n`;
  const { tag, classes, attributes, title, value, hidden, disabled, open, style, children } = node;
  const told = [
    ...[...attributes.entries()]
      .filter(([name]) => !quiet.includes(name))
      .map(([name, text]) => `${name}=${text.slice(0, 40)}`),
    ...(title === '' ? [] : [`title=${JSON.stringify(title)}`]),
    ...(value === '' ? [] : [`value=${JSON.stringify(value)}`]),
    ...Object.entries({ hidden, disabled, open }).flatMap(([name, isOn]) => (isOn ? [name] : [])),
    ...Object.entries(style).flatMap(([name, text]) => (typeof text === 'string' ? [`${name}:${text}`] : [])),
  ];
  const line = `${indent}${[tag, ...classes].join('.')}${told.length > 0 ? ` [${told.join('; ')}]` : ''}\n`;
  // What is not seen is said to be there, and no more.
  return line + (hidden ? '' : children.map((child) => outline(child, depth + 1)).join(''));
}
