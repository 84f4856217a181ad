import { h, setHidden } from '../../shared/webview/dom.ts';
import type { ViewState } from '../protocol.ts';
import { iconButton } from './icons.ts';
import { strings } from './strings.ts';

export interface QueueActions {
  sendQueued(): void;
  takeBack(id: string, edit: boolean): void;
}

/** Shows the queued messages above the prompt; each can be removed. */
export class QueueView {
  readonly element = h('div', { class: 'queue', role: 'group', label: strings.queue });
  readonly #actions: QueueActions;
  #drawn = '';

  constructor(actions: QueueActions) {
    this.#actions = actions;
  }

  update({ queue, tools, otherProfile }: ViewState, isStreaming: boolean): void {
    // Calls to decide about and another profile have cards of their own.
    const isFree = !isStreaming && !tools.offer && otherProfile === undefined;
    const isHeld = isFree && queue.some(({ isNext }) => isNext);
    const state = JSON.stringify([queue, isStreaming, isHeld]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    setHidden(this.element, queue.length === 0);
    this.element.replaceChildren(
      ...(isHeld ? [h('div', { class: 'queue-held' }, strings.queueHeld)] : []),
      ...queue.map(({ id, text, labels, isNext }, position) =>
        h(
          'div',
          { class: 'queued' },
          h('span', { class: 'queued-place' }, isStreaming && isNext ? strings.queuedNext : strings.queuedLater),
          h('span', { class: 'queued-text', title: text }, [...labels, text].filter(Boolean).join(', ')),
          position === 0 &&
            iconButton('send', isStreaming ? strings.sendInPlace : strings.sendQueued, () =>
              this.#actions.sendQueued(),
            ),
          iconButton('edit', strings.takeBack, () => this.#actions.takeBack(id, true)),
          iconButton('close', strings.dropQueued, () => this.#actions.takeBack(id, false)),
        ),
      ),
    );
  }
}
