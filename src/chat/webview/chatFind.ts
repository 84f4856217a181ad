import { h, setHidden, setText } from './dom.ts';
import { icon } from './icons.ts';
import { strings } from './strings.ts';

const maxMatches = 2_000;
/** A text that grows is looked through again at most so often. */
const againAfterMs = 300;

/** Finds a text in the messages on screen. The page itself is not changed: matches are highlights of the browser. */
export class ChatFind {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #count = h('span', { class: 'find-count', role: 'status' });
  readonly #root: HTMLElement;
  readonly #onGo: () => void;
  #found: Range[] = [];
  #current = 0;
  #returnTo: Element | null = null;
  #again = 0;

  /**
   * @param root what is looked through
   * @param onGo the reader goes to a match: whatever follows the end of the text no longer does
   */
  constructor(root: HTMLElement, onGo: () => void) {
    [this.#root, this.#onGo] = [root, onGo];
    this.#input = h('input', {
      class: 'find-input',
      label: strings.find,
      attributes: { type: 'text', placeholder: strings.find, spellcheck: 'false' },
    });
    const button = (label: string, text: string, run: () => void): HTMLElement =>
      h('button', { class: 'icon-button', label, title: label, onClick: run }, text);
    this.element = h(
      'div',
      { class: 'find', role: 'search', label: strings.find },
      this.#input,
      this.#count,
      button(strings.findPrevious, '↑', () => this.#step(-1)),
      button(strings.findNext, '↓', () => this.#step(1)),
      h(
        'button',
        { class: 'icon-button', label: strings.findClose, title: strings.findClose, onClick: () => this.close() },
        icon('close'),
      ),
    );
    this.element.hidden = true;
    this.#input.addEventListener('input', () => this.#search(true));
    this.element.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      if (event.key === 'Escape') this.close();
      else if (event.key === 'Enter' && event.target === this.#input) this.#step(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
      // Escape would stop the answer.
      event.stopPropagation();
    });
  }

  open(): void {
    if (this.element.hidden) this.#returnTo = document.activeElement;
    setHidden(this.element, false);
    this.#input.focus();
    this.#input.select();
    this.#search(true);
  }

  close(): void {
    setHidden(this.element, true);
    this.#found = [];
    this.#draw();
    if (this.#returnTo instanceof HTMLElement) this.#returnTo.focus();
  }

  /** The text on screen is another. */
  changed(): void {
    if (this.element.hidden || this.#again !== 0) return;
    this.#again = window.setTimeout(() => {
      this.#again = 0;
      if (!this.element.hidden) this.#search(false);
    }, againAfterMs);
  }

  #search(isNew: boolean): void {
    const wanted = this.#input.value.toLowerCase();
    this.#found = wanted === '' ? [] : [...rangesOf(this.#root, wanted)];
    this.#current = isNew ? 0 : Math.min(this.#current, Math.max(0, this.#found.length - 1));
    this.#draw();
    if (isNew) this.#reveal();
  }

  #step(by: number): void {
    const { length } = this.#found;
    if (length === 0) return;
    this.#current = (this.#current + by + length) % length;
    this.#draw();
    this.#reveal();
  }

  #reveal(): void {
    const range = this.#found[this.#current];
    if (!range) return;
    this.#onGo();
    range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
  }

  #draw(): void {
    const current = this.#found[this.#current];
    CSS.highlights.set('found', new Highlight(...this.#found));
    CSS.highlights.set('found-current', new Highlight(...(current ? [current] : [])));
    const count = this.#found.length >= maxMatches ? `${maxMatches}+` : String(this.#found.length);
    const text = this.#input.value === '' ? '' : strings.findNone;
    setText(this.#count, this.#found.length > 0 ? strings.findCount(this.#current + 1, count) : text);
  }
}

/** Where the text stands in what is seen, within a paragraph or line; folded and hidden parts are left out. */
function* rangesOf(root: HTMLElement, wanted: string): Generator<Range> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase();
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      if (!isSeen(node.parentElement)) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + wanted.length, text.length));
      yield range;
      count += 1;
      if (count >= maxMatches) return;
    }
  }
}

function isSeen(element: Element | null): boolean {
  return element?.closest('[hidden], details:not([open]) > :not(summary)') === null;
}
