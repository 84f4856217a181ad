import type { Turn } from '../conversation.ts';
import { h, setHidden, setText } from './dom.ts';
import { icon } from './icons.ts';
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
    this.#previous = h(
      'button',
      { class: 'icon-button', label: strings.previousVariant, title: strings.previousVariant, onClick: () => step(-1) },
      icon('previous'),
    );
    this.#next = h(
      'button',
      { class: 'icon-button', label: strings.nextVariant, title: strings.nextVariant, onClick: () => step(1) },
      icon('next'),
    );
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
