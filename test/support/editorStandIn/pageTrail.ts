import { atEnd, atStart, inWords, isNoting, note } from '../trail.ts';
/** How the page of a test changes with what a person does, for `trail.ts`. */
import type { FakeElement, FakeNode } from './page.ts';

/** The page itself. */
export const allOfPage: FakeElement[] = [];
/** Elements that stand in no other: what a test has made is told from them on. */
export const roots = new Set<FakeElement>();

/** An element in few words. */
export function nameOf({ tag, className, attributes }: FakeElement): string {
  return [[tag, ...className.split(' ')].filter(Boolean).join('.'), attributes.get('aria-label') ?? '']
    .join(' ')
    .trim();
}

const untold = new Set(['class', 'viewBox', 'd']);

/** An element with all that it is, and what is in it, a line each. */
function linesOf(node: FakeNode, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (node.nodeType === 3) return [`${indent}${inWords(node.textContent)}`];
  const { tag, classes, attributes, title, type, value, hidden, disabled, open, style, heard, children, scrollTop } =
    node as FakeElement;
  if (tag === 'svg') return [`${indent}(${[...classes].join(' ')})`];
  const parts = [
    ...[...attributes.entries()]
      .filter(([name]) => !untold.has(name))
      .map(([name, text]) => `${name}=${inWords(text)}`),
    ...Object.entries({ title, type, value, id: (node as { id?: string }).id ?? '' }).flatMap(([name, text]) =>
      text === '' || (tag === 'button' && text === 'button') ? [] : [`${name}=${inWords(text)}`],
    ),
    ...Object.entries({ hidden, disabled, open }).flatMap(([name, isOn]) => (isOn ? [name] : [])),
    ...Object.entries(style).flatMap(([name, text]) => (typeof text === 'string' ? [`${name}: ${text}`] : [])),
    ...heard,
    ...(scrollTop === 0 ? [] : [`scrolled to ${scrollTop}`]),
  ];
  const line = `${indent}${[tag, ...classes].join('.')}${parts.length > 0 ? ` [${parts.join('; ')}]` : ''}`;
  return [line, ...children.flatMap((child) => linesOf(child, depth + 1))];
}

let shownLines: readonly string[] = [];

/** Notes down what is another on the page than it was: what came, by line, and of how many lines it takes the place. */
export function tellChanges(): void {
  if (!isNoting()) return;
  const now = [...allOfPage, ...roots]
    .filter(({ children, attributes, className }) => children.length + attributes.size + className.length > 0)
    .flatMap((root) => linesOf(root, 0));
  let gone = 0;
  for (const [mark, line] of difference(shownLines, now)) {
    if (mark === '-') gone += 1;
    else {
      if (gone > 0) note(`- lines: ${gone}`);
      gone = 0;
      note(`+ ${line}`);
    }
  }
  if (gone > 0) note(`- lines: ${gone}`);
  shownLines = now;
}

/** Beyond this the time would grow with the square of the lines: then all between the first and the last that differ counts as new. */
const maxCompared = 2_000_000;

function difference(before: readonly string[], now: readonly string[]): (readonly ['-' | '+', string])[] {
  let start = 0;
  while (start < Math.min(before.length, now.length) && before[start] === now[start]) start += 1;
  let same = 0;
  const most = Math.min(before.length, now.length) - start;
  while (same < most && before.at(-1 - same) === now.at(-1 - same)) same += 1;
  const [old, fresh] = [before.slice(start, before.length - same), now.slice(start, now.length - same)];
  const width = fresh.length + 1;
  const isTooMuch = (old.length + 1) * width > maxCompared;
  // How many lines each two rests have in common.
  const common = new Uint16Array(isTooMuch ? 0 : (old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  if (!isTooMuch)
    for (let row = old.length - 1; row >= 0; row -= 1)
      for (let column = fresh.length - 1; column >= 0; column -= 1)
        common[row * width + column] =
          old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const changes: (readonly ['-' | '+', string])[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    const isSame = row < old.length && column < fresh.length && old[row] === fresh[column];
    if (isSame) [row, column] = [row + 1, column + 1];
    else if (row < old.length && (column === fresh.length || at(row + 1, column) >= at(row, column + 1)))
      changes.push(['-', old[row++] ?? '']);
    else changes.push(['+', fresh[column++] ?? '']);
  }
  return changes;
}

atStart(() => {
  roots.clear();
  // What a page before has left is none of this one's.
  for (const element of allOfPage) {
    element.replaceChildren();
    element.attributes.clear();
    element.classes.clear();
    for (const [name, value] of Object.entries(element.style))
      if (typeof value === 'string') delete element.style[name];
  }
  shownLines = [];
});
atEnd('page', tellChanges);
