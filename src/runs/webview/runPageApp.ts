import { l10n } from '../../shared/l10n.ts';
import { h, takesFindKey } from '../../shared/webview/dom.ts';
import type { RunView, ToPage } from '../page/pageProtocol.ts';
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
      case 'tasks':
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
