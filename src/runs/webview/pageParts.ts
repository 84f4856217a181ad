import { l10n } from '../../shared/l10n.ts';
import { h } from '../../shared/webview/dom.ts';
import type { PageAction, PageFact, PageLink, PageNotice, FromPage, PageState } from '../page/pageProtocol.ts';
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
export function outlineButton(icon: string, label: string, onClick: () => void): HTMLButtonElement {
  return h('button', { class: 'icon-button', label, title: label, onClick }, outline(icon));
}

/** A link to a place, a run or a job; text if it leads nowhere. */
export function linkTo(link: PageLink, post: Post): HTMLElement {
  const { label, place, runId, jobId, action } = link;
  const message: FromPage | undefined = place
    ? { type: 'openPlace', place }
    : runId !== undefined
      ? { type: 'openRun', runId }
      : jobId !== undefined
        ? { type: 'openJob', jobId }
        : action !== undefined
          ? { type: 'action', id: action }
          : undefined;
  if (!message) return h('span', {}, label);
  return h('button', { class: 'link', onClick: () => post(message) }, label);
}

/** What the head of each page is made of. */
interface Headed {
  readonly state: PageState;
  readonly title: string;
  readonly subtitle: string;
  readonly production?: string | undefined;
  readonly actions: readonly PageAction[];
  readonly more?: readonly PageAction[] | undefined;
}

/** State, name and what can be done: the part that stays in sight. */
export function pageHead(view: Headed, post: Post): HTMLElement {
  return h(
    'header',
    { class: 'head' },
    stateIcon(view.state, true),
    h(
      'div',
      { class: 'names' },
      h('h1', {}, view.title),
      h(
        'p',
        { class: 'quiet' },
        // A number and its unit stand in one line.
        view.subtitle.replace(/(\d) /g, '$1\u00a0'),
        view.production === undefined ? undefined : h('span', { class: 'production' }, l10n.t('production')),
      ),
    ),
    h(
      'div',
      { class: 'buttons' },
      ...view.actions.map((action) => actionButton(action, post)),
      view.more && actionButton({ id: 'more', label: l10n.t('More…') }, post),
    ),
  );
}

/** Places of the page by the text that they were drawn from: what is the same stays, with focus and selection. */
export class KeptParts {
  readonly #shown = new Map<HTMLElement, string>();
  readonly #later = new Map<HTMLElement, ReturnType<typeof setTimeout>>();

  put(place: HTMLElement, made: object, make: () => HTMLElement[]): void {
    clearTimeout(this.#later.get(place));
    const text = JSON.stringify(made);
    if (this.#shown.get(place) === text) return;
    // What is replaced between the press of a button and its release is never clicked.
    if (place.matches(':active')) {
      this.#later.set(
        place,
        setTimeout(() => this.put(place, made, make), 50),
      );
      return;
    }
    this.#shown.set(place, text);
    const label = place.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
    place.replaceChildren(...make());
    if (label === undefined) return;
    // A part that is drawn anew while somebody is in it keeps the focus where it was.
    const restore = (): void => {
      const again = [...place.querySelectorAll<HTMLElement>('button, a, [tabindex]')];
      again.find((each) => each.textContent === label)?.focus();
    };
    // The page would take it from where somebody types meanwhile, and close a list that is open there.
    if (document.hasFocus()) restore();
    else window.addEventListener('focus', restore, { once: true });
  }
}

export function section(title: string, note: string, ...children: (Node | string | undefined)[]): HTMLElement {
  return h(
    'section',
    { class: 'section' },
    h('h2', {}, title, note === '' ? undefined : h('span', { class: 'note' }, ` ${note}`)),
    ...children,
  );
}

export function facts(all: readonly PageFact[], post: Post): HTMLElement {
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
          : outlineButton('copy', l10n.t('Copy {0}', name), () => post({ type: 'copy', text: copies })),
      ),
    ]),
  );
}

export function notice(given: PageNotice, post: Post): HTMLElement {
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
