import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import { type Answer, type Choice, shownChoice, type totalUsage, type Turn } from '../conversation.ts';
import type { PlaygroundTask, ToolResult } from '../conversationEvent.ts';
import { splitThoughts } from '../conversationThoughts.ts';
import { resultText } from '../playground.ts';
import type { ViewState } from '../protocol.ts';
import { AnswerLinks } from './answerLinks.ts';
import { type CardButton, failureCard } from './failureCard.ts';
import { copyButton, icon, iconButton, type IconName } from './icons.ts';
import { askedJson, looksLikeJson } from './json/jsonAnswer.ts';
import { JsonView } from './json/jsonView.ts';
import { LogprobsView } from './logprobsView.ts';
import { MarkdownView } from './markdown/markdownView.ts';
import { ProgressView } from './progressView.ts';
import { ReasoningView } from './reasoningView.ts';
import { ResultsView } from './resultsView.ts';
import { formatCount, formatLength, formatPace, formatUsage } from './shortTexts.ts';
import { strings } from './strings.ts';
import { ToolCallsView } from './toolCallsView.ts';
import type { ViewActions } from './viewActions.ts';

/** Maximum characters of an answer shown in the view; the whole answer can be opened in an editor. */
const maxShownLength = 1_000_000;

/** State that the rendering of a message depends on, besides the message itself. */
export interface TurnDrawing extends Pick<ViewState, 'wait' | 'tools'> {
  /** All variants of the message. */
  readonly variants: readonly Turn[];
  /** Results of its calls. */
  readonly results?: readonly ToolResult[];
  /** Whether an answer is being written or calls are running. */
  readonly isBusy: boolean;
  readonly isLast: boolean;
  /** Deadline by `performance.now()`: what is not drawn by then waits for the next frame. */
  readonly untilMs: number;
  /** Total usage of the whole conversation. */
  readonly total?: ReturnType<typeof totalUsage>;
  /** The inputs that a playground answer belongs to. */
  readonly inputs?: readonly string[];
}

/** Shows an answer: streamed Markdown, tool calls, how it ended, its usage, and its actions. */
export class AnswerView {
  readonly element: HTMLElement;
  readonly #actions: ViewActions;
  readonly #choiceBar = h('div', { class: 'choices', role: 'group', label: strings.alternatives });
  readonly #reasoning = new ReasoningView();
  readonly #progress: ProgressView;
  readonly #rest: HTMLElement;
  #ticking = 0;
  readonly #toolCalls: ToolCallsView;
  /** Shown instead of the text in a playground. */
  readonly #results: ResultsView | undefined;
  readonly #task: PlaygroundTask | undefined;
  readonly #links: AnswerLinks;
  readonly #logprobs = new LogprobsView();
  readonly #outcome = h('div', { class: 'outcome' });
  readonly #tools: HTMLElement;
  readonly #told = h('span', { class: 'told' });
  readonly #by = h('span', {});
  readonly #toldMore = h('span', { class: 'usage-more' });
  readonly #usage = h('span', { class: 'usage', title: strings.usageTitle }, this.#by, this.#told, this.#toldMore);
  readonly #pager: VariantPager;
  readonly #regenerate: HTMLButtonElement;
  #markdown: MarkdownView;
  readonly #json: JsonView;
  /** Whether the text is shown as code. */
  #isCode = false;
  #answer: Answer;
  #drawnChoice = -1;
  #outcomeState = '';
  /** The answer without the reasoning before it. */
  #text = '';
  #isBusy = false;

  constructor(answer: Answer, actions: ViewActions, task?: PlaygroundTask) {
    this.#answer = answer;
    this.#actions = actions;
    this.#toolCalls = new ToolCallsView(actions);
    this.#links = new AnswerLinks(actions);
    this.#progress = new ProgressView(
      actions,
      () => actions.regenerate(this.#answer.id),
      () => actions.askElsewhere(this.#answer.id),
    );
    this.#rest = h(
      'div',
      { class: 'mark' },
      strings.cutText(formatCount(maxShownLength)),
      h('button', { class: 'link-button', onClick: () => actions.newFile(this.#text, 'markdown') }, strings.openWhole),
    );
    this.#rest.hidden = true;
    this.#markdown = new MarkdownView(actions);
    this.#task = task;
    this.#results = task && new ResultsView(task, (text) => actions.copy(text));
    this.#json = new JsonView(actions, () => this.#markdown.element);
    this.#pager = new VariantPager((id) => actions.selectVariant(id));
    this.#regenerate = iconButton('refresh', strings.regenerate, () => {
      if (!this.#isBusy) actions.regenerate(answer.id);
    });
    this.#tools = h(
      'div',
      { class: 'turn-tools' },
      copyButton(strings.copy, () => actions.copy(this.#text)),
      this.#regenerate,
      ...(answer.isLookUp ? [] : [iconButton('more', strings.more, () => actions.more(answer.id))]),
      this.#pager.element,
      this.#usage,
    );
    this.element = h(
      'article',
      { class: 'turn answer', label: answer.endpoint },
      this.#choiceBar,
      this.#reasoning.element,
      this.#json.element,
      this.#markdown.element,
      this.#results?.element,
      this.#rest,
      this.#links.element,
      this.#links.actions,
      this.#toolCalls.element,
      this.#progress.element,
      this.#logprobs.element,
      this.#outcome,
      this.#tools,
    );
  }

  /**
   * Redraws the answer.
   * @returns milliseconds after which to draw the rest, or 0
   */
  update(turn: Turn, drawing: TurnDrawing): number {
    const { variants, isBusy, isLast, wait, total, inputs = [] } = drawing;
    if (turn.role !== 'assistant') return 0;
    this.#answer = turn;
    const choice = shownChoice(turn);
    const isStreaming = turn.status === 'streaming';
    this.element.classList.toggle('streaming', isStreaming);
    let waitInMs = 0;
    if (this.#task && this.#results) {
      this.#results.update(turn, inputs);
      this.#logprobs.update([]);
      this.#text = isStreaming ? '' : resultText(this.#task, turn);
    } else waitInMs = this.#drawMessage(turn, choice, drawing);
    this.#progress.update(turn, choice, isStreaming ? wait : undefined);
    this.#showWriting();
    this.#tickWhile(isStreaming);
    this.#drawOutcome(turn, choice, isLast);
    // A turn that only called functions has no answer to act on; the turn after the results has one.
    setHidden(this.#tools, isStreaming || (!isLast && this.#text === '' && (choice?.toolCalls.length ?? 0) > 0));
    this.#pager.update(turn, variants);
    this.#isBusy = isBusy;
    // Not `disabled`, which would remove the focus.
    this.#regenerate.setAttribute('aria-disabled', String(isBusy));
    // A look-up has no tokens and takes no time.
    if (turn.isLookUp) setText(this.#by, turn.endpoint);
    else if (!isStreaming) this.#drawUsage(turn, total);
    return waitInMs;
  }

  #drawMessage(turn: Answer, choice: Choice | undefined, { isLast, untilMs, tools, results }: TurnDrawing): number {
    const isStreaming = turn.status === 'streaming';
    if (choice && choice.choice !== this.#drawnChoice) this.#showChoice(choice);
    this.#drawChoices(turn.choices, choice);
    const { thought, text } = splitThoughts(choice?.text ?? '');
    this.#text = text;
    const isCut = text.length > maxShownLength;
    const waitInMs = this.#drawText(isCut ? text.slice(0, maxShownLength) : text, !isStreaming, untilMs);
    setHidden(this.#rest, !isCut);
    this.#reasoning.update(
      (choice?.reasoning ?? '') + thought,
      isStreaming && text === '' && choice?.toolCalls.length === 0,
    );
    this.#toolCalls.update(turn, choice, isLast, tools, results);
    this.#logprobs.update(choice?.logprobs ?? []);
    this.#links.update(turn.links, isLast);
    return waitInMs;
  }

  /** Draws JSON as code while it arrives, and as a tree when it is complete. */
  #drawText(text: string, isDone: boolean, untilMs: number): number {
    const asked = askedJson(this.#answer.parameters);
    const isCode = looksLikeJson(text, asked !== undefined);
    if (isCode !== this.#isCode) this.#beginText();
    this.#isCode = isCode;
    const waitInMs = this.#markdown.update(isCode ? `\`\`\`json\n${text}` : text, isDone, untilMs);
    if (isDone && text !== '' && this.#answer.status === 'done') this.#json.update(text, asked);
    else this.#json.hide();
    return waitInMs;
  }

  /** Keeps counting seconds while no text arrives. */
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

  /** Animates the caret while text arrives and stops it when the text pauses. */
  #showWriting(): void {
    this.element.classList.toggle('writing', this.#progress.isWriting);
  }

  #showChoice(choice: Choice): void {
    this.#drawnChoice = choice.choice;
    this.#beginText();
  }

  #beginText(): void {
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

  #drawUsage(
    { endpoint, parameters, status, createdAtMs, firstAtMs, endedAtMs, usage }: Answer,
    total: ReturnType<typeof totalUsage> | undefined,
  ): void {
    const whole = endedAtMs === undefined ? undefined : endedAtMs - createdAtMs;
    // An answer that arrives in one piece has no time of its first word.
    const isWhole = this.#task === 'embedding' || parameters?.['stream'] === false;
    const first = firstAtMs === undefined || isWhole ? undefined : firstAtMs - createdAtMs;
    const [tokens = '', ...pace] = formatPace(usage, { first, whole }, this.#actions.contextLength(endpoint));
    // An unfinished answer has no usage either; how it ended is shown above.
    const told = [...(usage || status === 'done' ? [tokens] : []), ...pace.slice(0, 1)].join(', ');
    const all = total && total.count > 1 ? total : undefined;
    const ofAll = all ? [strings.usageOfAll(formatCount(all.usage.total_tokens ?? 0))] : [];
    setText(this.#by, told === '' ? endpoint : `${endpoint} · `);
    setText(this.#told, told);
    const more = pace.slice(1);
    setText(this.#toldMore, [more.map((part) => `, ${part}`).join(''), ...ofAll].join(' · '));
    this.#usage.title = [
      ...(whole === undefined ? [] : [formatUsage(usage)]),
      strings.usageTitle,
      ...(whole === undefined ? [] : [[strings.took(formatLength(whole)), ...more].join(', ')]),
      ...(all ? [strings.usageOfConversation(formatUsage(all.usage), formatCount(all.count))] : []),
    ].join('\n');
  }

  /** Shows once how the answer ended, with the possible actions. */
  #drawOutcome(answer: Answer, choice: Choice | undefined, isLast: boolean): void {
    const state = JSON.stringify([answer.status, answer.failure, choice?.finishReason, choice?.text === '', isLast]);
    if (state === this.#outcomeState) return;
    this.#outcomeState = state;
    this.#outcome.replaceChildren(...this.#outcomeOf(answer, choice, isLast));
  }

  #outcomeOf(answer: Answer, choice: Choice | undefined, isLast: boolean): HTMLElement[] {
    const { id, status, failure, createdAtMs, endedAtMs } = answer;
    const askAgain: CardButton = { label: strings.retry, run: () => this.#actions.regenerate(id) };
    const goOn: CardButton[] =
      isLast && choice?.text && !this.#task
        ? [{ label: strings.continueAnswer, run: () => this.#actions.ask(strings.continuePrompt) }]
        : [];
    const isEmpty = !choice?.text && !choice?.toolCalls.length;
    const show: CardButton = { label: strings.showExchange, run: () => this.#actions.more(id, true) };
    switch (status) {
      case 'stopped':
        return [mark('stopped', 'stop', strings.stopped(formatLength((endedAtMs ?? createdAtMs) - createdAtMs)), goOn)];
      case 'cutOff': {
        // Show in full why the server ended the answer, since it appears nowhere else.
        if (failure?.kind === 'server')
          return [failureCard(failure, 'warning', ...this.#remediesOf(answer, askAgain), ...goOn)];
        const { message = strings.cutOffUnknown, details } = failure ?? {};
        const buttons = [...goOn, askAgain, ...(isEmpty ? [show] : [])];
        const line = mark('cut-off', 'warning', strings.cutOff(message), buttons);
        if (details !== undefined) line.title = details;
        return [line];
      }
      case 'failed':
        return failure ? [failureCard(failure, 'error', ...this.#remediesOf(answer, askAgain))] : [];
      case 'done': {
        if (choice?.finishReason === 'length') return [mark('', 'info', this.#lengthNote(), goOn)];
        const note = noteFor(choice) ?? (choice && isEmpty ? strings.emptyAnswer : undefined);
        return note === undefined ? [] : [mark('', 'info', note, isEmpty ? [show] : [])];
      }
      default:
        return [];
    }
  }

  #remediesOf({ id, failure }: Answer, askAgain: CardButton): CardButton[] {
    const elsewhere = { label: strings.otherEndpoint, run: () => this.#actions.askElsewhere(id) };
    if (failure?.kind === 'unauthenticated')
      return [{ label: strings.signIn, isMain: true, run: () => this.#actions.signIn() }, askAgain];
    if (failure?.kind === 'modelKey')
      return [{ label: strings.setKey, isMain: true, run: () => this.#actions.setKey(id) }, askAgain, elsewhere];
    // Retrying is pointless if the endpoint is missing or forbidden.
    return failure?.kind === 'notFound' || failure?.kind === 'forbidden'
      ? [{ ...elsewhere, isMain: true }, askAgain]
      : [{ ...askAgain, isMain: true }, elsewhere];
  }

  #lengthNote(): string {
    const limit = this.#actions.maxTokens();
    return limit === undefined ? strings.lengthReached : strings.lengthReachedAt(formatCount(limit));
  }
}

/** Returns one line with what happened and the buttons. */
function mark(kind: string, name: IconName, text: string, buttons: readonly CardButton[]): HTMLElement {
  return h(
    'div',
    { class: `mark ${kind}` },
    icon(name),
    h(
      'span',
      {},
      text,
      ...buttons.flatMap(({ label, run }) => [' ', h('button', { class: 'link-button', onClick: run }, label)]),
    ),
  );
}

/** Returns the note for an answer that ended by itself, or `undefined` for the ordinary ends. */
function noteFor(choice: Choice | undefined): string | undefined {
  switch (choice?.finishReason) {
    case 'content_filter':
      return strings.filtered;
    case 'tool_calls':
    case 'function_call':
    case 'stop':
    case undefined:
      return undefined;
    case '':
      return strings.noReason;
    default:
      return strings.otherReason((choice?.finishReason ?? '').slice(0, 100));
  }
}

/** Pager "‹ 1/2 ›" that switches between the variants of a turn. */
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
