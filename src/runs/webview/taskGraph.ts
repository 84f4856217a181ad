import { l10n } from '../../shared/l10n.ts';
import { h } from '../../shared/webview/dom.ts';
import type { RunView, ToPage } from '../page/pageProtocol.ts';
import { type Post, stateIcon } from './pageParts.ts';

type Task = NonNullable<RunView['tasks']>[number];

/** Sizes in CSS pixels. */
const node = { minWidth: 80, maxWidth: 220, height: 26 };
const gap = { x: 32, y: 8 };

interface Placed extends Task {
  readonly column: number;
  readonly row: number;
  readonly left: number;
  readonly width: number;
}

/** Draws the tasks of a run as a graph from left to right: a column for each depth, a button for each task, a line for each dependency. */
export function taskGraph(tasks: readonly Task[], post: Post): HTMLElement {
  const placed = place(tasks);
  const byKey = new Map(placed.map((task) => [task.key, task]));
  const buttons = new Map(placed.map((task) => [task.key, button(task, post)]));
  const graph = h('div', { class: 'tasks', role: 'group', label: l10n.t('Tasks') });
  graph.style.width = `${Math.max(...placed.map(({ left, width }) => left + width))}px`;
  graph.style.height = `${Math.max(...placed.map(({ row }) => topOf(row))) + node.height}px`;
  graph.append(lines(placed, byKey), ...buttons.values());
  graph.addEventListener('keydown', (event) => {
    const from = placed.find(({ key }) => buttons.get(key) === event.target);
    const to = from && neighbor(placed, from, event.key);
    if (!to) return;
    event.preventDefault();
    moveFocus(buttons, to.key);
  });
  return h('div', { class: 'task-scroller' }, graph);
}

/** Puts each task below those of its depth that follow from tasks further up, so that few lines cross. */
function place(tasks: readonly Task[]): Placed[] {
  const placed = new Map<string, Placed>();
  const depths = [...new Set(tasks.map(({ depth }) => depth))].toSorted((a, b) => a - b);
  let left = 0;
  for (const [column, depth] of depths.entries()) {
    const middle = ({ upstream }: Task): number => {
      const rows = upstream.flatMap((key) => placed.get(key)?.row ?? []);
      return rows.reduce((sum, row) => sum + row, 0) / Math.max(rows.length, 1);
    };
    const sorted = tasks.filter((task) => task.depth === depth).toSorted((a, b) => middle(a) - middle(b));
    const width = Math.max(...sorted.map(widthOf));
    for (const [row, task] of sorted.entries()) placed.set(task.key, { ...task, column, row, left, width });
    left += width + gap.x;
  }
  return [...placed.values()];
}

/** Estimates the width of a task from its texts, so that most graphs fit the page. */
const widthOf = ({ key, duration }: Task): number =>
  Math.min(node.maxWidth, Math.max(node.minWidth, 56 + (key.length + duration.length) * 7.5));
const topOf = (row: number): number => row * (node.height + gap.y);

function button(task: Placed, post: Post): HTMLButtonElement {
  const after = task.upstream.length > 0 ? l10n.t('after {0}', task.upstream.join(', ')) : '';
  const name = [`${task.key} ${task.duration}`.trim(), task.words, after].filter((part) => part !== '');
  const made = h(
    'button',
    {
      class: task.isHeldBack ? 'task held-back' : 'task',
      title: name.join('\n'),
      label: name.join(', '),
      attributes: { 'aria-pressed': String(task.isShown), tabindex: task.isShown ? '0' : '-1' },
      onClick: () => post({ type: 'showTask', key: task.key }),
    },
    stateIcon(task.state),
    h('span', { class: 'task-key' }, task.key),
    ' ',
    h('span', { class: 'quiet duration' }, task.duration),
  );
  made.style.left = `${task.left}px`;
  made.style.width = `${task.width}px`;
  made.style.top = `${topOf(task.row)}px`;
  made.style.setProperty('--depth', String(task.column));
  return made;
}

function lines(placed: readonly Placed[], byKey: ReadonlyMap<string, Placed>): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('aria-hidden', 'true');
  for (const task of placed)
    for (const key of task.upstream) {
      const from = byKey.get(key);
      if (!from) continue;
      const [x1, y1] = [from.left + from.width, topOf(from.row) + node.height / 2];
      const [x2, y2] = [task.left, topOf(task.row) + node.height / 2];
      const path = document.createElementNS(svg.namespaceURI, 'path');
      const middle = x2 - gap.x / 2;
      path.setAttribute('d', `M ${x1} ${y1} H ${middle} V ${y2} H ${x2}`);
      if (task.isHeldBack) path.setAttribute('class', 'held-back');
      svg.append(path);
    }
  return svg;
}

/** Returns the task that an arrow key leads to: along a dependency, or up and down within a column. */
function neighbor(placed: readonly Placed[], from: Placed, key: string): Placed | undefined {
  switch (key) {
    case 'ArrowLeft':
      return placed.find((task) => from.upstream.includes(task.key));
    case 'ArrowRight':
      return placed.find((task) => task.upstream.includes(from.key));
    case 'ArrowUp':
      return placed.find((task) => task.column === from.column && task.row === from.row - 1);
    case 'ArrowDown':
      return placed.find((task) => task.column === from.column && task.row === from.row + 1);
    default:
      return undefined;
  }
}

function moveFocus(buttons: ReadonlyMap<string, HTMLButtonElement>, to: string): void {
  for (const [key, each] of buttons) each.tabIndex = key === to ? 0 : -1;
  buttons.get(to)?.focus();
}

/** The page that draws the tasks of a job file as a graph. */
export class GraphApp {
  readonly element = h('main', { class: 'job-graph' });
  readonly #post: Post;

  constructor(post: Post) {
    this.#post = post;
  }

  receive(message: ToPage): void {
    if (message.type !== 'tasks') return;
    const { scrollLeft = 0, scrollTop = 0 } = this.element.firstElementChild ?? {};
    const graph = taskGraph(message.tasks, this.#post);
    this.element.replaceChildren(graph);
    graph.scrollTo(scrollLeft, scrollTop);
    graph.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}
