import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import type { Answer, Choice } from '../conversation.ts';
import type { ViewState } from '../protocol.ts';
import { detailsOf } from './failureCard.ts';
import { icon } from './icons.ts';
import { formatCount, formatSeconds } from './shortTexts.ts';
import { strings } from './strings.ts';
import type { ViewActions } from './viewActions.ts';

/** Time without text after which an answer is no longer "being written", in milliseconds. */
const stalledAfterMs = 10_000;

/** Shows the progress of an unfinished answer in one line with its seconds: waiting, being written, stalled, or retrying. */
export class ProgressView {
  readonly element: HTMLElement;
  readonly #line = h('span', {});
  readonly #dots = h('span', { class: 'dots' }, icon('loading'));
  readonly #progress: HTMLElement;
  readonly #stop: HTMLButtonElement;
  readonly #again: HTMLButtonElement;
  readonly #message = h('div', { class: 'card-message' });
  readonly #remedy = h('div', { class: 'card-remedy' });
  readonly #countdown = h('div', { class: 'countdown' });
  readonly #words = h('pre', {});
  // If the user expands the details, they stay expanded from second to second and from attempt to attempt.
  readonly #details = detailsOf(this.#words);
  readonly #retry: HTMLElement;
  readonly #announce: ViewActions['announce'];
  #answer: Answer | undefined;
  #wait: ViewState['wait'];
  #size = 0;
  #changedMs = 0;
  #isThinking = false;
  #isStallTold = false;

  /**
   * @param askAgain stops the answer and requests another one
   * @param askElsewhere lets the user choose another endpoint, and requests the answer from it
   */
  constructor(
    actions: Pick<ViewActions, 'retryNow' | 'announce' | 'stop'>,
    askAgain: () => void,
    askElsewhere: () => void,
  ) {
    this.#announce = (text) => actions.announce(text);
    this.#stop = h('button', { class: 'link-button', onClick: () => actions.stop() }, strings.stopWaiting);
    this.#again = h('button', { class: 'link-button', onClick: askAgain }, strings.retry);
    this.#progress = h('div', { class: 'progress' }, this.#dots, icon('watch'), this.#line, this.#stop, this.#again);
    this.#retry = h(
      'div',
      { class: 'card warning retry' },
      icon('disconnect'),
      h(
        'div',
        { class: 'card-body' },
        this.#message,
        this.#remedy,
        h(
          'div',
          { class: 'buttons' },
          h('button', { class: 'button', onClick: () => actions.retryNow() }, strings.retryNow),
          h('button', { class: 'button secondary', onClick: () => actions.stop() }, strings.stopWaiting),
          h('button', { class: 'button secondary', onClick: askElsewhere }, strings.otherEndpoint),
        ),
        this.#countdown,
        this.#details,
      ),
    );
    this.element = h('div', { class: 'answer-progress' });
  }

  update(answer: Answer, choice: Choice | undefined, wait: ViewState['wait']): void {
    const size =
      (choice?.text.length ?? 0) +
      (choice?.reasoning?.length ?? 0) +
      (choice?.toolCalls.reduce((sum, call) => sum + call.arguments.length + 1, 0) ?? 0);
    if (size !== this.#size || this.#changedMs === 0) this.#changedMs = Date.now();
    this.#size = size;
    this.#isThinking = Boolean(choice?.reasoning) && choice?.text === '' && choice.toolCalls.length === 0;
    this.#answer = answer;
    this.#wait = wait;
    this.tick();
  }

  /** Whether text arrived a moment ago. */
  get isWriting(): boolean {
    return this.#answer?.status === 'streaming' && this.#size > 0 && !this.#wait && !this.#isStalled;
  }

  get #isStalled(): boolean {
    return this.#size > 0 && Date.now() - this.#changedMs >= stalledAfterMs;
  }

  /** Updates the elapsed seconds. */
  tick(): void {
    const answer = this.#answer;
    const isStreaming = answer?.status === 'streaming';
    setHidden(this.element, !isStreaming);
    if (!isStreaming) {
      this.element.replaceChildren();
      return;
    }
    const wait = this.#wait;
    const shown = wait ? this.#retry : this.#progress;
    if (this.element.firstChild !== shown) this.element.replaceChildren(shown);
    if (wait) this.#drawWait(wait);
    else this.#drawLine(answer);
  }

  #drawWait({ failure, attempt, waitUntilMs, giveUpAtMs }: NonNullable<ViewState['wait']>): void {
    const now = Date.now();
    setText(this.#message, failure.message);
    setText(this.#remedy, failure.remedy ?? '');
    setText(this.#words, failure.details ?? '');
    setHidden(this.#details, failure.details === undefined);
    setText(
      this.#countdown,
      waitUntilMs <= now
        ? strings.attempting
        : strings.nextAttempt(
            formatSeconds(waitUntilMs - now),
            formatCount(attempt + 1),
            formatSeconds(giveUpAtMs - now),
          ),
    );
  }

  #drawLine({ endpoint, createdAtMs }: Answer): void {
    const now = Date.now();
    const isStalled = this.#isStalled;
    const time = formatSeconds(now - createdAtMs);
    this.#progress.classList.toggle('stalled', isStalled);
    setHidden(this.#dots, this.#size > 0);
    setHidden(this.#stop, !isStalled);
    setHidden(this.#again, !isStalled);
    const line = isStalled
      ? strings.stalled(formatSeconds(now - this.#changedMs))
      : this.#size > 0
        ? strings.writing(time)
        : strings.waiting(endpoint, time);
    setText(this.#line, line);
    // Announce a stall once, however often it happens; the seconds are only visible.
    if (isStalled && !this.#isStallTold) this.#announce(line);
    this.#isStallTold ||= isStalled;
    // While the model is thinking, the reasoning view counts the seconds.
    setHidden(this.#progress, this.#isThinking && !isStalled);
  }
}
