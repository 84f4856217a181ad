import { shownChoice, type Answer, type Choice, type Turn } from '../conversation.ts';
import type { ViewState } from '../protocol.ts';
import { h, setHidden, setText } from './dom.ts';
import { failureCard } from './failureCard.ts';
import { icon } from './icons.ts';
import { LogprobsView } from './logprobsView.ts';
import { showCopied } from './markdown/codeBlock.ts';
import { MarkdownView } from './markdown/markdownView.ts';
import { ProgressView } from './progressView.ts';
import { ReasoningView } from './reasoningView.ts';
import { formatCount, formatLength, formatUsage } from './shortTexts.ts';
import { strings } from './strings.ts';
import { ToolCallsView } from './toolCallsView.ts';
import { VariantPager } from './variantPager.ts';
import type { ViewActions } from './viewActions.ts';

/** More of an answer is not put on the page; it can be opened in an editor. */
const maxShownLength = 1_000_000;

/** An answer: streamed markdown, tool calls, how it ended, its usage, and what can be done with it. */
export class AnswerView {
  readonly element: HTMLElement;
  readonly #actions: ViewActions;
  readonly #choiceBar = h('div', { class: 'choices', role: 'group', label: strings.alternatives });
  readonly #reasoning = new ReasoningView();
  readonly #progress: ProgressView;
  readonly #rest: HTMLElement;
  #ticking = 0;
  readonly #toolCalls: ToolCallsView;
  readonly #logprobs = new LogprobsView();
  readonly #outcome = h('div', { class: 'outcome' });
  readonly #tools: HTMLElement;
  readonly #usage = h('span', { class: 'usage', title: strings.usageTitle });
  readonly #pager: VariantPager;
  readonly #regenerate: HTMLButtonElement;
  #markdown: MarkdownView;
  #answer: Answer;
  #drawnChoice = -1;
  #outcomeState = '';
  #isBusy = false;

  constructor(answer: Answer, actions: ViewActions) {
    this.#answer = answer;
    this.#actions = actions;
    this.#toolCalls = new ToolCallsView(actions);
    this.#progress = new ProgressView(actions);
    this.#rest = h(
      'div',
      { class: 'mark' },
      strings.cutText(formatCount(maxShownLength)),
      h(
        'button',
        { class: 'link-button', onClick: () => actions.open(shownChoice(this.#answer)?.text ?? '', 'markdown') },
        strings.openWhole,
      ),
    );
    this.#rest.hidden = true;
    this.#markdown = new MarkdownView(actions);
    this.#pager = new VariantPager((id) => actions.selectVariant(id));
    const copyButton = h(
      'button',
      {
        class: 'icon-button',
        label: strings.copy,
        title: strings.copy,
        onClick: () => {
          actions.copy(shownChoice(this.#answer)?.text ?? '');
          showCopied(copyButton, strings.copy);
        },
      },
      icon('copy'),
    );
    this.#regenerate = h(
      'button',
      {
        class: 'icon-button',
        label: strings.regenerate,
        title: strings.regenerate,
        onClick: () => {
          if (!this.#isBusy) actions.regenerate(answer.id);
        },
      },
      icon('refresh'),
    );
    this.#tools = h('div', { class: 'turn-tools' }, this.#pager.element, copyButton, this.#regenerate, this.#usage);
    this.element = h(
      'article',
      { class: 'turn answer', label: answer.endpoint },
      h('div', { class: 'author' }, icon('sparkle'), h('span', {}, answer.endpoint)),
      this.#choiceBar,
      this.#reasoning.element,
      this.#markdown.element,
      this.#rest,
      this.#toolCalls.element,
      this.#progress.element,
      this.#logprobs.element,
      this.#outcome,
      this.#tools,
    );
  }

  /** @returns milliseconds after which the rest wants to be drawn, or 0 */
  update(
    turn: Turn,
    variants: readonly Turn[],
    isBusy: boolean,
    isLast: boolean,
    untilMs: number,
    wait?: ViewState['wait'],
  ): number {
    if (turn.role !== 'assistant') return 0;
    this.#answer = turn;
    const choice = shownChoice(turn);
    const isStreaming = turn.status === 'streaming';
    this.element.classList.toggle('streaming', isStreaming);
    if (choice && choice.choice !== this.#drawnChoice) this.#showChoice(choice);
    this.#drawChoices(turn.choices, choice);
    const text = choice?.text ?? '';
    const isCut = text.length > maxShownLength;
    const waitInMs = this.#markdown.update(isCut ? text.slice(0, maxShownLength) : text, !isStreaming, untilMs);
    setHidden(this.#rest, !isCut);
    this.#reasoning.update(choice?.reasoning ?? '', isStreaming && text === '' && choice?.toolCalls.length === 0);
    this.#toolCalls.update(turn, choice, isLast);
    this.#logprobs.update(choice?.logprobs ?? []);
    this.#progress.update(turn, choice, isStreaming ? wait : undefined);
    this.#showWriting();
    this.#tickWhile(isStreaming);
    this.#drawOutcome(turn, choice);
    setHidden(this.#tools, isStreaming);
    this.#pager.update(turn, variants);
    this.#isBusy = isBusy;
    // Not `disabled`, which would throw the focus away.
    this.#regenerate.setAttribute('aria-disabled', String(isBusy));
    if (!isStreaming) this.#drawUsage(turn);
    return waitInMs;
  }

  /** Seconds go on where no word comes. */
  #tickWhile(isStreaming: boolean): void {
    if (!isStreaming) {
      window.clearInterval(this.#ticking);
      this.#ticking = 0;
    } else if (this.#ticking === 0) {
      this.#ticking = window.setInterval(() => {
        this.#tickWhile(this.#answer.status === 'streaming' && this.element.isConnected);
        this.#progress.tick();
        this.#reasoning.tick();
        this.#showWriting();
      }, 1000);
    }
  }

  /** The caret moves while words come, and stands still when they stop. */
  #showWriting(): void {
    this.element.classList.toggle('writing', this.#progress.isWriting);
  }

  #showChoice(choice: Choice): void {
    this.#drawnChoice = choice.choice;
    const next = new MarkdownView(this.#actions);
    this.#markdown.element.replaceWith(next.element);
    this.#markdown = next;
  }

  #drawChoices(choices: readonly Choice[], shown: Choice | undefined): void {
    setHidden(this.#choiceBar, choices.length < 2);
    if (choices.length < 2) return;
    if (this.#choiceBar.childElementCount !== choices.length) {
      this.#choiceBar.replaceChildren(
        ...choices.map((choice, position) =>
          h(
            'button',
            {
              class: 'choice',
              label: strings.choiceOf(position + 1, choices.length),
              onClick: () => this.#actions.selectChoice(this.#answer.id, choice.choice),
            },
            String(position + 1),
          ),
        ),
      );
    }
    [...this.#choiceBar.children].forEach((button, position) => {
      button.setAttribute('aria-pressed', String(choices[position]?.choice === shown?.choice));
    });
  }

  #drawUsage(answer: Answer): void {
    const durationInMs = answer.endedAtMs === undefined ? undefined : answer.endedAtMs - answer.createdAtMs;
    setText(this.#usage, formatUsage(answer.usage));
    this.#usage.title =
      durationInMs === undefined
        ? strings.usageTitle
        : `${strings.usageTitle}\n${strings.took(formatLength(durationInMs))}`;
  }

  #drawOutcome(answer: Answer, choice: Choice | undefined): void {
    const state = JSON.stringify([answer.status, answer.failure, choice?.finishReason, choice?.text === '']);
    if (state === this.#outcomeState) return;
    this.#outcomeState = state;
    const retry = { label: strings.retry, run: () => this.#actions.regenerate(answer.id) };
    const outcome = this.#outcome;
    outcome.replaceChildren();
    if (answer.status === 'stopped') outcome.append(h('div', { class: 'mark stopped' }, icon('stop'), strings.stopped));
    if (answer.status === 'cutOff') {
      outcome.append(h('div', { class: 'mark cut-off' }, icon('warning'), strings.cutOff));
      if (answer.failure) outcome.append(failureCard(answer.failure, 'warning', retry));
    }
    if (answer.status === 'failed' && answer.failure) outcome.append(failureCard(answer.failure, 'error', retry));
    if (answer.status === 'done') {
      const note = noteFor(choice);
      if (note !== undefined) outcome.append(h('div', { class: 'mark' }, icon('warning'), note));
    }
  }
}

/** What has to be said about an answer that ended by itself; nothing for the ordinary ends. */
function noteFor(choice: Choice | undefined): string | undefined {
  switch (choice?.finishReason) {
    case 'length':
      return strings.lengthReached;
    case 'content_filter':
      return strings.filtered;
    case 'tool_calls':
      return undefined;
    case '':
      return strings.noReason;
    case 'stop':
    case undefined:
      return choice && choice.text === '' && choice.toolCalls.length === 0 ? strings.emptyAnswer : undefined;
    default:
      return strings.otherReason((choice?.finishReason ?? '').slice(0, 100));
  }
}
