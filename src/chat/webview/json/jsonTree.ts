import { shortened } from '../../../shared/shortened.ts';
import { h } from '../../../shared/webview/dom.ts';
import { strings } from '../strings.ts';

/** Entries of one list or object that are put on the page at a time. */
const maxEntries = 200;
/** Of a text; the whole one is in the text of the answer. */
const maxTextLength = 5_000;
/** So many lines are unfolded at first, as far down as that. */
const openLines = 60;
const openDepth = 4;

/** JSON as a tree whose branches fold; each is made when it is opened first. */
export function jsonTree(value: object): HTMLElement {
  const left = { lines: openLines };
  const tree = h('div', { class: 'json-tree', role: 'group', label: strings.json });
  fill(tree, value, 0, left);
  return tree;
}

function fill(parent: HTMLElement, value: object, depth: number, left: { lines: number }): void {
  const entries = Object.entries(value) as [string, unknown][];
  left.lines -= entries.length;
  const add = (from: number): void => {
    parent.append(
      ...entries.slice(from, from + maxEntries).map(([name, each]) => entry(name, each, depth, left)),
      ...(entries.length > from + maxEntries ? [rest(from + maxEntries)] : []),
    );
  };
  const rest = (from: number): HTMLElement => {
    const button = h(
      'button',
      {
        class: 'link-button json-rest',
        onClick: () => {
          button.remove();
          add(from);
        },
      },
      strings.jsonRest(entries.length - from),
    );
    return button;
  };
  add(0);
}

function entry(name: string, value: unknown, depth: number, left: { lines: number }): HTMLElement {
  const key = h('span', { class: 'hljs-attr' }, name);
  if (typeof value !== 'object' || value === null) return h('div', { class: 'json-leaf' }, key, ': ', leaf(value));
  const count = Object.keys(value).length;
  const size = Array.isArray(value) ? strings.jsonItems(count) : strings.jsonKeys(count);
  if (count === 0) return h('div', { class: 'json-leaf' }, key, ' ', h('span', { class: 'json-size' }, size));
  const children = h('div', { class: 'json-children' });
  const node = h(
    'details',
    { class: 'json-node' },
    h('summary', {}, key, ' ', h('span', { class: 'json-size' }, size)),
    children,
  );
  let isFilled = false;
  const unfold = (): void => {
    if (isFilled) return;
    isFilled = true;
    fill(children, value, depth + 1, left);
  };
  if (depth + 1 < openDepth && count <= left.lines) {
    node.open = true;
    unfold();
  } else node.addEventListener('toggle', unfold);
  return node;
}

function leaf(value: unknown): HTMLElement {
  if (typeof value === 'string') {
    return h('span', { class: 'hljs-string' }, JSON.stringify(shortened(value, maxTextLength)));
  }
  const kind = typeof value === 'number' || typeof value === 'bigint' ? 'hljs-number' : 'hljs-literal';
  return h('span', { class: kind }, String(value));
}
