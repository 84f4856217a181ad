import { l10n } from '../../shared/l10n.ts';
import { read } from '../../shared/shape.ts';
import { h } from '../../shared/webview/dom.ts';
import {
  type FromPage,
  type PageAction,
  type PageFact,
  type PageLink,
  type PageNotice,
  type PageState,
  type ToPage,
  toPage,
} from '../page/pageProtocol.ts';

export type Post = (message: FromPage) => void;

/** Draws a state's icon. The state's word stands beside it. */
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

/** Draws an icon button. Its word is its label and its tooltip. */
export function outlineButton(icon: string, label: string, onClick: () => void): HTMLButtonElement {
  return h('button', { class: 'icon-button', label, title: label, onClick }, outline(icon));
}

/** Draws a link to a place, a run or a job, or plain text if it leads nowhere. */
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

const address = /https?:\/\/[^\s<>"'`]{1,2000}[^\s<>"'`.,;:!?)\]}]/g;

/** Draws text whose web addresses are links. The editor asks before it opens one. */
export function textWithLinks(text: string): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  for (const match of text.matchAll(address)) {
    nodes.push(document.createTextNode(text.slice(at, match.index)));
    nodes.push(h('a', { class: 'address', attributes: { href: match[0] } }, match[0]));
    at = match.index + match[0].length;
  }
  nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}

/** The parts that the head of each page shows. */
interface Headed {
  readonly state: PageState;
  readonly title: string;
  readonly subtitle: string;
  readonly production?: string | undefined;
  readonly actions: readonly PageAction[];
  readonly more?: readonly PageAction[] | undefined;
}

/** Draws state, name and actions: the part that stays in view. */
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
        // A number and its unit stay on one line.
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

/** Keeps the parts of a page whose source has not changed, with their focus and selection. */
export class KeptParts {
  readonly #shown = new Map<HTMLElement, string>();
  readonly #later = new Map<HTMLElement, ReturnType<typeof setTimeout>>();

  put(place: HTMLElement, made: object, make: () => HTMLElement[]): void {
    clearTimeout(this.#later.get(place));
    const text = JSON.stringify(made);
    if (this.#shown.get(place) === text) return;
    // A button that is replaced between press and release is never clicked.
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
    // A part that is redrawn while it has the focus gets the focus back.
    const restore = (): void => {
      const again = [...place.querySelectorAll<HTMLElement>('button, a, [tabindex]')];
      again.find((each) => each.textContent === label)?.focus();
    };
    // Otherwise the page would take the focus from where the user is typing, and close an open list.
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

/** 16 by 16 outlines in the style of the editor's own icons, by ID. They are inline because the page's policy loads nothing. */
const outlines: Readonly<Record<string, string>> = {
  pass: 'M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7zM5 8.2l2.2 2.2L11.2 6',
  error: 'M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7zM5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8',
  watch:
    'M8 3.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8zM8 5.6V8l1.6 1M6 3.8 6.4 1.4h3.2L10 3.8M6 12.2l.4 2.4h3.2l.4-2.4',
  'circle-slash': 'M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7zM3.6 12.4l8.8-8.8',
  'debug-step-over': 'M2.5 8.5A5.5 5.5 0 0 1 13 6.7M13.4 3v4h-4M8 11.2a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8z',
  question: 'M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7zM6 6.2a2 2 0 1 1 2.9 1.9c-.6.3-.9.7-.9 1.3M8 11.2v.6',
  'run-errors': 'M3 2v8l6-4zM9.5 10l4.5 4.5M14 10l-4.5 4.5',
  clock: 'M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7zM8 4.5V8l2.6 1.8',
  'sync-ignored': 'M13.7 8A5.7 5.7 0 0 1 3.4 11.3M2.3 8a5.7 5.7 0 0 1 10.3-3.3M2 2l12 12',
  loading: 'M14.2 8A6.2 6.2 0 1 1 8 1.8',
  'circle-large-outline': 'M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7z',
  warning: 'M8 2 14.5 13.5h-13zM8 6.2v3.6M8 11.2v.6',
  search: 'M6.8 2.3a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.2 10.2l3.6 3.6',
  'word-wrap': 'M2 3.5h12M2 8h9.5a2.4 2.4 0 0 1 0 4.8H8.5M10 10.8l-2 2 2 2M2 12.8h3.5',
  'fold-down': 'M8 2v9M4 7.5 8 11.5l4-4M3 14h10',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  'go-to-file': 'M3.5 1.5h6l3 3v4M9.5 1.5v3h3M3.5 1.5v13h4M8.5 11.5H14M11.8 9l2.5 2.5-2.5 2.5',
  play: 'M4.5 2.8v10.4l8-5.2z',
  'debug-alt':
    'M7 6V2.5L13.5 7 9.6 9.7M2.8 9.5h4.4v2a2.2 2.2 0 0 1-4.4 0zM3.6 9.5a1.4 1.4 0 0 1 2.8 0M2.8 11.2H1M9 11.2H7.2M3 13.2l-1.4 1.2M7 13.2l1.4 1.2',
  'debug-stop': 'M4 4h8v8H4z',
  'debug-pause': 'M5 3v10M11 3v10',
  tools:
    'M13.6 4.4 11.4 6.6 9.4 4.6 11.6 2.4a3.4 3.4 0 0 0-4.4 4.4L2.4 11.6a1.4 1.4 0 0 0 2 2l4.8-4.8a3.4 3.4 0 0 0 4.4-4.4z',
  lightbulb: 'M6 11V9.6a4 4 0 1 1 4 0V11zM6.5 13.5h3',
  'comment-discussion': 'M1.5 2.5h9v6h-5l-2 2v-2h-2zM12.5 6h2v6h-2v2l-2-2H7v-1.5',
  'link-external': 'M9.5 2.5h4v4M13.5 2.5 7.5 8.5M11.5 9v4.5h-9v-9H7',
  export: 'M8.5 8h6M12 5.5 14.5 8 12 10.5M9.5 4V2.5h-7v11h7V12',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.6-3.9M13.5 1.8v3h-3',
  previous: 'M8 13V3.5M4 7.5l4-4 4 4',
  next: 'M8 3v9.5M4 8.5l4 4 4-4',
  close: 'm3.5 3.5 9 9M12.5 3.5l-9 9',
  file: 'M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3',
  'cloud-upload':
    'M5 12.5H4.2a2.9 2.9 0 0 1-.5-5.7 4.4 4.4 0 0 1 8.5 0 2.9 2.9 0 0 1-.4 5.7H11M8 14V8.5M6 10.3l2-2 2 2',
  'git-merge':
    'M4.5 5.7v4.6M4.5 5.7a4.3 4.3 0 0 0 4.8 3.5M4.5 2.5a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z' +
    'M4.5 10.3a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM11 7.7a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z',
};

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Draws an icon by its ID. An unknown ID is drawn as a question mark. */
export function outline(id: string, classes = ''): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon ${classes}`.trim());
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(svgNamespace, 'path');
  path.setAttribute('d', outlines[id] ?? outlines['question'] ?? '');
  svg.append(path);
  return svg;
}

/** The editor's API for talking to the host of a webview. */
export interface EditorApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

/** The webview's end of the protocol. */
export class HostPort {
  readonly #api: EditorApi;

  constructor(api: EditorApi, onMessage: (message: ToPage) => void) {
    this.#api = api;
    window.addEventListener('message', (event: MessageEvent<unknown>) => {
      const message = read(toPage, event.data);
      if (message) onMessage(message);
    });
  }

  post(message: FromPage): void {
    this.#api.postMessage(message);
  }
}
