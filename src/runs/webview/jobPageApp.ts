import { h } from '../../chat/webview/dom.ts';
import { l10n } from '../../shared/l10n.ts';
import type { JobView, ToPage } from '../page/pageProtocol.ts';
import { actionButton, facts, KeptParts, linkTo, notice, pageHead, section, type Post } from './pageParts.ts';
import { StripView } from './stripView.ts';

/** The page of a job: how its runs went, what it is set to do, when, and where that is written. */
export class JobPageApp {
  readonly element: HTMLElement;
  readonly #post: Post;
  readonly #parts = new KeptParts();
  readonly #head = h('div', { class: 'head-place' });
  readonly #notice = h('div');
  readonly #noRuns = h('div');
  readonly #strip: StripView;
  readonly #about = h('div');

  constructor(post: Post) {
    this.#post = post;
    this.#strip = new StripView(post);
    this.element = h(
      'main',
      { class: 'page job', attributes: { tabindex: '-1' } },
      this.#head,
      h(
        'div',
        { class: 'scroller', role: 'region', label: l10n.t('Job'), attributes: { tabindex: '0' } },
        h('div', { class: 'summary' }, this.#notice, this.#noRuns, this.#strip.element, this.#about),
      ),
    );
  }

  receive(message: ToPage): void {
    if (message.type !== 'job') return;
    const { view } = message;
    const { title, subtitle, state, production, actions, notice: problem, noRuns, next, facts: all, file } = view;
    const post = this.#post;
    this.#parts.put(this.#head, { title, subtitle, state, production, actions }, () => [pageHead(view, post)]);
    this.#parts.put(this.#notice, { problem }, () => (problem ? [notice(problem, post)] : []));
    this.#parts.put(this.#noRuns, { noRuns }, () =>
      noRuns === undefined ? [] : [section(l10n.t('Runs'), '', h('p', { class: 'quiet' }, noRuns))],
    );
    this.#strip.show(view.strip);
    this.#parts.put(this.#about, { next, all, file }, () => about(view, post));
  }
}

function about({ next, facts: all, file }: JobView, post: Post): HTMLElement[] {
  const settings = all.length > 0 ? section(l10n.t('Settings'), '', facts(all, post)) : undefined;
  const side = [nextRuns(next), fileOf(file, post)].filter((part) => part !== undefined);
  if (!settings && side.length === 0) return [];
  return [h('div', { class: 'columns' }, settings, h('div', {}, ...side))];
}

function nextRuns(next: JobView['next']): HTMLElement | undefined {
  if (!next) return undefined;
  return section(
    l10n.t('Next Runs'),
    next.note,
    next.none === undefined ? undefined : h('p', {}, next.none),
    next.rows.length === 0
      ? undefined
      : h(
          'ol',
          { class: 'next' },
          ...next.rows.map(({ at, ahead }) => h('li', {}, h('span', {}, at), h('span', { class: 'quiet' }, ahead))),
        ),
  );
}

function fileOf(file: JobView['file'], post: Post): HTMLElement | undefined {
  if (!file) return undefined;
  return section(
    l10n.t('Job File'),
    '',
    h('p', {}, file.words, ...file.links.flatMap((link, index) => [index === 0 ? ' ' : ', ', linkTo(link, post)])),
    h('div', { class: 'buttons' }, ...file.actions.map((action) => actionButton({ ...action, primary: false }, post))),
  );
}
