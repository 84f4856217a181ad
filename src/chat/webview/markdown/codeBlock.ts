import source from 'worker:./highlightWorker.ts';
import { h, setText } from '../../../shared/webview/dom.ts';
import { BoundedThread } from '../boundedThread.ts';
import { copyButton, iconButton } from '../icons.ts';
import { strings } from '../strings.ts';
import { colouredScopes, type Colours, isHighlightable } from './colours.ts';
import type { HighlightReply, HighlightRequest } from './highlightWorker.ts';

/** Maximum lines of one text node: the browser lays out a growing text node completely for every line. */
const maxPieceLines = 20;
/**
 * Maximum characters of one row; a longer line continues in the next row, since a line of a few million characters would freeze the page.
 */
const maxPieceLength = 2_000;
/** How long code is colored without a pause, in milliseconds. */
const paintingInMs = 6;

/** The two lines that name a file of a diff, which the diff neither renames, adds nor deletes. */
const diffHeader = /^--- (?:a\/)?([^\n\t]+)(?:\t[^\n]*)?\n\+\+\+ (?:b\/)?\1(?:\t[^\n]*)?\n/;
const otherHeader = /^--- [^\n]*\n\+\+\+ /m;

export interface CodeActions {
  copy(text: string): void;
  insert(text: string): void;
  newFile(text: string, language: string): void;
  apply(text: string, language: string): void;
}

/** Applies these colors to all code on the page; an empty color means the page's own style. */
export function showCodeColours(colours: Readonly<Record<string, string>>): void {
  for (const [name, colour] of Object.entries(colours)) document.body.style.setProperty(`--code-${name}`, colour);
}

/** A part of the code on screen, which the browser lays out only while it is visible. */
interface Piece {
  readonly element: HTMLElement;
  readonly text: Text;
  lines: number;
  /** Characters of the longest line and of the last line. */
  width: number;
  lastWidth: number;
}

/** A code block on screen: grows in pieces while the answer is written, and is colored when it is finished. */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #code: HTMLElement;
  readonly #name = h('span', { class: 'code-language' });
  readonly #pre: HTMLElement;
  readonly #apply: HTMLElement;
  readonly #language: string;
  readonly #pieces: Piece[] = [];
  #parts: string[] = [];

  constructor(language: string, actions: CodeActions) {
    this.#language = language;
    this.#code = h('code', { class: language === 'yml' || language === 'yaml' ? 'language-yaml' : '' });
    const wrapButton = iconButton('wrap', strings.wrapCode, () => {
      const isOn = this.element.classList.toggle('wrapped');
      wrapButton.setAttribute('aria-pressed', String(isOn));
    });
    wrapButton.setAttribute('aria-pressed', 'false');
    // Incomplete code cannot be applied to a file.
    this.#apply = iconButton('apply', strings.applyCode, () => actions.apply(this.text, language));
    this.#apply.style.visibility = 'hidden';
    // A scrollable block must be reachable by keyboard.
    this.#pre = h('pre', { role: 'group', attributes: { tabindex: '0' } }, this.#code);
    this.#setName(language || strings.code);
    this.element = h(
      'div',
      { class: 'code-block' },
      h(
        'div',
        { class: 'code-head' },
        this.#name,
        h(
          'span',
          { class: 'code-actions' },
          wrapButton,
          copyButton(strings.copyCode, () => actions.copy(this.text)),
          this.#apply,
          iconButton('insert', strings.insertCode, () => actions.insert(this.text)),
          iconButton('newFile', strings.newFileOfCode, () => actions.newFile(this.text, language)),
        ),
      ),
      this.#pre,
    );
  }

  get text(): string {
    return this.#parts.join('');
  }

  #setName(name: string): void {
    setText(this.#name, name);
    this.#pre.setAttribute('aria-label', `${strings.code}: ${name}`);
  }

  append(text: string): void {
    this.#parts.push(text);
    this.#draw(text);
  }

  #draw(text: string): void {
    for (let from = 0; from < text.length;) {
      const last = this.#pieces.at(-1);
      const piece = last && !isFull(last, last.text.length) ? last : this.#startPiece();
      const end = grow(piece, text, from);
      piece.text.appendData(text.slice(from, end));
      from = end;
    }
  }

  #startPiece(): Piece {
    const text = document.createTextNode('');
    const element = h('span', { class: 'piece' }, text);
    this.#code.append(element);
    const piece = { element, text, lines: 0, width: 0, lastWidth: 0 };
    this.#pieces.push(piece);
    return piece;
  }

  /** Shows the file of a diff as the block's name, and colors the code, one part at a time. */
  finish(): void {
    this.#apply.style.visibility = '';
    let { text } = this;
    const [header = '', name] = (this.#language === 'diff' && diffHeader.exec(text)) || [];
    if (name !== undefined && !otherHeader.test(text.slice(header.length))) {
      text = text.slice(header.length);
      this.#setName(`diff · ${name}`);
      this.#pieces.length = 0;
      this.#code.replaceChildren();
      this.#draw(text);
    }
    void coloursOf(text, this.#language).then((colours) => {
      if (colours) this.#paint(colours, { piece: 0, run: 0, used: 0 });
    });
  }

  #paint(colours: Colours, at: { piece: number; run: number; used: number }): void {
    const untilMs = performance.now() + paintingInMs;
    for (; at.piece < this.#pieces.length; at.piece += 1) {
      if (performance.now() >= untilMs) {
        requestAnimationFrame(() => this.#paint(colours, at));
        return;
      }
      const piece = this.#pieces[at.piece];
      piece?.element.replaceChildren(...colouredRuns(piece.text.data, colours, at));
    }
  }
}

/** Returns whether the piece is full. A piece ends with a line, unless the line is too long. */
function isFull({ lines, lastWidth }: Piece, length: number): boolean {
  return lines >= maxPieceLines || (lastWidth === 0 ? length : lastWidth) >= maxPieceLength;
}

/** Returns how much of the text fits into the piece, and updates the piece's size. */
function grow(piece: Piece, text: string, from: number): number {
  let at = from;
  while (at < text.length && !isFull(piece, piece.text.length + at - from)) {
    let limit = Math.min(text.length, at + maxPieceLength - piece.lastWidth);
    // Do not split a surrogate pair.
    if (limit < text.length && /[\uD800-\uDBFF]/.test(text.charAt(limit - 1))) limit += 1;
    const lineEnd = text.indexOf('\n', at);
    const isWhole = lineEnd >= 0 && lineEnd < limit;
    const end = isWhole ? lineEnd + 1 : limit;
    piece.lastWidth += end - at;
    piece.width = Math.max(piece.width, piece.lastWidth);
    if (isWhole) {
      piece.lines += 1;
      piece.lastWidth = 0;
    }
    at = end;
  }
  // Lines do not wrap, so the size of the piece while it is not visible is known.
  piece.element.style.containIntrinsicSize = `${piece.width}ch ${1.45 * (piece.lines + (piece.lastWidth > 0 ? 1 : 0))}em`;
  return at;
}

/** Returns the text in colored runs and advances `at` to the next run. */
function colouredRuns(text: string, colours: Colours, at: { run: number; used: number }): Node[] {
  const nodes: Node[] = [];
  for (let from = 0; from < text.length;) {
    const length = Math.min((colours[at.run] ?? Infinity) - at.used, text.length - from);
    const scope = colouredScopes[colours[at.run + 1] ?? -1];
    const part = text.slice(from, from + length);
    nodes.push(scope === undefined ? document.createTextNode(part) : h('span', { class: `hljs-${scope}` }, part));
    from += length;
    at.used += length;
    if (at.used >= (colours[at.run] ?? 0)) {
      at.run += 2;
      at.used = 0;
    }
  }
  return nodes;
}

/** Maximum time to color code, in milliseconds. Ordinary code takes a few, and the first code of a page some more. */
const limitInMs = 2_000;
const maxOverruns = 5;

/** The page's only worker that colors code. */
const thread = new BoundedThread<HighlightRequest, HighlightReply>(source, limitInMs, maxOverruns);

/** Returns the colors of the code, or `undefined` if it has none or they take too long. Never rejects. */
export function coloursOf(code: string, language: string): Promise<Colours | undefined> {
  return language === '' || !isHighlightable(code) ? Promise.resolve(undefined) : thread.ask({ code, language });
}
