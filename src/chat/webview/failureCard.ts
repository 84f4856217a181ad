import type { Failure } from '../conversationEvent.ts';
import { h } from './dom.ts';
import { icon } from './icons.ts';

/** What happened, what to do next, and the buttons to do it. */
export function failureCard(
  failure: Failure,
  severity: 'error' | 'warning',
  ...buttons: { label: string; run(): void }[]
): HTMLElement {
  return h(
    'div',
    { class: `card ${severity}` },
    icon(severity),
    h(
      'div',
      { class: 'card-body' },
      h('div', { class: 'card-message' }, failure.message),
      failure.remedy !== undefined && h('div', { class: 'card-remedy' }, failure.remedy),
      buttons.length > 0 &&
        h(
          'div',
          { class: 'buttons' },
          ...buttons.map((button) =>
            h('button', { class: 'button secondary', onClick: () => button.run() }, button.label),
          ),
        ),
    ),
  );
}
