import { h } from '../dom.ts';
import { icon, type IconName } from '../icons.ts';
import { strings } from '../strings.ts';
import { highlight, type HighlightNode } from './highlighter.ts';

/** One growing text node makes the browser lay out all of it for every line; pieces of this many lines do not. */
const linesPerPiece = 20;

export interface CodeActions {
  copy(text: string): void;
  insert(text: string): void;
  open(text: string, language: string): void;
}

/** A code block on screen: grows in pieces while the answer is written, gets its colours when it is finished. */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #code: HTMLElement;
  readonly #language: string;
  #parts: string[] = [];
  #piece: Text | undefined;
  #linesInPiece = 0;

  constructor(language: string, actions: CodeActions) {
    this.#language = language;
    this.#code = h('code', { class: language === 'yml' || language === 'yaml' ? 'language-yaml' : '' });
    const label = language || strings.code;
    const button = (name: IconName, title: string, run: () => void): HTMLButtonElement =>
      h('button', { class: 'icon-button', label: title, title, onClick: run }, icon(name));
    const copyButton = button('copy', strings.copyCode, () => {
      actions.copy(this.text);
      showCopied(copyButton, strings.copyCode);
    });
    this.element = h('div', { class: 'code-block' },
      h('div', { class: 'code-head' },
        h('span', { class: 'code-language' }, label),
        h('span', { class: 'code-actions' },
          button('insert', strings.insertCode, () => actions.insert(this.text)),
          button('openFile', strings.openCode, () => actions.open(this.text, language)),
          copyButton)),
      // A block that scrolls must be reachable from the keyboard.
      h('pre', { label: `${strings.code}: ${label}`, role: 'group', attributes: { tabindex: '0' } }, this.#code));
  }

  get text(): string {
    return this.#parts.join('');
  }

  append(text: string): void {
    this.#parts.push(text);
    let from = 0;
    while (from < text.length) {
      const end = this.#endOfPiece(text, from);
      if (this.#piece) this.#piece.appendData(text.slice(from, end));
      else this.#startPiece(text.slice(from, end));
      if (this.#linesInPiece >= linesPerPiece) this.#piece = undefined;
      from = end;
    }
  }

  #startPiece(text: string): void {
    this.#piece = document.createTextNode(text);
    const piece = document.createElement('span');
    piece.className = 'piece';
    piece.append(this.#piece);
    this.#code.append(piece);
  }

  #endOfPiece(text: string, from: number): number {
    if (!this.#piece) this.#linesInPiece = 0;
    for (let at = from; ; ) {
      const lineEnd = text.indexOf('\n', at);
      if (lineEnd < 0) return text.length;
      this.#linesInPiece += 1;
      at = lineEnd + 1;
      if (this.#linesInPiece >= linesPerPiece) return at;
    }
  }

  /** Colours the code when the browser has time. */
  finish(): void {
    requestIdleCallback(() => {
      const nodes = highlight(this.text, this.#language);
      if (nodes) this.#code.replaceChildren(...nodes.map(toDom));
    }, { timeout: 1000 });
  }
}

function toDom(node: HighlightNode): Node {
  if (typeof node === 'string') return document.createTextNode(node);
  const span = document.createElement('span');
  span.className = node.className;
  span.append(...node.children.map(toDom));
  return span;
}

/** A tick on the button for a moment. */
export function showCopied(button: HTMLButtonElement, title: string): void {
  button.replaceChildren(icon('check'));
  button.setAttribute('aria-label', strings.copied);
  setTimeout(() => {
    button.replaceChildren(icon('copy'));
    button.setAttribute('aria-label', title);
  }, 1500);
}
