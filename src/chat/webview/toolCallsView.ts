import type { Answer, Choice, ToolCall } from '../conversation.ts';
import { h } from './dom.ts';
import { icon } from './icons.ts';
import { strings } from './strings.ts';
import type { ViewActions } from './viewActions.ts';

/** More than any model makes, and more than anybody answers. */
const maxCalls = 100;
const maxShownArguments = 20_000;

/** The tool calls of an answer. They are never run by the view: the user gives the results. */
export class ToolCallsView {
  readonly element = h('div', { class: 'tool-calls' });
  readonly #actions: ViewActions;
  #drawn = '';

  constructor(actions: ViewActions) {
    this.#actions = actions;
  }

  update(answer: Answer, choice: Choice | undefined, isLast: boolean): void {
    const calls = (choice?.toolCalls ?? []).slice(0, maxCalls);
    const asksForResults = isLast && answer.status === 'done' && calls.length > 0;
    // The arguments of one choice only grow: their length tells whether there are more.
    const state = JSON.stringify([
      choice?.choice,
      calls.map((call) => [call.id, call.name, call.arguments.length]),
      asksForResults,
    ]);
    if (state === this.#drawn) return;
    this.#drawn = state;
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
    const send = (): void =>
      this.#actions.sendToolResults(
        calls.map((call, index) => ({
          toolCallId: call.id || `call_${answer.id}_${call.index}`,
          content: inputs[index]?.value ?? '',
        })),
      );
    this.element.replaceChildren(
      ...calls.map((call, index) =>
        h(
          'div',
          { class: 'tool-call' },
          h('div', { class: 'tool-call-name' }, icon('tools'), strings.toolCall(call.name)),
          h('pre', { attributes: { tabindex: '0' }, role: 'group', label: strings.toolCall(call.name) }, pretty(call)),
          asksForResults && inputs[index],
        ),
      ),
      ...(asksForResults
        ? [h('div', { class: 'buttons' }, h('button', { class: 'button', onClick: send }, strings.sendResults))]
        : []),
    );
  }
}

function pretty(call: ToolCall): string {
  if (call.arguments.length > maxShownArguments) return `${call.arguments.slice(0, maxShownArguments)}…`;
  try {
    return JSON.stringify(JSON.parse(call.arguments), undefined, 2);
  } catch {
    return call.arguments; // Still arriving, or not JSON: shown as it came.
  }
}
