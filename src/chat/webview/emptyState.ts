import { formatLastUse } from '../../shared/dateTimeFormat.ts';
import { h, setHidden } from '../../shared/webview/dom.ts';
import type { ViewState } from '../protocol.ts';
import { icon } from './icons.ts';
import { language } from './shortTexts.ts';
import { strings } from './strings.ts';

interface Actions {
  suggest(suggestion: ViewState['suggestions'][number]): void;
  open(id: string): void;
  showAll(): void;
  takeRoom(way: 'tab' | 'sideBar' | 'none'): void;
}

/** Content of an empty conversation: an introduction, suggested prompts, and earlier conversations. */
export class EmptyState {
  readonly element = h('div', { class: 'empty' });
  readonly #actions: Actions;
  #drawn = '';

  constructor(actions: Actions) {
    this.#actions = actions;
  }

  update(view: ViewState, isShown: boolean): void {
    setHidden(this.element, !isShown);
    const state = JSON.stringify([
      view.profile.name,
      view.suggestions,
      view.recent,
      view.offersRoom,
      view.task,
      view.isLookUp,
    ]);
    if (!isShown || state === this.#drawn) return;
    this.#drawn = state;
    this.element.replaceChildren(
      h('h2', {}, view.task ? strings.playgroundTitle[view.task] : strings.emptyTitle),
      h(
        'p',
        {},
        view.task
          ? strings.playgroundText[view.task]
          : view.isLookUp
            ? strings.emptyLookUp
            : strings.emptyText(view.profile.name),
      ),
      ...(view.task
        ? []
        : [
            ...this.#suggestions(strings.now, view.suggestions.filter(isTimely)),
            ...this.#suggestions(
              strings.suggestions,
              view.suggestions.filter((each) => !isTimely(each)),
            ),
          ]),
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
      // A tab already has enough room.
      ...(view.offersRoom && document.body.getAttribute('data-tab') === null ? [this.#room()] : []),
    );
  }

  #suggestions(label: string, suggestions: ViewState['suggestions']): HTMLElement[] {
    if (suggestions.length === 0) return [];
    const buttons = suggestions.map((suggestion) =>
      h(
        'button',
        { class: 'suggestion', onClick: () => this.#actions.suggest(suggestion) },
        suggestion.icon && icon(suggestion.icon),
        h(
          'span',
          { class: 'suggestion-text' },
          suggestion.title,
          h('span', { class: 'suggestion-prompt' }, suggestion.prompt),
        ),
        suggestion.deed !== undefined && h('span', { class: 'suggestion-deed' }, suggestion.deed),
      ),
    );
    return [h('section', { class: 'suggestions', label }, h('h3', {}, label), ...buttons)];
  }

  #room(): HTMLElement {
    const button = (text: string, way: Parameters<Actions['takeRoom']>[0]): HTMLElement =>
      h('button', { class: 'link-button', onClick: () => this.#actions.takeRoom(way) }, text);
    return h(
      'p',
      { class: 'room' },
      strings.room,
      button(strings.roomSideBar, 'sideBar'),
      button(strings.roomTab, 'tab'),
      button(strings.roomNone, 'none'),
    );
  }
}

function isTimely(suggestion: ViewState['suggestions'][number]): boolean {
  return suggestion.icon !== undefined;
}

function stateOf({ isWriting, isUnread, updatedAtMs }: ViewState['recent'][number]): string {
  if (isWriting) return strings.isWriting;
  return isUnread ? strings.isUnread : formatLastUse(updatedAtMs, Date.now(), language);
}

/** Returns the content of the view while the chat is in an editor tab. */
export function besideTab(goToTab: () => void): HTMLElement {
  return h(
    'main',
    { class: 'messages' },
    h('p', {}, strings.isInTab),
    h('button', { class: 'button', onClick: goToTab }, strings.goToTab),
  );
}
