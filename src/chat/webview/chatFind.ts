import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import { iconButton } from './icons.ts';
import { strings } from './strings.ts';

const maxMatches = 2_000;
/** Minimum time between two searches of a growing text, in milliseconds. */
const againAfterMs = 300;

/** Finds text in the messages on screen. It does not change the page: matches are highlights of the browser. */
export class ChatFind {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #count = h('span', { class: 'find-count', role: 'status' });
  readonly #root: HTMLElement;
  readonly #onSearch: () => void;
  readonly #onGo: () => void;
  #found: Range[] = [];
  #current = 0;
  #returnTo: Element | null = null;
  #again = 0;

  /**
   * @param root element to search
   * @param onSearch called to load content that is not on the page yet
   * @param onGo called when the reader goes to a match, so that the view stops following the end of the text
   */
  constructor(root: HTMLElement, onSearch: () => void, onGo: () => void) {
    [this.#root, this.#onSearch, this.#onGo] = [root, onSearch, onGo];
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
      iconButton('close', strings.findClose, () => this.close()),
    );
    this.element.hidden = true;
    this.#input.addEventListener('input', () => this.#search(true));
    this.element.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      if (event.key === 'Escape') this.close();
      else if (event.key === 'Enter' && event.target === this.#input) this.#step(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
      // Otherwise Escape would stop the answer.
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

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  close(): void {
    setHidden(this.element, true);
    this.#found = [];
    this.#draw();
    if (this.#returnTo instanceof HTMLElement) this.#returnTo.focus();
  }

  /** Handles a change of the text on screen. */
  changed(): void {
    if (this.element.hidden || this.#again !== 0) return;
    this.#again = window.setTimeout(() => {
      this.#again = 0;
      if (!this.element.hidden) this.#search(false);
    }, againAfterMs);
  }

  #search(isNew: boolean): void {
    this.#onSearch();
    const wanted = this.#input.value.toLowerCase();
    const before = this.#found[this.#current];
    this.#found = wanted === '' ? [] : [...rangesOf(this.#root, wanted)];
    // Matches found before the current one must not move the reader.
    const same = this.#found.findIndex(
      ({ startContainer, startOffset }) =>
        startContainer === before?.startContainer && startOffset === before.startOffset,
    );
    const kept = same === -1 ? Math.min(this.#current, Math.max(0, this.#found.length - 1)) : same;
    this.#current = isNew ? 0 : kept;
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

/** Inline elements: their text is searched together with the text around them. */
const inline = new Set(['A', 'B', 'CODE', 'DEL', 'EM', 'I', 'KBD', 'MARK', 'S', 'SPAN', 'STRONG', 'SUB', 'SUP']);

/** A text node and the number of characters before it in its line. */
interface Piece {
  readonly node: Node;
  readonly before: number;
}

/** Yields the ranges of a text on screen, each within one paragraph or line; button labels are not part of the messages. */
function* rangesOf(root: HTMLElement, wanted: string): Generator<Range> {
  let count = 0;
  for (const { text, pieces } of linesOf(root)) {
    let first = 0;
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const pieceAt = (offset: number): Piece | undefined => {
        while ((pieces[first + 1]?.before ?? Infinity) <= offset) first += 1;
        return pieces[first];
      };
      const range = new Range();
      const begin = pieceAt(at);
      if (begin) range.setStart(begin.node, within(begin, at));
      const end = pieceAt(at + wanted.length - 1);
      if (end) range.setEnd(end.node, within(end, at + wanted.length));
      yield range;
      count += 1;
      if (count >= maxMatches) return;
    }
  }
}

/** Returns the offset within the node; some letters are longer in lower case. */
function within({ node, before }: Piece, offset: number): number {
  return Math.min(offset - before, node.textContent?.length ?? 0);
}

/** Yields paragraphs and lines in lower case, without collapsed and hidden parts. */
function* linesOf(root: HTMLElement): Generator<{ text: string; pieces: readonly Piece[] }> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && !isSeen(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  let [text, pieces, block]: [string, Piece[], Element | null] = ['', [], null];
  for (let node = walker.nextNode(); ; node = walker.nextNode()) {
    const isText = node?.nodeType === Node.TEXT_NODE;
    if (node && !isText && inline.has(node.nodeName)) continue;
    const own = isText ? blockOf(node) : null;
    if (own !== block || own === null) {
      if (pieces.length > 0) yield { text, pieces };
      [text, pieces, block] = ['', [], own];
    }
    if (!node) return;
    if (!isText) continue;
    pieces.push({ node, before: text.length });
    text += node.textContent?.toLowerCase() ?? '';
  }
}

function blockOf(node: Node | null): Element | null {
  let block = node?.parentElement ?? null;
  while (block && inline.has(block.tagName)) block = block.parentElement;
  return block;
}

function isSeen(element: Element): boolean {
  const isButton = element.tagName === 'BUTTON' && !element.classList.contains('run-link');
  const isFolded = element.tagName !== 'SUMMARY' && element.parentElement?.matches('details:not([open])') === true;
  return !element.hasAttribute('hidden') && !isButton && !isFolded;
}
