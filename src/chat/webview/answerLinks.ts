import { h, setHidden } from '../../shared/webview/dom.ts';
import type { AnswerLink } from '../conversationEvent.ts';
import { icon } from './icons.ts';
import type { ViewActions } from './viewActions.ts';

type Actions = Pick<ViewActions, 'openRun' | 'openSection' | 'ask'>;

/** Links below the answer to a command: runs, sections of the manual and further commands; and the actions of the last answer. */
export class AnswerLinks {
  readonly element = h('div', { class: 'answer-links' });
  /** Stays in sight while a part of the answer is, however long the answer is. */
  readonly actions = h('div', { class: 'buttons answer-actions' });
  readonly #actions: Actions;
  #drawn: { links: readonly AnswerLink[] | undefined; isLast: boolean } | undefined;

  constructor(actions: Actions) {
    this.#actions = actions;
  }

  update(links: readonly AnswerLink[] | undefined, isLast: boolean): void {
    if (this.#drawn && links === this.#drawn.links && isLast === this.#drawn.isLast) return;
    this.#drawn = { links, isLast };
    const shown = links ?? [];
    const actions = isLast ? shown.filter(({ isAction }) => isAction) : [];
    setHidden(this.actions, actions.length === 0);
    this.actions.replaceChildren(...actions.map((link, at) => this.#action(link, at)));
    this.element.replaceChildren(...shown.filter(({ isAction }) => !isAction).map((link) => this.#link(link)));
  }

  #action(link: AnswerLink, at: number): HTMLElement {
    return h(
      'button',
      { class: at === 0 ? 'button' : 'button secondary', onClick: () => this.#open(link) },
      link.title,
    );
  }

  #link(link: AnswerLink): HTMLElement {
    const { title, detail, run, section, command } = link;
    const isLink = run !== undefined || section !== undefined || command !== undefined;
    const name = h('span', { class: command === undefined ? 'answer-link-title' : 'answer-link-title command' }, title);
    const parts = [
      run?.isBad === true && icon('error'),
      name,
      detail !== undefined && detail !== '' && h('span', { class: 'answer-link-detail' }, detail),
    ];
    if (!isLink) return h('div', { class: 'answer-link' }, ...parts);
    return h('button', { class: 'answer-link run-link', onClick: () => this.#open(link) }, ...parts);
  }

  #open({ run, section, command }: AnswerLink): void {
    if (run) this.#actions.openRun(run);
    else if (section !== undefined) this.#actions.openSection(section);
    else if (command !== undefined) this.#actions.ask(command);
  }
}
