import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import { formatSeconds } from './shortTexts.ts';
import { strings } from './strings.ts';

/** Maximum characters of a model's reasoning on the page. */
const maxLength = 100_000;

/** Shows a model's reasoning: expanded while it thinks, collapsed once the answer has begun. */
export class ReasoningView {
  readonly element: HTMLDetailsElement;
  readonly #summary = h('summary', {});
  readonly #text = document.createTextNode('');
  #isThinking = false;
  #beganMs = 0;

  constructor() {
    this.element = h(
      'details',
      { class: 'reasoning' },
      this.#summary,
      h('div', { class: 'reasoning-text' }, this.#text),
    );
    setHidden(this.element, true);
  }

  /** @param isThinking whether no text of the answer itself has arrived yet and more may follow */
  update(reasoning: string, isThinking: boolean): void {
    setHidden(this.element, reasoning === '');
    if (reasoning === '') return;
    const shown = this.#text.length;
    if (shown < maxLength && reasoning.length > shown) this.#text.appendData(reasoning.slice(shown, maxLength));
    if (isThinking && !this.#isThinking) {
      this.#beganMs = Date.now();
      this.element.open = true;
    }
    if (!isThinking && this.#isThinking) {
      this.element.open = false;
      const lengthMs = Date.now() - this.#beganMs;
      setText(this.#summary, lengthMs < 500 ? strings.thought : strings.thoughtFor(formatSeconds(lengthMs)));
    } else if (!isThinking && this.#beganMs === 0) setText(this.#summary, strings.thought);
    this.#isThinking = isThinking;
    this.tick();
  }

  /** Updates the elapsed seconds. */
  tick(): void {
    if (this.#isThinking) setText(this.#summary, strings.thinking(formatSeconds(Date.now() - this.#beganMs)));
  }
}
