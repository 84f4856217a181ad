import { sizeText } from '../../shared/text.ts';
import { h, setHidden } from '../../shared/webview/dom.ts';
import type { Turn, UserTurn } from '../conversation.ts';
import { type TurnDrawing, VariantPager } from './answerView.ts';
import { copyButton, iconButton } from './icons.ts';
import { strings } from './strings.ts';
import type { ViewActions } from './viewActions.ts';

/** Shows a user's message: plain text in a bubble, with its attachments, copy, edit and variants. */
export class UserTurnView {
  readonly element: HTMLElement;
  readonly #turn: UserTurn;
  readonly #actions: ViewActions;
  readonly #bubble: HTMLElement;
  readonly #words: HTMLElement;
  readonly #tools: HTMLElement;
  readonly #pager: VariantPager;
  readonly #editButton: HTMLButtonElement;
  #isBusy = false;

  constructor(turn: UserTurn, actions: ViewActions) {
    this.#turn = turn;
    this.#actions = actions;
    this.#pager = new VariantPager((id) => actions.selectVariant(id));
    this.#words = h('div', { class: 'plain' }, turn.text);
    this.#bubble = h(
      'div',
      { class: 'bubble' },
      turn.attachments.length > 0 &&
        h(
          'div',
          { class: 'chips' },
          ...turn.attachments.map((attachment) =>
            h(
              'details',
              { class: 'chip' },
              h(
                'summary',
                {},
                h('span', { class: 'chip-label' }, attachment.label),
                ' ',
                h('span', { class: 'size' }, sizeText(attachment.text.length)),
              ),
              h('pre', { attributes: { tabindex: '0' }, label: attachment.label, role: 'group' }, attachment.text),
            ),
          ),
        ),
      turn.text !== '' && this.#words,
    );
    this.#editButton = iconButton('edit', strings.edit, () => {
      if (!this.#isBusy) this.#startEdit().focus();
    });
    const copy = copyButton(strings.copy, () => actions.copy(turn.text));
    this.#tools = h('div', { class: 'turn-tools' }, this.#pager.element, copy, this.#editButton);
    // Results of calls are not a message: they are shown at the calls.
    const isMessage = turn.text !== '' || turn.attachments.length > 0;
    const kind = isMessage ? 'user' : 'results';
    this.element = h('article', { class: `turn ${kind}`, label: strings.you }, this.#bubble, this.#tools);
    this.element.hidden = !isMessage;
    const begun = actions.begunEdit(turn.id);
    if (begun !== undefined) this.#startEdit(begun);
  }

  update(turn: Turn, { variants, isBusy }: Pick<TurnDrawing, 'variants' | 'isBusy'>): number {
    this.#pager.update(turn, variants);
    this.#isBusy = isBusy;
    // Not `disabled`, which would remove the focus.
    this.#editButton.setAttribute('aria-disabled', String(isBusy));
    return 0;
  }

  #startEdit(text = this.#turn.text): HTMLElement {
    const input = h('textarea', { class: 'edit-input', label: strings.edit });
    // Attachments stay visible because they are sent again, too.
    const replaced = this.#turn.attachments.length > 0 ? this.#words : this.#bubble;
    input.value = text;
    input.rows = Math.min(12, Math.max(2, text.split('\n').length));
    input.addEventListener('input', () => this.#actions.keepEdit(this.#turn.id, input.value));
    const close = (): void => {
      this.#actions.keepEdit(this.#turn.id, undefined);
      editor.remove();
      setHidden(replaced, false);
      setHidden(this.#tools, false);
      this.#editButton.focus();
    };
    const send = async (): Promise<void> => {
      if (await this.#actions.editAndResend(this.#turn.id, input.value)) close();
    };
    input.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      if (event.key === 'Escape') {
        event.stopPropagation();
        close();
      } else if (event.key === 'Enter' && !event.shiftKey) {
        event.preventDefault();
        void send();
      }
    });
    const editor = h(
      'div',
      { class: 'editor' },
      input,
      h(
        'div',
        { class: 'buttons' },
        h('button', { class: 'button secondary', onClick: close }, strings.cancel),
        h('button', { class: 'button', onClick: () => void send() }, strings.sendAgain),
      ),
    );
    setHidden(replaced, true);
    setHidden(this.#tools, true);
    this.element.append(editor);
    return input;
  }
}
