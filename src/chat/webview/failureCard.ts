import { h } from '../../shared/webview/dom.ts';
import type { Failure } from '../conversationEvent.ts';
import { icon } from './icons.ts';
import { strings } from './strings.ts';

export interface CardButton {
  readonly label: string;
  /** Whether this button fixes the cause. */
  readonly isMain?: boolean;
  run(): void;
}

/** Returns a card with what happened, what to do next, the buttons to do it, and the original messages as collapsed details. */
export function failureCard(failure: Failure, severity: 'error' | 'warning', ...buttons: CardButton[]): HTMLElement {
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
            h(
              'button',
              { class: button.isMain ? 'button' : 'button secondary', onClick: () => button.run() },
              button.label,
            ),
          ),
        ),
      failure.details !== undefined && detailsOf(h('pre', {}, failure.details)),
    ),
  );
}

/** Returns the original messages, collapsed. */
export function detailsOf(words: HTMLElement): HTMLElement {
  words.setAttribute('aria-label', strings.details);
  words.setAttribute('role', 'group');
  words.setAttribute('tabindex', '0');
  return h('details', { class: 'details' }, h('summary', {}, strings.details), words);
}
