import * as vscode from 'vscode';
import type { ConnectionService } from '../../connection/connection.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import { RunPoller, localIntervals, remoteIntervals } from '../runPoller.ts';
import { runStatus } from '../runState.ts';
import { RunStore } from '../runStore.ts';
import { TreeModel } from '../treeModel.ts';
import { JobsTree } from './jobsTree.ts';
import { notifyFinished } from './notifications.ts';
import { RunDocuments } from './runDocuments.ts';

/** What the rest of the extension does with runs. */
export interface Runs extends vscode.Disposable {
  readonly store: RunStore;
  refresh(): Promise<void>;
  watch(runId: string): void;
  loadMoreRuns(jobId: string | undefined): Promise<void>;
  showOutput(profileId: string, runId: string): Promise<void>;
}

const pageSize = 20;
/** The service gives at most this many runs at once (Jobs API 2.0, runs/list). */
const largestPage = 999;

/** The jobs view, its poller, run outputs and "run finished" messages. Nothing is asked before the view is seen. */
export function registerRuns(connections: ConnectionService): Runs {
  const disposables = new DisposableStore();
  const store = disposables.add(new RunStore());
  const poller = disposables.add(
    new RunPoller({
      store,
      async connect(options) {
        const connection = await connections.connectIfUsed(options);
        if (!connection) return undefined;
        const { client, profile } = connection;
        return { client, intervals: profile.kind === 'local' ? localIntervals : remoteIntervals };
      },
    }),
  );
  const watched = new Set<string>();
  let model = new TreeModel({ profileId: connections.current.id, store, now: () => Date.now() });
  const load = async (jobId: string | undefined, limit: number): Promise<void> => {
    const asked = model;
    const { client } = await connections.connect();
    if (jobId === undefined) {
      const { runs, has_more: hasMore } = await client.jobs.listRuns({ limit, run_type: 'SUBMIT_RUN' });
      // The profile may have changed meanwhile.
      if (model === asked) store.setOneTimeRuns(runs, hasMore, Date.now());
      return;
    }
    const { runs, has_more: hasMore } = await client.jobs.listRuns({ job_id: jobId, limit });
    if (model === asked) store.setRunsOf(jobId, runs, hasMore, Date.now());
  };
  const tree = disposables.add(
    new JobsTree({ store, model: () => model, firstLook: () => poller.firstLook(), loadRuns: (jobId) => load(jobId, pageSize) }),
  );
  const view = disposables.add(vscode.window.createTreeView('millrace.jobs', { treeDataProvider: tree, showCollapseAll: true }));
  const documents = disposables.add(new RunDocuments(connections, store));

  // Polling goes on in the background only for runs that were started here: somebody waits for their end.
  const updateVisibility = (): void => poller.setVisible((view.visible && vscode.window.state.focused) || watched.size > 0);
  const updateBadge = (): void => {
    const active = store.activeRuns.length;
    view.badge = active > 0 ? { value: active, tooltip: vscode.l10n.t('Active runs: {0}', active) } : undefined;
    view.description = connections.current.name;
  };
  disposables.add(view.onDidChangeVisibility(updateVisibility));
  disposables.add(vscode.window.onDidChangeWindowState(updateVisibility));
  disposables.add(store.onDidChange(updateBadge));
  // A list that has not come yet is not an empty list.
  let isKnown: boolean | undefined;
  const updateWelcome = (): void => {
    const known = store.freshness.kind !== 'empty';
    if (known === isKnown) return;
    isKnown = known;
    void vscode.commands.executeCommand('setContext', 'millrace.jobsKnown', known);
  };
  disposables.add(store.onDidChange(updateWelcome));
  updateWelcome();
  disposables.add(
    store.onDidFinishRun((finished) => {
      const mine = watched.delete(finished.run.run_id);
      updateVisibility();
      notifyFinished(finished, mine, connections.current, (runId) => documents.show(connections.current.id, runId));
    }),
  );
  disposables.add(
    connections.onDidChange((profile) => {
      watched.clear();
      model = new TreeModel({ profileId: profile.id, store, now: () => Date.now() });
      updateVisibility();
      poller.restart();
      updateBadge();
    }),
  );
  updateVisibility();
  updateBadge();

  return {
    store,
    refresh: () => poller.refresh(),
    watch(runId) {
      const run = store.run(runId);
      if (run && runStatus(run).terminal) return;
      watched.add(runId);
      updateVisibility();
    },
    loadMoreRuns(jobId) {
      const shown = jobId === undefined ? store.oneTimeRuns.runs.length : (store.runsOf(jobId)?.runs.length ?? 0);
      return load(jobId, Math.min(shown + 5 * pageSize, largestPage));
    },
    showOutput: (profileId, runId) => documents.show(profileId, runId),
    dispose: () => disposables.dispose(),
  };
}
