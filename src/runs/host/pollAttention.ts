import * as vscode from 'vscode';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { RunPoller } from '../polling/runPoller.ts';
import type { RunStore } from '../store/runStore.ts';
import type { JobsView } from './jobsView.ts';
import type { StartedRuns } from './startedRuns.ts';

export interface PollAttentionOptions {
  readonly poller: Pick<RunPoller, 'setAttention'>;
  readonly store: Pick<RunStore, 'activeRuns' | 'onDidChange'>;
  readonly view: Pick<JobsView, 'isVisible' | 'onDidChangeVisibility'>;
  readonly started: Pick<StartedRuns, 'areGoing'>;
}

/** How closely the poller looks: no more than somebody sees what it finds, or waits for it. */
export class PollAttention implements vscode.Disposable {
  readonly #options: PollAttentionOptions;
  readonly #disposables = new DisposableStore();
  /** Pages that show what is known. */
  readonly #pages = new Set<object>();

  constructor(options: PollAttentionOptions) {
    this.#options = options;
    const update = (): void => this.update();
    this.#disposables.add(options.view.onDidChangeVisibility(update));
    this.#disposables.add(vscode.window.onDidChangeWindowState(update));
    this.#disposables.add(options.store.onDidChange(update));
  }

  update(): void {
    const { poller, store, view, started } = this.#options;
    const { focused } = vscode.window.state;
    if (((view.isVisible || this.#pages.size > 0) && focused) || started.areGoing) poller.setAttention('full');
    // The badge tells how many are active, and is there to be seen while the view is not.
    else poller.setAttention(focused && store.activeRuns.length > 0 ? 'slow' : 'none');
  }

  /** A page shows what is known, until what this gives is disposed of. */
  attend(): vscode.Disposable {
    const page = {};
    this.#pages.add(page);
    this.update();
    return new vscode.Disposable(() => {
      this.#pages.delete(page);
      this.update();
    });
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
