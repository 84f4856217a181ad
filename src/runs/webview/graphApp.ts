import { h } from '../../shared/webview/dom.ts';
import type { ToPage } from '../page/pageProtocol.ts';
import type { Post } from './pageParts.ts';
import { taskGraph } from './taskGraph.ts';

/** The page that draws the tasks of a job file as a graph. */
export class GraphApp {
  readonly element = h('main', { class: 'job-graph' });
  readonly #post: Post;

  constructor(post: Post) {
    this.#post = post;
  }

  receive(message: ToPage): void {
    if (message.type !== 'tasks') return;
    const { scrollLeft = 0, scrollTop = 0 } = this.element.firstElementChild ?? {};
    const graph = taskGraph(message.tasks, this.#post);
    this.element.replaceChildren(graph);
    graph.scrollTo(scrollLeft, scrollTop);
    graph.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}
