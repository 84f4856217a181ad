import { h } from '../../chat/webview/dom.ts';
import { l10n } from '../../shared/l10n.ts';
import type { PageAction, PageLink, FromPage, PageState, RunView } from '../page/pageProtocol.ts';
import { outline } from './outlines.ts';

export type Post = (message: FromPage) => void;

/** A state's icon; its word stands beside it. */
export function stateIcon({ icon, tone, spins }: PageState, isBig = false): SVGSVGElement {
  return outline(icon, [`tone-${tone}`, spins ? 'spin' : '', isBig ? 'big' : ''].filter(Boolean).join(' '));
}

export function actionButton(action: PageAction, post: Post): HTMLButtonElement {
  return h(
    'button',
    {
      class: `button${action.primary ? '' : ' secondary'}`,
      onClick: () => post({ type: 'action', id: action.id }),
    },
    action.icon === undefined ? undefined : outline(action.icon),
    action.label,
  );
}

/** An icon that is a button; its word is its label and its tooltip. */
export function iconButton(icon: string, label: string, onClick: () => void): HTMLButtonElement {
  return h('button', { class: 'icon-button', label, title: label, onClick }, outline(icon));
}

/** A link to a place, a run or a job; text where it leads nowhere. */
export function linkTo(link: PageLink, post: Post): HTMLElement {
  const { label, place, runId, jobId } = link;
  const message: FromPage | undefined = place
    ? { type: 'openPlace', place }
    : runId !== undefined
      ? { type: 'openRun', runId }
      : jobId !== undefined
        ? { type: 'openJob', jobId }
        : undefined;
  if (!message) return h('span', {}, label);
  return h('button', { class: 'link', onClick: () => post(message) }, label);
}

export function section(title: string, note: string, ...children: (Node | string | undefined)[]): HTMLElement {
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, title, note === '' ? undefined : h('span', { class: 'note' }, ` ${note}`)),
    ...children,
  );
}

export function facts(all: RunView['facts'], post: Post): HTMLElement {
  return h(
    'dl',
    { class: 'facts' },
    ...all.flatMap(({ name, values, copies }) => [
      h('dt', {}, name),
      h(
        'dd',
        {},
        ...values.flatMap((value, index) => [index > 0 ? ', ' : undefined, linkTo(value, post)]),
        copies === undefined
          ? undefined
          : iconButton('copy', l10n.t('Copy {0}', name), () => post({ type: 'copy', text: copies })),
      ),
    ]),
  );
}

export function notice(given: NonNullable<RunView['notice']>, post: Post): HTMLElement {
  return h(
    'div',
    { class: 'notice', role: 'alert' },
    outline('warning', 'tone-look'),
    h(
      'div',
      {},
      h('p', { class: 'strong' }, given.text),
      given.detail === undefined ? undefined : h('p', {}, given.detail),
      h('div', { class: 'buttons' }, ...given.actions.map((action) => actionButton(action, post))),
    ),
  );
}
