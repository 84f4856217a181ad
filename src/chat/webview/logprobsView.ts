import type { TokenLogprob } from '../conversationEvent.ts';
import { h, setHidden } from './dom.ts';
import { strings } from './strings.ts';

/** More spans than this make the page slow and tell nobody anything. */
const mostTokens = 2000;
const levels = 5;

/** The sampled tokens, shaded by how sure the model was; the alternatives are in the tooltip. Drawn when opened. */
export class LogprobsView {
  readonly element: HTMLDetailsElement;
  readonly #body = h('div', { class: 'tokens' });
  #tokens: readonly TokenLogprob[] = [];
  #drawn = 0;

  constructor() {
    this.element = h('details', { class: 'logprobs' }, h('summary', {}, strings.logprobs), this.#body);
    this.element.addEventListener('toggle', () => this.#draw());
  }

  update(tokens: readonly TokenLogprob[]): void {
    this.#tokens = tokens;
    setHidden(this.element, tokens.length === 0);
    this.#draw();
  }

  #draw(): void {
    if (!this.element.open || this.#drawn === this.#tokens.length) return;
    this.#drawn = this.#tokens.length;
    const shown = this.#tokens.slice(0, mostTokens);
    this.#body.replaceChildren(...shown.map((token) => {
      const probability = Math.exp(token.logprob);
      const level = Math.min(levels - 1, Math.floor(probability * levels));
      const alternatives = token.alternatives.map((other) => `${JSON.stringify(other.token)} ${percent(other.logprob)}`);
      return h('span', { class: `token level-${level}`, title: [`${JSON.stringify(token.token)} ${percent(token.logprob)}`, ...alternatives].join('\n') }, token.token);
    }), ...(this.#tokens.length > mostTokens ? [h('p', {}, strings.logprobsCut(mostTokens))] : []));
  }
}

function percent(logprob: number): string {
  return `${(Math.exp(logprob) * 100).toFixed(1)} %`;
}
