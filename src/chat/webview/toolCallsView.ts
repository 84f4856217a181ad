import { shortened } from '../../shared/text.ts';
import { h } from '../../shared/webview/dom.ts';
import { toolCallId, type Answer, type Choice, type ToolCall } from '../conversation.ts';
import type { ToolResult } from '../conversationEvent.ts';
import type { ViewState } from '../protocol.ts';
import { icon } from './icons.ts';
import { strings } from './strings.ts';
import type { ViewActions } from './viewActions.ts';

/** Maximum tool calls shown, more than any model makes. */
const maxCalls = 100;
const maxShownArguments = 20_000;
/** Maximum characters of the arguments in the row of a call. */
const maxGiven = 60;
const toolIcons = { done: 'pass', failed: 'error', declined: 'info' } as const;

/** Shows the tool calls of an answer. The host runs those of built-in functions, the view never does; the user can enter any result. */
export class ToolCallsView {
  readonly element = h('div', { class: 'tool-calls' });
  readonly #actions: ViewActions;
  #drawn = '';

  constructor(actions: ViewActions) {
    this.#actions = actions;
  }

  update(
    answer: Answer,
    choice: Choice | undefined,
    isLast: boolean,
    tools: ViewState['tools'],
    results: readonly ToolResult[] = [],
  ): void {
    const calls = (choice?.toolCalls ?? []).slice(0, maxCalls);
    const isOpen = isLast && answer.status === 'done' && calls.length > 0;
    const isUnderWay = isOpen && tools.isUnderWay;
    const isBuiltIn = isOpen && calls.every(({ name }) => tools.names.includes(name));
    const offer = isOpen && tools.offer?.answerId === answer.id ? tools.offer : undefined;
    // The arguments of a choice only grow, so their length detects changes.
    const state = JSON.stringify([
      choice?.choice,
      calls.map((call) => [call.id, call.name, call.arguments.length]),
      [isOpen, isUnderWay, isBuiltIn, offer],
      results.map(({ toolCallId: id }) => id),
    ]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    const left = [...results];
    const byHand = isOpen && !isUnderWay ? this.#byHand(answer, calls) : undefined;
    this.element.replaceChildren(
      ...calls.map((call) => {
        // Some models give several calls the same id: the results are in the order of the calls.
        const at = left.findIndex((each) => each.toolCallId === toolCallId(answer, call));
        const [result] = at === -1 ? [] : left.splice(at, 1);
        return result ? this.#answered(call, result) : callElement(call, isUnderWay);
      }),
      ...left.map((result) => this.#answered({ name: result.name ?? result.toolCallId, arguments: '' }, result)),
      ...(offer ? [this.#offer(offer)] : []),
      ...(isBuiltIn && !isUnderWay && !tools.offer ? [this.#runButton(answer)] : []),
      ...(byHand ? [isBuiltIn ? folded(byHand) : byHand] : []),
    );
  }

  /** Returns one row with a call and its result; the runs in the result can be opened. */
  #answered(call: Pick<ToolCall, 'name' | 'arguments'>, { content, runs = [] }: ToolResult): HTMLElement {
    const how = content.startsWith('{"error"') ? 'failed' : content.startsWith('{"declined"') ? 'declined' : 'done';
    const label = strings.toolResult(call.name);
    return h(
      'div',
      { class: 'tool-result' },
      h(
        'details',
        { class: `tool-call ${how}` },
        h(
          'summary',
          {},
          icon(toolIcons[how]),
          strings.toolEnd[how](call.name),
          h('span', { class: 'size' }, given(call)),
        ),
        call.arguments && textElement(strings.toolCall(call.name), call.arguments),
        textElement(label, content),
      ),
      runs.length > 0 &&
        h(
          'div',
          { class: 'run-links' },
          ...runs.map((run) =>
            h(
              'button',
              { class: 'run-link', title: strings.openRun(run.label), onClick: () => this.#actions.openRun(run) },
              run.isBad === true && icon('error'),
              run.label,
            ),
          ),
        ),
    );
  }

  /** Shows the changes that would be made and asks for the user's confirmation. */
  #offer({ answerId, changes }: NonNullable<ViewState['tools']['offer']>): HTMLElement {
    return h(
      'div',
      { class: 'tool-offer', role: 'group', label: changes.join(' ') },
      ...changes.map((change) => h('div', { class: 'tool-change' }, icon('question'), h('span', {}, change))),
      h(
        'div',
        { class: 'buttons' },
        h('button', { class: 'button', onClick: () => this.#actions.runTools(answerId, true) }, strings.allow),
        h(
          'button',
          { class: 'button secondary', onClick: () => this.#actions.runTools(answerId, false) },
          strings.decline,
        ),
      ),
    );
  }

  /** Returns a button for calls that did not run automatically: stopped, or from a window that was closed meanwhile. */
  #runButton({ id }: Answer): HTMLElement {
    return h(
      'div',
      { class: 'buttons' },
      h('button', { class: 'button', onClick: () => this.#actions.runTools(id, false) }, strings.runTools),
    );
  }

  #byHand(answer: Answer, calls: readonly ToolCall[]): HTMLElement {
    const begun = this.#actions.begunResults(answer.id);
    const inputs = calls.map((call) =>
      h('textarea', {
        class: 'edit-input',
        label: strings.toolResult(call.name),
        attributes: { rows: '2', placeholder: strings.toolResult(call.name) },
      }),
    );
    for (const [index, input] of inputs.entries()) {
      input.value = begun[index] ?? '';
      input.addEventListener('input', () =>
        this.#actions.keepResults(
          answer.id,
          inputs.map(({ value }) => value),
        ),
      );
    }
    const send = (isEmptyMeant: boolean): void => {
      for (const input of inputs) input.setAttribute('aria-invalid', String(input.value === ''));
      const empty = isEmptyMeant ? undefined : inputs.find(({ value }) => value === '');
      if (empty) {
        // A function may return nothing, but a second click on the same button must not send an empty result.
        buttons.append(sendEmpty);
        return empty.focus();
      }
      this.#actions.sendToolResults(
        calls.map((call, index) => ({
          toolCallId: toolCallId(answer, call),
          name: call.name,
          content: inputs[index]?.value ?? '',
        })),
      );
    };
    const sendEmpty = h('button', { class: 'button secondary', onClick: () => send(true) }, strings.sendEmpty);
    const buttons = h(
      'div',
      { class: 'buttons' },
      h('button', { class: 'button', onClick: () => send(false) }, strings.sendResults),
    );
    return h('div', { class: 'tool-answers' }, ...inputs, buttons);
  }
}

function folded(byHand: HTMLElement): HTMLElement {
  return h('details', { class: 'tool-by-hand' }, h('summary', {}, strings.byHand), byHand);
}

function callElement(call: ToolCall, isUnderWay: boolean): HTMLElement {
  return h(
    'details',
    { class: `tool-call${isUnderWay ? ' under-way' : ''}` },
    h('summary', {}, icon('tools'), isUnderWay ? strings.toolUnderWay(call.name) : strings.toolCall(call.name)),
    textElement(strings.toolCall(call.name), call.arguments),
  );
}

function textElement(label: string, text: string): HTMLElement {
  return h('pre', { attributes: { tabindex: '0' }, role: 'group', label }, pretty(text));
}

/** Returns a short form of a call's arguments. */
function given({ arguments: text }: Pick<ToolCall, 'arguments'>): string {
  try {
    return Object.values(JSON.parse(text) as object)
      .filter((value) => value !== null && typeof value !== 'object')
      .join(', ')
      .slice(0, maxGiven);
  } catch {
    return '';
  }
}

function pretty(text: string): string {
  if (text.length > maxShownArguments) return shortened(text, maxShownArguments);
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text; // Still arriving, or not JSON: shown unchanged.
  }
}
