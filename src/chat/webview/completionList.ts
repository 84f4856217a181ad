import { h, setHidden } from '../../shared/webview/dom.ts';
import type { CommandCompletion } from '../conversationEvent.ts';
import { strings } from './strings.ts';

/**
 * Completes a command that the prompt begins with, or a word that begins with `#` at the cursor. The focus stays in the prompt, which passes
 * its keys on.
 */
export class CompletionList {
  readonly element = h('div', { class: 'completions', role: 'listbox', label: strings.completions });
  readonly #input: HTMLTextAreaElement;
  readonly #request: (text: string) => Promise<readonly CommandCompletion[]>;
  readonly #take: (chosen: CommandCompletion, begun: string) => void;
  #items: readonly CommandCompletion[] = [];
  /** The part of the text that the items complete. */
  #shownFor = '';
  #index = 0;

  constructor(
    input: HTMLTextAreaElement,
    request: (text: string) => Promise<readonly CommandCompletion[]>,
    take: (chosen: CommandCompletion, begun: string) => void,
  ) {
    [this.#input, this.#request, this.#take] = [input, request, take];
    this.element.id = 'completions';
    input.setAttribute('aria-autocomplete', 'list');
    input.addEventListener('blur', () => this.#show([]));
    this.#show([]);
  }

  /** The part of the text that can be completed. */
  get #begun(): string {
    const { value, selectionStart } = this.#input;
    if (/^\/[^\n]{0,200}$/.test(value)) return value;
    // A number names a run.
    return /(?:^|\s)(#(?!\d+$)[^\s#]{0,100})$/.exec(value.slice(0, selectionStart))?.[1] ?? '';
  }

  /** Requests completions for the present text. */
  async update(): Promise<void> {
    const begun = this.#begun;
    const items = begun === '' ? [] : await this.#request(begun);
    if (this.#begun !== begun) return;
    this.#shownFor = begun;
    this.#show(document.activeElement === this.#input ? items : []);
  }

  /** Handles a key of the prompt. @returns whether the list has used it */
  handle({ key, shiftKey, altKey }: KeyboardEvent): boolean {
    const chosen = this.#items[this.#index];
    if (!chosen || altKey) return false;
    if (key === 'Escape') this.#show([]);
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      const count = this.#items.length;
      this.#mark((this.#index + (key === 'ArrowDown' ? 1 : count - 1)) % count);
    } else if (key === 'Tab' && !shiftKey) this.#choose(chosen);
    // A whole command is sent; Enter completes only what has been begun.
    else if (
      key === 'Enter' &&
      !shiftKey &&
      (isAttachment(chosen) || chosen.text.trimEnd() !== this.#input.value.trimEnd())
    )
      this.#choose(chosen);
    else return false;
    return true;
  }

  #choose(chosen: CommandCompletion): void {
    const begun = this.#begun;
    this.#show([]);
    // The text may have changed while its completions were requested.
    if (begun === this.#shownFor) this.#take(chosen, begun);
  }

  #show(items: readonly CommandCompletion[]): void {
    this.#items = items;
    setHidden(this.element, items.length === 0);
    this.element.replaceChildren(
      ...items.map((item, index) => {
        const { text, detail } = item;
        const option = h(
          'div',
          { class: 'completion', role: 'option' },
          h('span', { class: 'completion-text' }, text.trimEnd()),
          h('span', { class: 'completion-detail' }, detail),
        );
        option.id = `completion-${index}`;
        // The prompt keeps the focus.
        option.addEventListener('mousedown', (event) => event.preventDefault());
        option.addEventListener('click', () => this.#choose(item));
        return option;
      }),
    );
    if (items.length > 0) {
      this.#input.setAttribute('aria-controls', this.element.id);
      this.#mark(0);
    } else for (const name of ['aria-controls', 'aria-activedescendant']) this.#input.removeAttribute(name);
  }

  #mark(index: number): void {
    this.#index = index;
    for (const [at, option] of [...this.element.children].entries())
      option.setAttribute('aria-selected', String(at === index));
    this.#input.setAttribute('aria-activedescendant', `completion-${index}`);
    this.element.children[index]?.scrollIntoView({ block: 'nearest' });
  }
}

/** Returns whether the completion attaches something and is not part of the text. */
export function isAttachment({ text }: CommandCompletion): boolean {
  return text.startsWith('#');
}
