import { l10n } from '../../shared/l10n.ts';
import { h, setHidden } from '../../shared/webview/dom.ts';
import type { RunStrip } from '../page/pageProtocol.ts';
import { KeptParts, linkTo, stateIcon, type Post } from './pageParts.ts';

/** With fewer columns, the strip does not span the page. */
const minRunsForEnds = 20;

type Bar = RunStrip['bars'][number];

/** The last runs as columns: one tab stop; the arrow keys move, Enter or a click opens the run. */
export class StripView {
  readonly element = h('section', { class: 'section strip' });
  readonly #post: Post;
  readonly #parts = new KeptParts();
  readonly #title = h('h2');
  readonly #readout = h('p', { class: 'readout' });
  readonly #figures = h('ul', { class: 'figures' });
  readonly #lines = h('div', { class: 'lines', attributes: { 'aria-hidden': 'true' } });
  readonly #bars = h('div', { class: 'bars', role: 'toolbar', label: l10n.t('Runs, oldest first') });
  readonly #ends = h('div', { class: 'ends quiet', attributes: { 'aria-hidden': 'true' } });
  readonly #keys = h('ul', { class: 'keys' });
  #strip: RunStrip | undefined;
  /** ID of the run that is read out; the newest if none was chosen. */
  #chosen: string | undefined;

  constructor(post: Post) {
    this.#post = post;
    this.element.append(
      h('div', { class: 'strip-head' }, this.#title, this.#readout),
      this.#figures,
      h('div', { class: 'plot' }, this.#lines, this.#bars),
      this.#ends,
      this.#keys,
    );
    this.#bars.addEventListener('keydown', (event) => this.#onKey(event));
    this.#bars.addEventListener('pointerleave', () => {
      if (!this.#bars.contains(document.activeElement)) this.#choose(undefined);
    });
  }

  show(strip: RunStrip | undefined): void {
    this.#strip = strip;
    setHidden(this.element, strip === undefined);
    if (!strip) return;
    const { title, figures, bars, lines, keys } = strip;
    if (!bars.some(({ runId }) => runId === this.#chosen)) this.#chosen = undefined;
    this.#parts.put(this.#title, { title }, () => [h('span', {}, title)]);
    this.#parts.put(this.#figures, figures, () =>
      figures.map(({ figure, meaning }) =>
        h('li', {}, h('strong', {}, figure), ' ', h('span', { class: 'quiet' }, meaning)),
      ),
    );
    this.#parts.put(this.#lines, lines, () => lines.map(lineOf));
    this.#parts.put(this.#ends, [bars[0]?.name, bars.at(-1)?.name], () =>
      bars.length < minRunsForEnds ? [] : [h('span', {}, bars[0]?.name), h('span', {}, bars.at(-1)?.name)],
    );
    this.#parts.put(this.#keys, keys, () =>
      keys.map((key) =>
        h(
          'li',
          { class: fillOf(key) },
          h('span', { class: 'swatch', attributes: { 'aria-hidden': 'true' } }),
          key.label,
        ),
      ),
    );
    this.#drawBars(bars);
    this.#readOut();
  }

  /** Reuses the columns' elements, so that the focus stays while time passes. */
  #drawBars(bars: readonly Bar[]): void {
    while (this.#bars.childElementCount > bars.length) this.#bars.lastElementChild?.remove();
    for (const [index, bar] of bars.entries()) {
      let column = this.#bars.children[index] as HTMLElement | undefined;
      if (!column) {
        column = this.#newColumn();
        this.#bars.append(column);
      }
      column.setAttribute('aria-label', `${bar.name}: ${bar.words}`);
      const piece = column.firstElementChild as HTMLElement;
      piece.className = `${fillOf({ ...bar, tone: bar.state.tone })}${bar.state.spins ? ' live' : ''}`;
      piece.style.height = `${Math.max(bar.height * 100, 3)}%`;
    }
  }

  #newColumn(): HTMLElement {
    const column = h('button', { class: 'column', attributes: { tabindex: '-1' } }, h('span'));
    const barOf = (): Bar | undefined => this.#strip?.bars[[...this.#bars.children].indexOf(column)];
    column.addEventListener('click', () => {
      const bar = barOf();
      if (bar) this.#post({ type: 'openRun', runId: bar.runId });
    });
    for (const event of ['focus', 'pointerenter']) column.addEventListener(event, () => this.#choose(barOf()?.runId));
    return column;
  }

  #choose(runId: string | undefined): void {
    this.#chosen = runId;
    this.#readOut();
  }

  #readOut(): void {
    const bars = this.#strip?.bars ?? [];
    const chosen = bars.findIndex(({ runId }) => runId === this.#chosen);
    const at = chosen === -1 ? bars.length - 1 : chosen;
    for (const [index, column] of [...this.#bars.children].entries()) {
      column.classList.toggle('chosen', index === at);
      column.setAttribute('tabindex', index === at ? '0' : '-1');
    }
    const bar = bars[at];
    this.#parts.put(this.#readout, bar ? { ...bar, height: 0 } : {}, () =>
      bar
        ? [
            h(
              'span',
              {},
              stateIcon(bar.state),
              ' ',
              linkTo({ label: bar.name, runId: bar.runId }, this.#post),
              ` ${bar.words}`,
            ),
          ]
        : [],
    );
  }

  #onKey(event: KeyboardEvent): void {
    const columns = [...this.#bars.children] as HTMLElement[];
    const at = columns.findIndex((column) => column === document.activeElement);
    const last = columns.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (at === -1 || to === undefined) return;
    event.preventDefault();
    columns[Math.min(Math.max(to, 0), last)]?.focus();
  }
}

function lineOf({ at, label }: RunStrip['lines'][number]): HTMLElement {
  const line = h('div', { class: 'line' }, h('span', { class: 'quiet' }, label));
  line.style.bottom = `${at * 100}%`;
  return line;
}

function fillOf({ tone, striped, hollow }: { tone: string; striped: boolean; hollow: boolean }): string {
  return `fill-${striped ? 'striped' : hollow ? 'hollow' : tone}`;
}
