import { h, setHidden } from '../../shared/webview/dom.ts';
import type { TokenLogprob } from '../conversationEvent.ts';
import { formatPercent } from './shortTexts.ts';
import { strings } from './strings.ts';

/** Maximum tokens shown: more spans would slow the page down without helping anyone. */
const maxTokens = 2000;
const levels = 5;

/** Shows the sampled tokens, shaded by the model's confidence, with the alternatives in the tooltip. Drawn when opened. */
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
    if (!this.element.open || this.#drawn === this.#tokens.length || this.#drawn > maxTokens) return;
    const added = this.#tokens.slice(this.#drawn, maxTokens);
    this.#drawn = this.#tokens.length;
    this.#body.append(
      ...added.map((token) => {
        const probability = Math.exp(token.logprob);
        const level = Math.min(levels - 1, Math.floor(probability * levels));
        const alternatives = token.alternatives.map(
          (other) => `${JSON.stringify(other.token)} ${formatPercent(Math.exp(other.logprob))}`,
        );
        return h(
          'span',
          {
            class: `token level-${level}`,
            title: [`${JSON.stringify(token.token)} ${formatPercent(probability)}`, ...alternatives].join('\n'),
          },
          token.token,
        );
      }),
      ...(this.#tokens.length > maxTokens ? [h('p', {}, strings.logprobsCut(maxTokens))] : []),
    );
  }
}
