import { h, setHidden, setText } from '../../shared/webview/dom.ts';
import {
  streamingAnswer,
  totalUsage,
  variantsOf,
  visibleTurns,
  type Answer,
  type Conversation,
  type Turn,
} from '../conversation.ts';
import { inputsOf } from '../playground.ts';
import type { ViewState } from '../protocol.ts';
import { AnswerView } from './answerView.ts';
import { strings } from './strings.ts';
import { UserTurnView } from './userTurnView.ts';
import type { ViewActions } from './viewActions.ts';

/** Maximum messages on the page, so that a long conversation stays as fast as a short one. */
const windowSize = 50;

interface Entry {
  readonly view: UserTurnView | AnswerView;
  turn: Turn;
  /** The other state that the drawing depends on. */
  state: string;
  /** Whether there was not enough time to draw all of it. */
  isBehind: boolean;
}

/** State that the drawing of messages depends on, besides the messages. */
export type Beside = Pick<ViewState, 'wait' | 'tools'>;

/** Maximum characters of a message in its accessible name. */
const maxSpoken = 300;

/** How long all messages together are drawn in one frame, in milliseconds. */
const drawingInMs = 12;

/** Shows the newest messages of the visible branch; only what changed is updated. */
export class TurnList {
  readonly element: HTMLElement;
  readonly #actions: ViewActions;
  readonly #earlier: HTMLButtonElement;
  readonly #pendingText = h('div', { class: 'plain' });
  readonly #pending = h(
    'article',
    { class: 'turn user', label: strings.you },
    h('div', { class: 'bubble' }, this.#pendingText),
  );
  #entries = new Map<string, Entry>();
  #conversationId: string | undefined;
  #extra = 0;
  #last: Conversation | undefined;
  #lastView: Beside | undefined;

  constructor(actions: ViewActions) {
    this.#actions = actions;
    this.#earlier = h('button', {
      class: 'link-button earlier',
      onClick: () => this.showEarlier(),
    });
    this.#earlier.hidden = true;
    this.element = h('div', { class: 'turns' }, this.#earlier);
  }

  /** Shows a message that the host has not accepted yet. */
  showPending(text: string): void {
    setText(this.#pendingText, text);
    if (text === '') this.#pending.remove();
    else if (!this.#pending.isConnected) this.element.append(this.#pending);
  }

  /** Adds earlier messages to the page. @returns whether there are any left */
  showEarlier(): boolean {
    if (!this.#earlier.hidden) {
      this.#extra += windowSize;
      if (this.#last && this.#lastView) this.update(this.#last, this.#lastView);
      this.#actions.redraw();
    }
    return !this.#earlier.hidden;
  }

  /** Moves the focus to the message above or below the focused one. @returns false if there is none */
  step(by: 1 | -1): boolean {
    const turns = this.#last ? visibleTurns(this.#last) : [];
    const shown = turns.flatMap((turn) => {
      const element = this.#entries.get(turn.id)?.view.element;
      return element && !element.hidden ? [{ turn, element }] : [];
    });
    const at = shown.findIndex(({ element }) => element.contains(document.activeElement));
    const next = at === -1 ? (by === -1 ? shown.at(-1) : undefined) : shown[at + by];
    if (next) {
      const { turn, element } = next;
      const words = element.querySelector('.plain, .markdown')?.textContent ?? '';
      const who = turn.role === 'user' ? strings.you : turn.endpoint;
      element.tabIndex = -1;
      element.setAttribute('aria-label', `${who}: ${words.slice(0, maxSpoken)}`);
      // A later click on its text is not keyboard navigation and shows no focus.
      element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
      element.focus();
    } else if (at === 0 && !this.#earlier.hidden) {
      this.showEarlier();
      return this.step(by);
    }
    return next !== undefined || at === 0;
  }

  /**
   * Redraws the answer.
   * @returns milliseconds after which to draw the rest, or 0
   */
  update(conversation: Conversation, beside: Beside): number {
    if (conversation.id !== this.#conversationId) this.#clear(conversation.id);
    this.#last = conversation;
    this.#lastView = beside;
    const { wait, tools } = beside;
    const path = visibleTurns(conversation);
    const hiddenCount = Math.max(0, path.length - windowSize - this.#extra);
    setHidden(this.#earlier, hiddenCount === 0);
    setText(this.#earlier, strings.earlier(hiddenCount));
    const turns = path.slice(hiddenCount);
    this.#removeAllBut(new Set(turns.map((turn) => turn.id)));
    const isBusy = tools.isUnderWay || streamingAnswer(conversation) !== undefined;
    const entries = turns.map((turn) => this.#entry(turn, conversation.task));
    let before: Element = this.#earlier;
    for (const { entry } of entries) {
      if (before.nextElementSibling !== entry.view.element) before.after(entry.view.element);
      before = entry.view.element;
    }
    const untilMs = performance.now() + drawingInMs;
    let waitInMs = 0;
    // Draw the newest first, since it is the visible one.
    for (const [position, turn] of [...turns.entries()].reverse()) {
      const { entry, isNew } = entries[position] ?? this.#entry(turn, conversation.task);
      const variants = variantsOf(conversation, turn);
      const isLast = position === turns.length - 1;
      const next = turns[position + 1];
      const state = `${isBusy} ${isLast} ${next?.id} ${variants.length} ${wait?.waitUntilMs ?? ''} ${isLast ? JSON.stringify(tools) : ''}`;
      if (!isNew && entry.turn === turn && entry.state === state && !entry.isBehind) continue;
      entry.turn = turn;
      entry.state = state;
      const restInMs = entry.view.update(turn, {
        variants,
        isBusy,
        isLast,
        untilMs,
        results: next?.role === 'user' ? next.toolResults : [],
        ...beside,
        ...(conversation.task && turn.role === 'assistant' && { inputs: inputsBefore(path, conversation.task, turn) }),
        ...(isLast && { total: totalUsage(conversation) }),
      });
      entry.isBehind = restInMs > 0;
      waitInMs = Math.max(waitInMs, restInMs);
    }
    return waitInMs;
  }

  #entry(turn: Turn, task: Conversation['task']): { entry: Entry; isNew: boolean } {
    const existing = this.#entries.get(turn.id);
    if (existing) return { entry: existing, isNew: false };
    const view =
      turn.role === 'user' ? new UserTurnView(turn, this.#actions) : new AnswerView(turn, this.#actions, task);
    const entry: Entry = { view, turn, state: '', isBehind: false };
    this.#entries.set(turn.id, entry);
    return { entry, isNew: true };
  }

  #removeAllBut(kept: ReadonlySet<string>): void {
    for (const [id, entry] of this.#entries) {
      if (kept.has(id)) continue;
      entry.view.element.remove();
      this.#entries.delete(id);
    }
  }

  #clear(conversationId: string): void {
    this.#removeAllBut(new Set());
    this.#conversationId = conversationId;
    this.#extra = 0;
  }
}

/** The inputs that a playground answer belongs to. */
function inputsBefore(
  path: readonly Turn[],
  task: Conversation['task'],
  { parentId, parameters = {} }: Answer,
): string[] {
  const asked = path.find(({ id }) => id === parentId);
  return asked?.role === 'user' ? inputsOf(asked, task, parameters) : [];
}
