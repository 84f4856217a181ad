import type { ViewState } from '../protocol.ts';
import { h, setHidden } from './dom.ts';
import { formatLastUse } from './shortTexts.ts';
import { strings } from './strings.ts';

/** What an empty conversation shows: what this is, prompts to start with, and the conversations before. */
export class EmptyState {
  readonly element = h('div', { class: 'empty' });
  readonly #actions: { suggest(prompt: string): void; open(id: string): void; showAll(): void };
  #drawn = '';

  constructor(actions: { suggest(prompt: string): void; open(id: string): void; showAll(): void }) {
    this.#actions = actions;
  }

  update(view: ViewState, isShown: boolean): void {
    setHidden(this.element, !isShown);
    const state = JSON.stringify([view.profile.name, view.suggestions, view.recent]);
    if (!isShown || state === this.#drawn) return;
    this.#drawn = state;
    this.element.replaceChildren(
      h('h2', {}, strings.emptyTitle),
      h('p', {}, strings.emptyText(view.profile.name)),
      h(
        'div',
        { class: 'suggestions', role: 'group', label: strings.suggestions },
        ...view.suggestions.map((suggestion) =>
          h(
            'button',
            { class: 'suggestion', onClick: () => this.#actions.suggest(suggestion.prompt) },
            suggestion.title,
            h('span', { class: 'suggestion-prompt' }, suggestion.prompt),
          ),
        ),
      ),
      ...(view.recent.length === 0
        ? []
        : [
            h(
              'section',
              { class: 'recent', label: strings.recent },
              h(
                'div',
                { class: 'recent-head' },
                h('h3', {}, strings.recent),
                h('button', { class: 'link-button', onClick: () => this.#actions.showAll() }, strings.showAll),
              ),
              ...view.recent.map((conversation) =>
                h(
                  'button',
                  {
                    class: `recent-item${conversation.isUnread ? ' unread' : ''}`,
                    onClick: () => this.#actions.open(conversation.id),
                  },
                  h('span', { class: 'recent-title' }, conversation.title || strings.untitled),
                  h('span', { class: 'recent-age' }, stateOf(conversation)),
                ),
              ),
            ),
          ]),
    );
  }
}

function stateOf({ isWriting, isUnread, updatedAtMs }: ViewState['recent'][number]): string {
  if (isWriting) return strings.isWriting;
  return isUnread ? strings.isUnread : formatLastUse(updatedAtMs, Date.now());
}
