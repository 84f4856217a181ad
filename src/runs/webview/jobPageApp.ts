import { l10n } from '../../shared/l10n.ts';
import { h } from '../../shared/webview/dom.ts';
import type { JobFileView, JobView, PageState, ToPage } from '../page/pageProtocol.ts';
import {
  actionButton,
  facts,
  KeptParts,
  linkTo,
  notice,
  pageHead,
  section,
  stateIcon,
  type Post,
} from './pageParts.ts';
import { StripView } from './stripView.ts';

/** The page of a job: its runs, its settings, its schedule and its file. */
export class JobPageApp {
  readonly element: HTMLElement;
  readonly #post: Post;
  readonly #parts = new KeptParts();
  readonly #head = h('div', { class: 'head-place' });
  readonly #notice = h('div');
  readonly #noRuns = h('div');
  readonly #strip: StripView;
  readonly #runs = h('div');
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
        h('div', { class: 'summary' }, this.#notice, this.#noRuns, this.#strip.element, this.#runs, this.#about),
      ),
    );
  }

  receive(message: ToPage): void {
    if (message.type !== 'job') return;
    const { view } = message;
    const { title, subtitle, state, production, actions, more, ...rest } = view;
    const { notice: problem, noRuns, next, facts: all, files, noFile } = rest;
    const post = this.#post;
    this.#parts.put(this.#head, { title, subtitle, state, production, actions, more }, () => [pageHead(view, post)]);
    this.#parts.put(this.#notice, { problem }, () => (problem ? [notice(problem, post)] : []));
    this.#parts.put(this.#noRuns, { noRuns }, () =>
      noRuns === undefined ? [] : [section(l10n.t('Runs'), '', h('p', { class: 'quiet' }, noRuns))],
    );
    this.#strip.show(view.strip);
    const newest = (view.strip?.bars ?? [])
      .toReversed()
      .map(({ runId, name, words, state: of }) => ({ runId, name, words, of }));
    this.#parts.put(this.#runs, newest, () => runList(newest, post));
    this.#parts.put(this.#about, { next, all, files, noFile }, () => about(view, post));
  }
}

/** How many runs are listed at once; the older ones are folded. */
const runsListed = 10;

function runList(
  newest: readonly { runId: string; name: string; words: string; of: PageState }[],
  post: Post,
): HTMLElement[] {
  const rows = newest.map(({ runId, name, words, of }) =>
    h('li', {}, stateIcon(of), ' ', linkTo({ label: name, runId }, post), h('span', { class: 'quiet' }, ` ${words}`)),
  );
  const older = rows.splice(runsListed);
  if (rows.length === 0) return [];
  return [
    section(
      l10n.t('Runs, newest first'),
      '',
      h('ol', { class: 'runs' }, ...rows),
      older.length === 0
        ? undefined
        : h(
            'details',
            {},
            h('summary', {}, l10n.t('{0} older runs', older.length)),
            h('ol', { class: 'runs' }, ...older),
          ),
    ),
  ];
}

function about({ next, facts: all, files, noFile }: JobView, post: Post): HTMLElement[] {
  const settings = all.length > 0 ? section(l10n.t('Settings'), '', facts(all, post)) : undefined;
  const side = [nextRuns(next), noFileOf(noFile, post)].filter((part) => part !== undefined);
  const columns =
    settings || side.length > 0 ? h('div', { class: 'columns' }, settings, h('div', {}, ...side)) : undefined;
  return [columns, filesOf(files, post)].filter((part) => part !== undefined);
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

function noFileOf(noFile: JobView['noFile'], post: Post): HTMLElement | undefined {
  return noFile && section(l10n.t('Job File'), '', h('p', {}, noFile.words), buttons(noFile.actions, post));
}

function buttons(actions: JobFileView['actions'], post: Post): HTMLElement {
  return h('div', { class: 'buttons' }, ...actions.map((action) => actionButton({ ...action, primary: false }, post)));
}

function filesOf(files: JobView['files'], post: Post): HTMLElement | undefined {
  return files && section(l10n.t('Job File'), '', ...files.map((file) => fileBox(file, post)));
}

function fileBox({ link, state, words, actions, rows }: JobFileView, post: Post): HTMLElement {
  return h(
    'div',
    { class: 'box file' },
    h(
      'div',
      { class: 'box-head' },
      state && stateIcon(state),
      h('p', { class: 'grow' }, linkTo(link, post), ` · ${words}`),
      buttons(actions, post),
    ),
    rows.length > 0 ? threeWay(rows) : undefined,
  );
}

/** Shows what a deploy would change: the sides are columns, or lines if there is no room. */
function threeWay(rows: JobFileView['rows']): HTMLElement {
  const sides = [l10n.t('Last deployed'), l10n.t('In the job'), l10n.t('In the file'), l10n.t('A deploy')];
  return h(
    'table',
    { class: 'table three-way' },
    h(
      'thead',
      {},
      h('tr', {}, ...[l10n.t('Setting'), ...sides].map((side) => h('th', { attributes: { scope: 'col' } }, side))),
    ),
    h(
      'tbody',
      {},
      ...rows.map(({ setting, last, job, file, deploy }) =>
        h(
          'tr',
          {},
          h('th', { class: 'mono', attributes: { scope: 'row' } }, setting),
          ...[last, job, file, deploy].map((value, index) =>
            h(
              'td',
              {
                class: value === '' ? 'quiet' : index < 3 ? 'mono' : '',
                attributes: { 'data-side': sides[index] ?? '' },
              },
              value === '' ? l10n.t('not set') : value,
            ),
          ),
        ),
      ),
    ),
  );
}
