import { h } from '../../chat/webview/dom.ts';
import { l10n } from '../../shared/l10n.ts';
import type { ToPage, RunView } from '../page/pageProtocol.ts';
import { OutputView } from './outputView.ts';
import type { Post } from './pageParts.ts';
import { runHead, runSummary } from './runSections.ts';

/** The page of a run: what it is in, why, all that is known of it, and its output. */
export class RunPageApp {
  readonly element: HTMLElement;
  readonly #post: Post;
  readonly #head = h('div', { class: 'head-place' });
  readonly #summary = h('div', { class: 'summary' });
  readonly #output: OutputView;
  /** Kinds of parts by the text they were drawn from: what is the same stays, with focus and selection. */
  readonly #shown = new Map<HTMLElement, string>();
  #view: RunView | undefined;

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
    window.addEventListener('keydown', (event) => {
      if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'f') {
        event.preventDefault();
        this.#output.openFind();
      }
    });
  }

  receive(message: ToPage): void {
    switch (message.type) {
      case 'run':
        this.#draw(message.view);
        break;
      case 'output':
        this.#output.append(message.text, message.reset, () => {
          if (this.#view) this.#output.setState(this.#view.output);
          this.#post({ type: 'drawn' });
        });
        break;
      case 'files':
        this.#output.filesFound(message.found, message.missing);
        break;
    }
  }

  #draw(view: RunView): void {
    this.#view = view;
    this.#put(this.#head, view, () => [runHead(view, this.#post)]);
    const { output, title: _title, subtitle: _subtitle, state: _state, ...rest } = view;
    this.#put(this.#summary, rest, () => runSummary(view, this.#post));
    this.#output.setState(output);
  }

  #put(place: HTMLElement, made: object, make: () => HTMLElement[]): void {
    const text = JSON.stringify(made);
    if (this.#shown.get(place) === text) return;
    this.#shown.set(place, text);
    const label = place.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
    place.replaceChildren(...make());
    if (label === undefined) return;
    // A part that is drawn anew while somebody is in it keeps the focus where it was.
    const again = [...place.querySelectorAll<HTMLElement>('button, a, [tabindex]')];
    again.find((each) => each.textContent === label)?.focus();
  }
}
