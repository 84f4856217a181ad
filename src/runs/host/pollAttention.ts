import * as vscode from 'vscode';
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

export interface PollAttention extends vscode.Disposable {
  /** Something of what it depends on has changed without a word. */
  update(): void;
  /** A page shows what is known, until what this gives is disposed of. */
  attend(): vscode.Disposable;
}

/** How closely the poller looks: no more than somebody sees what it finds, or waits for it. */
export function pollAttention({ poller, store, view, started }: PollAttentionOptions): PollAttention {
  /** Pages that show what is known. */
  const pages = new Set<object>();
  const update = (): void => {
    const { focused } = vscode.window.state;
    if (((view.isVisible || pages.size > 0) && focused) || started.areGoing) poller.setAttention('full');
    // The badge tells how many are active, and is there to be seen while the view is not.
    else poller.setAttention(focused && store.activeRuns.length > 0 ? 'slow' : 'none');
  };
  const changes = [
    view.onDidChangeVisibility(update),
    vscode.window.onDidChangeWindowState(update),
    store.onDidChange(update),
  ];
  return {
    update,
    attend() {
      const page = {};
      pages.add(page);
      update();
      return new vscode.Disposable(() => {
        pages.delete(page);
        update();
      });
    },
    dispose() {
      for (const change of changes) change.dispose();
    },
  };
}
