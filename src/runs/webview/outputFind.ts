import { l10n } from '../../shared/l10n.ts';
import { h, setText } from '../../shared/webview/dom.ts';
import type { OutputLines } from '../output/outputLines.ts';
import type { Match } from '../output/rowSpans.ts';
import { outlineButton } from './pageParts.ts';

const maxMatches = 10_000;
/** How long one slice of a search may run before it yields. */
const sliceInMs = 12;

/** Searches the whole output in slices, and steps through the matches. */
export class OutputFind {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #count: HTMLElement;
  readonly #lines: OutputLines;
  readonly #show: (line: number | undefined) => void;
  #found: { line: number; at: number }[] = [];
  #byLine = new Map<number, number[]>();
  #current = -1;
  #next = 0;
  #timer: number | undefined;

  /** @param show scrolls to the line; without a line it only redraws */
  constructor(lines: OutputLines, show: (line: number | undefined) => void, onClose: () => void) {
    this.#lines = lines;
    this.#show = show;
    this.#input = h('input', {
      class: 'find-input',
      label: l10n.t('Find in output'),
      attributes: { type: 'text', placeholder: l10n.t('Find'), spellcheck: 'false' },
    });
    this.#count = h('span', { class: 'quiet', role: 'status' });
    this.element = h(
      'div',
      { class: 'find', role: 'search' },
      this.#input,
      this.#count,
      outlineButton('previous', l10n.t('Previous Match'), () => this.step(-1)),
      outlineButton('next', l10n.t('Next Match'), () => this.step(1)),
      outlineButton('close', l10n.t('Close'), onClose),
    );
    this.element.hidden = true;
    this.#input.addEventListener('input', () => this.#start());
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
      else if (event.key === 'Escape') onClose();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  get wanted(): string {
    return this.element.hidden ? '' : this.#input.value.toLowerCase();
  }

  open(): void {
    this.element.hidden = false;
    this.#input.focus();
    this.#input.select();
    this.#start();
  }

  close(): void {
    this.element.hidden = true;
    this.#reset();
    this.#show(undefined);
  }

  /** Continues the search after lines were added. */
  grow(): void {
    if (this.wanted !== '' && this.#timer === undefined) this.#search();
  }

  /** Starts the search again after all lines were replaced. */
  restart(): void {
    if (this.wanted !== '') this.#start();
  }

  matchesOf(line: number): Match[] {
    const { length } = this.wanted;
    const current = this.#found[this.#current];
    const matches = (of: number, shift: number): Match[] =>
      (this.#byLine.get(of) ?? []).map((at) => ({
        at: at + shift,
        length,
        isCurrent: current?.line === of && current.at === at,
      }));
    return [...matches(line, 0), ...matches(line + 1, this.#lines.text(line).length)];
  }

  step(by: number): void {
    const { length } = this.#found;
    if (length === 0) return;
    this.#current = (this.#current + by + length) % length;
    this.#tell();
    this.#show(this.#found[this.#current]?.line);
  }

  #reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    [this.#found, this.#byLine, this.#current, this.#next] = [[], new Map(), -1, 0];
    setText(this.#count, '');
  }

  #start(): void {
    this.#reset();
    if (this.wanted === '') this.#show(undefined);
    else this.#search();
  }

  #search(): void {
    this.#timer = undefined;
    const { wanted } = this;
    const until = performance.now() + sliceInMs;
    const had = this.#found.length;
    while (this.#next < this.#lines.count && this.#found.length < maxMatches) {
      // The last line may still grow, so it is searched once it is complete.
      const { found, next } = this.#lines.search(wanted, this.#next, maxMatches - this.#found.length);
      const isWhole = next <= this.#lines.wholeCount;
      if (!isWhole && this.#next >= this.#lines.wholeCount) break;
      for (const match of found) {
        this.#found.push(match);
        this.#byLine.set(match.line, [...(this.#byLine.get(match.line) ?? []), match.at]);
      }
      this.#next = next;
      if (performance.now() > until) {
        this.#timer = window.setTimeout(() => this.#search());
        break;
      }
    }
    if (had === 0 && this.#found.length > 0 && this.#current === -1) {
      this.#current = 0;
      this.#show(this.#found[0]?.line);
    } else if (this.#found.length !== had) this.#show(undefined);
    this.#tell();
  }

  #tell(): void {
    const count = this.#found.length >= maxMatches ? `${maxMatches}+` : String(this.#found.length);
    const isDone = this.#timer === undefined;
    setText(
      this.#count,
      this.#found.length > 0
        ? l10n.t('{0} of {1}', this.#current + 1, count)
        : isDone
          ? l10n.t('No results')
          : l10n.t('Searching…'),
    );
  }
}
