import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import type { Turn } from '../conversation.ts';
import { iconButton } from './iconButton.ts';
import { strings } from './strings.ts';

/** "‹ 1/2 ›": switches between the variants of a turn. */
export class VariantPager {
  readonly element: HTMLElement;
  readonly #label: HTMLElement;
  readonly #previous: HTMLButtonElement;
  readonly #next: HTMLButtonElement;
  #variants: readonly Turn[] = [];
  #index = 0;

  constructor(select: (turnId: string) => void) {
    const step = (distance: number): void => {
      const target = this.#variants[this.#index + distance];
      if (target) select(target.id);
    };
    this.#label = h('span', { class: 'pager-label' });
    this.#previous = iconButton('previous', strings.previousVariant, () => step(-1));
    this.#next = iconButton('next', strings.nextVariant, () => step(1));
    this.element = h('span', { class: 'pager' }, this.#previous, this.#label, this.#next);
  }

  update(turn: Turn, variants: readonly Turn[]): void {
    this.#variants = variants;
    this.#index = variants.findIndex((variant) => variant.id === turn.id);
    setHidden(this.element, variants.length < 2);
    setText(this.#label, strings.variantOf(this.#index + 1, variants.length));
    this.#previous.disabled = this.#index <= 0;
    this.#next.disabled = this.#index >= variants.length - 1;
  }
}
