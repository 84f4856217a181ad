import { l10n } from '../../shared/l10n.ts';
import { read } from '../../shared/shape.ts';
import { h, takesFindKey } from '../../shared/webview/dom.ts';
import { type FromPage, pageSubject, type RunView, toPage, type ToPage } from '../page/pageProtocol.ts';
import { JobPageApp } from './jobPageApp.ts';
import { OutputView } from './outputView.ts';
import { KeptParts, pageHead, type Post } from './pageParts.ts';
import { runSummary } from './runSections.ts';

/** The page of a run: its state, the cause, the facts and the output. */
export class RunPageApp {
  readonly element: HTMLElement;
  readonly #post: Post;
  readonly #head = h('div', { class: 'head-place' });
  readonly #summary = h('div', { class: 'summary' });
  readonly #output: OutputView;
  readonly #parts = new KeptParts();

  constructor(post: Post) {
    this.#post = post;
    this.element = h('main', { class: 'page run', attributes: { tabindex: '-1' } });
    const scroller = h('div', {
      class: 'scroller',
      role: 'region',
      label: l10n.t('Run'),
      attributes: { tabindex: '0' },
    });
    this.#output = new OutputView(scroller, post);
    scroller.append(this.#summary, this.#output.element);
    this.element.append(this.#head, scroller);
    document.addEventListener('keydown', (event) => {
      if (takesFindKey(event)) this.#output.openFind();
    });
  }

  receive(message: ToPage): void {
    switch (message.type) {
      case 'run':
        this.#draw(message.view);
        break;
      case 'output':
        this.#output.append(message.text, message.reset);
        // Not after drawing: a browser that draws slowly then skips frames instead of falling behind.
        this.#post({ type: 'taken' });
        break;
      case 'tail':
        this.#output.showTail(message.text, message.missingBytes);
        break;
      case 'files':
        this.#output.filesFound(message.found, message.missing);
        break;
      case 'job':
        break;
    }
  }

  #draw(view: RunView): void {
    this.#parts.put(this.#head, view, () => [pageHead(view, this.#post)]);
    const { output, title: _title, subtitle: _subtitle, state: _state, ...rest } = view;
    this.#parts.put(this.#summary, rest, () => runSummary(view, this.#post));
    this.#output.setState(output);
  }
}

/** The editor's API for talking to the host of a webview. */
interface EditorApi {
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

declare function acquireVsCodeApi(): EditorApi;

const { texts, subject } = document.body.dataset;
if (texts !== undefined) l10n.useBundle(JSON.parse(texts) as Record<string, string>);

const api = acquireVsCodeApi();
const known: unknown = subject === undefined ? undefined : JSON.parse(subject);
// At once: the editor restores the tab from this state, and does not ask again when the window closes.
if (known !== undefined) api.setState(known);

const post: Post = (message) => port.post(message);
const app = read(pageSubject, known)?.kind === 'job' ? new JobPageApp(post) : new RunPageApp(post);
const port = new HostPort(api, (message) => app.receive(message));
document.body.append(app.element);
post({ type: 'ready' });
