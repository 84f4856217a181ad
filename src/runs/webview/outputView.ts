import { l10n } from '../../shared/l10n.ts';
import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import { styledParts, type TextStyle } from '../output/ansi.ts';
import { OutputLines } from '../output/outputLines.ts';
import { placesIn } from '../output/places.ts';
import { cutsOf, RowMap } from '../output/rowMap.ts';
import { rowSpans, type RowSpan } from '../output/rowSpans.ts';
import type { RunView } from '../page/pageProtocol.ts';
import { OutputFind } from './outputFind.ts';
import { OutputTail } from './outputTail.ts';
import { outlineButton, textWithLinks, type Post } from './pageParts.ts';

/** Beyond about 33 million pixels the browser lays out nothing; longer outputs are scrolled proportionally. */
const maxHeightInPx = 15_000_000;
const rowsBeyond = 8;
const measureSliceInMs = 10;
const askFilesAfterMs = 60;
/** How often an output that nobody can follow is redrawn. More often would take time from reading its lines. */
const flood = { characters: 16_000, gapInMs: 100 } as const;

interface DrawnRow {
  readonly element: HTMLElement;
  readonly key: string;
}

/** The output of a run. Every line can be scrolled to, but only the visible lines are in the page. */
export class OutputView {
  readonly element: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #post: Post;
  readonly #lines = new OutputLines();
  readonly #map = new RowMap(this.#lines);
  readonly #find: OutputFind;
  readonly #tail = new OutputTail((part) => this.#span(part));
  readonly #space = h('div', { class: 'rows' });
  readonly #note = h('span', { class: 'note' });
  readonly #versions = h('p', { class: 'quiet output-versions' });
  readonly #end = h('p', { class: 'quiet output-end' });
  readonly #wrapButton: HTMLButtonElement;
  readonly #followButton: HTMLButtonElement;
  readonly #ruler = h('span', { class: 'ruler', attributes: { 'aria-hidden': 'true' } }, 'x'.repeat(100));
  readonly #drawn = new Map<number, DrawnRow>();
  /** Whether the workspace has the files that visible lines name; `undefined` while the host is asked. */
  readonly #files = new Map<string, boolean | undefined>();
  #asking: string[] = [];
  #measureTimer: number | undefined;
  #isScheduled = false;
  #floodTimer: number | undefined;
  #hasMore = false;
  #state: RunView['output'] | undefined;
  #rowHeight = 18;
  #columnWidth = 7;
  #version = 0;
  #isWrapped = true;
  #isFollowing = false;
  #wasFollowChosen = false;
  #lastTop = 0;
  #digits = 0;

  constructor(scroller: HTMLElement, post: Post) {
    this.#scroller = scroller;
    this.#post = post;
    this.#find = new OutputFind(
      this.#lines,
      (line) => (line === undefined ? this.#changed() : this.#reveal(line)),
      () => this.#closeFind(),
    );
    this.#wrapButton = outlineButton('word-wrap', l10n.t('Wrap Lines'), () => this.#wrap(!this.#isWrapped));
    this.#followButton = outlineButton('fold-down', l10n.t('Follow Output'), () => {
      this.#wasFollowChosen = true;
      this.#follow(!this.#isFollowing);
    });
    this.element = h(
      'section',
      { class: 'output', label: l10n.t('Output') },
      h(
        'div',
        { class: 'output-head' },
        h('h2', {}, l10n.t('Output')),
        this.#note,
        h('span', { class: 'grow' }),
        this.#find.element,
        outlineButton('search', l10n.t('Find (Ctrl+F)'), () => this.openFind()),
        this.#wrapButton,
        this.#followButton,
        outlineButton('copy', l10n.t('Copy All'), () => this.#copyAll()),
      ),
      this.#versions,
      this.#ruler,
      this.#space,
      this.#tail.element,
      this.#end,
    );
    scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    new ResizeObserver(() => this.#measure()).observe(scroller);
    this.#press();
  }

  append(text: string, reset: boolean): void {
    if (reset) {
      this.#lines.clear();
      this.#map.clear();
      this.#find.restart();
      this.#version += 1;
    }
    this.#lines.append(text);
    this.#find.grow();
    this.#measureRows();
    if (text.length > flood.characters) this.#scheduleFlood();
    else this.#schedule();
  }

  /** Shows the end of the output while earlier text is still being read. Empty once everything is read. */
  showTail(text: string, missingBytes: number): void {
    this.#tail.show(text, missingBytes);
    this.#schedule();
  }

  setState(state: RunView['output']): void {
    this.#state = state;
    this.#tellState(state);
  }

  #tellState({ note, isGoing, end, versions = '', unread }: RunView['output']): void {
    setText(this.#versions, versions);
    setHidden(this.#versions, versions === '');
    const count = this.#lines.count;
    const own = this.#lines.numberOf(count - 1);
    const size = count === 0 ? '' : own === 1 ? l10n.t('1 line') : l10n.t('{0} lines', own.toLocaleString());
    setText(this.#note, [size, note].filter((part) => part !== '').join(' · '));
    const nothing = isGoing ? l10n.t('No output yet.') : end === '' ? '' : l10n.t('This run printed nothing.');
    const told = unread ?? (count === 0 ? nothing : end);
    setText(this.#end, told);
    setHidden(this.#end, told === '');
    if (!this.#wasFollowChosen && isGoing) {
      this.#wasFollowChosen = true;
      this.#follow(true);
    }
  }

  filesFound(found: readonly string[], missing: readonly string[]): void {
    for (const file of found) this.#files.set(file, true);
    for (const file of missing) this.#files.set(file, false);
    if (found.length > 0) this.#changed();
  }

  openFind(): void {
    this.#follow(false);
    this.#find.open();
  }

  get text(): string {
    return [...this.#lines.texts()].join('');
  }

  #closeFind(): void {
    this.#find.close();
    this.#scroller.focus();
  }

  #copyAll(): void {
    // A message to the host may not be this long; the clipboard may.
    void navigator.clipboard.writeText(this.text).catch(() => this.#post({ type: 'copy', text: this.text }));
  }

  #wrap(isOn: boolean): void {
    const { line } = this.#map.lineAt(this.#firstInSight());
    this.#isWrapped = isOn;
    this.#measure();
    this.#press();
    this.#changed();
    if (!this.#isFollowing && this.#scroller.scrollTop > this.#space.offsetTop) this.#reveal(line, false);
  }

  #follow(isOn: boolean): void {
    this.#isFollowing = isOn;
    this.#press();
    if (isOn) this.#schedule();
  }

  #press(): void {
    this.#wrapButton.setAttribute('aria-pressed', String(this.#isWrapped));
    this.#followButton.setAttribute('aria-pressed', String(this.#isFollowing));
    this.element.classList.toggle('wrapped', this.#isWrapped);
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    // Nothing has scrolled: this event follows every redraw of a followed output.
    if (scrollTop === this.#lastTop) return;
    const isAtEnd = scrollTop + clientHeight >= scrollHeight - 4;
    // Scrolling up stops following; reaching the end resumes it.
    if (this.#isFollowing && scrollTop < this.#lastTop - 1 && !isAtEnd) this.#follow(false);
    else if (!this.#isFollowing && isAtEnd && scrollTop > this.#lastTop && this.#wasFollowChosen) this.#follow(true);
    this.#lastTop = scrollTop;
    this.#schedule();
  }

  /** Redraws all rows after a change that is not in the lines. */
  #changed(): void {
    this.#version += 1;
    this.#schedule();
  }

  #measure(): void {
    const { width, height } = this.#ruler.getBoundingClientRect();
    if (width > 0) this.#columnWidth = width / 100;
    if (height > 0) this.#rowHeight = Math.ceil(height);
    this.#space.style.setProperty('--row', `${this.#rowHeight}px`);
    const gutter = Math.max(60, (String(this.#lines.count).length + 2) * this.#columnWidth + 16);
    const columns = Math.max(20, Math.floor((this.#scroller.clientWidth - gutter - 48) / this.#columnWidth));
    const before = this.#map.columns;
    this.#map.wrapAt(this.#isWrapped ? columns : undefined);
    if (before !== this.#map.columns) this.#version += 1;
    this.#measureRows();
    this.#schedule();
  }

  #measureRows(): void {
    clearTimeout(this.#measureTimer);
    const until = performance.now() + measureSliceInMs;
    if (this.#map.measure(() => performance.now() > until)) return;
    this.#measureTimer = window.setTimeout(() => {
      this.#measureRows();
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => this.#draw());
  }

  #scheduleFlood(): void {
    this.#hasMore = this.#floodTimer !== undefined;
    if (this.#hasMore) return;
    this.#schedule();
    this.#floodTimer = window.setTimeout(() => {
      this.#floodTimer = undefined;
      if (this.#hasMore) this.#scheduleFlood();
    }, flood.gapInMs);
  }

  /** Whether there are more rows than the browser can lay out, so that a pixel stands for several rows. */
  get #isScaled(): boolean {
    return this.#map.rows * this.#rowHeight > maxHeightInPx;
  }

  #firstInSight(): number {
    const top = Math.max(0, this.#scroller.scrollTop - this.#space.offsetTop);
    if (!this.#isScaled) return Math.min(Math.floor(top / this.#rowHeight), Math.max(0, this.#map.rows - 1));
    const share = Math.min(1, top / Math.max(1, maxHeightInPx - this.#scroller.clientHeight));
    const last = Math.max(0, this.#map.rows - Math.floor(this.#scroller.clientHeight / this.#rowHeight));
    return Math.round(share * last);
  }

  #draw(): void {
    this.#isScheduled = false;
    if (this.#state) this.#tellState(this.#state);
    const rows = this.#map.rows;
    const height = Math.min(rows * this.#rowHeight, maxHeightInPx);
    this.#space.style.height = `${height}px`;
    const digits = String(this.#lines.count).length;
    // It changes the style of all rows.
    if (digits !== this.#digits) this.#space.style.setProperty('--digits', String(digits));
    this.#digits = digits;
    if (this.#isFollowing) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
      this.#lastTop = this.#scroller.scrollTop;
    }
    const top = this.#scroller.scrollTop - this.#space.offsetTop;
    const inSight = Math.ceil(this.#scroller.clientHeight / this.#rowHeight);
    const first = this.#firstInSight();
    const from = Math.max(0, first - rowsBeyond);
    const to = top + this.#scroller.clientHeight < 0 ? 0 : Math.min(rows, first + inSight + rowsBeyond);
    const base = this.#isScaled ? Math.max(0, top) - first * this.#rowHeight : 0;
    this.#drawRows(from, to, base);
  }

  #drawRows(from: number, to: number, base: number): void {
    for (const [row, { element }] of this.#drawn) {
      if (row >= from && row < to) continue;
      element.remove();
      this.#drawn.delete(row);
    }
    if (to <= from) return;
    let { line, part } = this.#map.lineAt(from);
    let previous: HTMLElement | undefined;
    for (let row = from; row < to && line < this.#lines.count; row += 1) {
      const isGrowing = line >= this.#lines.wholeCount;
      const key = `${this.#version} ${line} ${part}${isGrowing ? ` ${this.#lines.lengthAtMost(line)}` : ''}`;
      const known = this.#drawn.get(row);
      let element = known?.element;
      if (!element || known?.key !== key) {
        const fresh = this.#row(line, part);
        if (element) element.replaceWith(fresh);
        else if (previous) previous.after(fresh);
        else this.#space.prepend(fresh);
        element = fresh;
        this.#drawn.set(row, { element, key });
      }
      element.style.transform = `translateY(${base + row * this.#rowHeight}px)`;
      previous = element;
      part += 1;
      if (part >= this.#map.rowsOf(line)) [line, part] = [line + 1, 0];
    }
  }

  #row(line: number, part: number): HTMLElement {
    const { columns } = this.#map;
    const { parts } = styledParts(this.#lines.line(line), this.#lines.styleAt(line));
    const text = parts.map((each) => each.text).join('');
    const cuts = columns === undefined ? [0] : cutsOf(text, columns);
    const places = placesIn(text).filter(({ file }) => this.#isFile(file));
    const spans = rowSpans(parts, {
      from: cuts[part] ?? 0,
      to: cuts[part + 1] ?? text.length,
      places,
      matches: this.#find.matchesOf(line),
    });
    return h(
      'div',
      { class: 'row' },
      h(
        'span',
        { class: 'number', attributes: { 'aria-hidden': 'true' } },
        part > 0 || this.#lines.isCut(line) ? '' : String(this.#lines.numberOf(line)),
      ),
      h('span', { class: 'text' }, ...spans.map((span) => this.#span(span))),
    );
  }

  #span({ text, style, place, match }: RowSpan): Node {
    const classes = [...classesOf(style), match ? `match ${match}` : ''].filter((each) => each !== '').join(' ');
    if (!place && classes === '' && !text.includes('://')) return document.createTextNode(text);
    if (!place) return h('span', { class: classes }, ...textWithLinks(text));
    const open = (): void => this.#post({ type: 'openPlace', place: { file: place.file, line: place.line } });
    const link = h(
      'a',
      { class: `place ${classes}`, role: 'link', attributes: { tabindex: '0' }, onClick: open },
      text,
    );
    link.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') open();
    });
    return link;
  }

  /** Returns whether the host has the file. If that is unknown, the host is asked once for all names that come into view together. */
  #isFile(file: string): boolean {
    if (!this.#files.has(file)) {
      this.#files.set(file, undefined);
      this.#asking.push(file);
      if (this.#asking.length === 1) window.setTimeout(() => this.#askFiles(), askFilesAfterMs);
    }
    return this.#files.get(file) === true;
  }

  #askFiles(): void {
    for (const files = this.#asking.splice(0); files.length > 0;)
      this.#post({ type: 'findFiles', files: files.splice(0, 100) });
  }

  /** Scrolls a line into the middle of the page. */
  #reveal(line: number, isFound = true): void {
    this.#version += 1;
    this.#isFollowing = false;
    this.#press();
    const row = this.#map.rowOf(line);
    const { clientHeight } = this.#scroller;
    const middle = isFound ? clientHeight / 2 : 0;
    const share = row / Math.max(1, this.#map.rows - Math.floor(clientHeight / this.#rowHeight));
    const top = this.#isScaled ? share * (maxHeightInPx - clientHeight) : row * this.#rowHeight - middle;
    this.#scroller.scrollTop = Math.max(0, this.#space.offsetTop + top);
    this.#schedule();
  }
}

function classesOf(style: TextStyle): string[] {
  const { bold, dim, italic, underline, inverse } = style;
  const [color, background] = inverse
    ? [style.background ?? 'ground', style.color ?? 'text']
    : [style.color, style.background];
  const flags = { bold, dim, italic, underline };
  return [
    ...(color === undefined ? [] : [`ansi-${color}`]),
    ...(background === undefined ? [] : [`ansi-bg-${background}`]),
    ...Object.entries(flags).flatMap(([name, isOn]) => (isOn ? [`ansi-${name}`] : [])),
  ];
}
