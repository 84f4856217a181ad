import * as vscode from 'vscode';
import type { ConnectionService, Profile } from '../../connection/connection.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { readRunLink } from '../../shared/runLink.ts';
import { plainText } from '../../shared/text.ts';
import { localIntervals, type PollIntervals, remoteIntervals } from '../polling/pollIntervals.ts';
import { RunLoader } from '../polling/runLoader.ts';
import { RunPoller } from '../polling/runPoller.ts';
import type { RunStore } from '../store/runStore.ts';
import type { JobOrder } from '../tree/arrangement.ts';
import { JobsView, type JobsViewOptions } from './jobsView.ts';
import { KeptArrangement } from './keptArrangement.ts';
import { KeptStartedRuns } from './keptStartedRuns.ts';
import { RunDocuments } from './runDocuments.ts';
import type { RunTextSource } from './runFiles.ts';
import { StartedRuns, type StartedRunsOptions } from './startedRuns.ts';

/** The interface of runs for the rest of the extension. */
export interface Runs extends vscode.Disposable {
  readonly store: RunStore;
  readonly arrangement: KeptArrangement;
  /** The selected rows of the view. */
  readonly selection: readonly unknown[];
  /** Polls immediately after a change. */
  refresh(): Promise<void>;
  /** Reads everything again at the user's request, including the rows below the jobs. */
  reload(): Promise<void>;
  /** Called when the local service started or stopped. */
  pollSoon(): void;
  /**
   * Reports the end of the run, even if another profile is shown by then.
   * @param startedName name of a run that was just started here: its start is reported as well
   */
  watch(profileId: string, runId: string, startedName?: string): void;
  /**
   * Suppresses the message of runs that the user is about to cancel.
   * @returns a function that undoes this
   */
  cancelling(profileId: string, runIds: readonly string[]): () => void;
  /**
   * Reads more runs into the store.
   * @param jobId `undefined` for the top rows: runs without a job, or all runs if they are ordered by time
   */
  loadMoreRuns(jobId: string | undefined): Promise<void>;
  /** The outputs of runs as text documents. */
  readonly documents: RunTextSource;
  /** Shows the output of a run as text in a tab with this name. */
  showOutput(profileId: string, runId: string, name: string): Promise<void>;
  /** Keeps the data up to date for a user outside the view until the returned object is disposed. */
  attend(): vscode.Disposable;
  /** Resolves once the view is up to date, and immediately if it is hidden. */
  shown(): Promise<void>;
  /** Reads the newest runs of a job into the store. */
  loadRuns(jobId: string, limit: number): Promise<void>;
  /** Shows the outputs of two runs side by side. */
  compareOutputs(profileId: string, runIds: readonly [string, string], title: string): Promise<void>;
}

export interface RunsServices {
  readonly log: Logger;
  /** The known jobs and runs, updated here. */
  readonly store: RunStore;
  /** Stores the user's choices for this workspace. */
  readonly memento: vscode.Memento;
  /** The local runs that are debugged in this window. */
  readonly debuggedRuns: JobsViewOptions['debuggedRuns'];
  /** Which jobs others changed since the last deploy of their files from here. */
  readonly changesElsewhere: JobsViewOptions['changesElsewhere'];
  /** Returns the error of a failed run, for the message of its end. */
  readonly causeOf: StartedRunsOptions['causeOf'];
  /** Shows a failure to the user. */
  presentFailure(error: unknown, what: string): void;
}

/**
 * Registers the jobs view, its poller, run outputs and "run finished" messages. Nothing is requested before the view is visible, unless the
 * end of a run started here is awaited.
 */
export function registerRuns(connections: ConnectionService, services: RunsServices): Runs {
  const { log, store, memento, debuggedRuns, changesElsewhere } = services;
  const disposables = new DisposableStore();
  const sort = vscode.workspace.getConfiguration('millrace').get<JobOrder>('jobs.sort');
  const arrangement = disposables.add(new KeptArrangement(memento, sort));
  const poller = disposables.add(pollerOf(connections, store, (runIds) => view.hold(runIds)));
  disposables.add(vscode.window.registerUriHandler(new RunLinks(connections)));
  const loader = disposables.add(new RunLoader({ connections, store, poller }));
  const view = disposables.add(
    new JobsView({ connections, store, arrangement, poller, loader, debuggedRuns, changesElsewhere, memento, log }),
  );
  const documents = disposables.add(new RunDocuments(connections, store));
  const started = disposables.add(startedRunsOf(connections, services, documents, () => attention.update()));
  const attention = disposables.add(pollAttention({ poller, store, view, started }));
  disposables.add(
    connections.onDidChange((profile) => {
      started.leave();
      loader.changeProfile();
      view.changeProfile(profile);
      poller.restart();
      started.enter(profile.id);
      attention.update();
    }),
  );
  attention.update();
  started.resume();

  return {
    store,
    documents,
    arrangement,
    get selection() {
      return view.selection;
    },
    refresh: () => poller.refresh(),
    async reload() {
      store.askAgain();
      await poller.refresh({ byUser: true });
      // Every poll reads the newest runs; deleted older ones are noticed only when their page is read.
      if (store.freshness.kind === 'fresh') store.forgetPages();
      view.retryFailed();
    },
    pollSoon: () => poller.pollSoon(),
    watch(profileId, runId, startedName) {
      // Completes the step of the walkthrough.
      void vscode.commands.executeCommand('setContext', 'millrace.hasRun', true);
      started.watch(profileId, runId, startedName);
    },
    cancelling: (profileId, runIds) => started.cancellations.add(profileId, runIds),
    loadMoreRuns: (jobId) =>
      jobId === undefined && view.isByTime ? loader.loadAll({ older: true }) : loader.loadMore(jobId),
    attend: () => attention.attend(),
    shown: () => view.shown(),
    loadRuns: (jobId, limit) => loader.loadInTurn(jobId, limit),
    showOutput: (profileId, runId, name) => documents.show(profileId, runId, name),
    compareOutputs: (profileId, runIds, title) => documents.compare(profileId, runIds, title),
    dispose: () => disposables.dispose(),
  };
}

function intervalsOf({ kind }: Profile): PollIntervals {
  return kind === 'local' ? localIntervals : remoteIntervals;
}

function pollerOf(
  connections: ConnectionService,
  store: RunStore,
  onHeld: (runIds: readonly string[]) => void,
): RunPoller {
  return new RunPoller({
    store,
    async connect(options) {
      const connection = await connections.connectIfUsed(options);
      if (!connection) return undefined;
      const { client, profile } = connection;
      return { client: profile.kind === 'local' ? client : { jobs: client.jobs }, intervals: intervalsOf(profile) };
    },
    intervals: () => intervalsOf(connections.current),
    onHeld,
  });
}

function startedRunsOf(
  connections: ConnectionService,
  { log, store, memento, causeOf, presentFailure }: RunsServices,
  documents: RunDocuments,
  changed: () => void,
): StartedRuns {
  return new StartedRuns({
    connections,
    store,
    log,
    kept: new KeptStartedRuns(memento),
    causeOf,
    show(profileId, runId, name) {
      if (profileId === connections.current.id) {
        void vscode.commands.executeCommand('millrace.openRun', { profileId, runId });
        return;
      }
      // Pages belong to the shown profile; a text may belong to any profile.
      documents
        .show(profileId, runId, name)
        .catch((error: unknown) => presentFailure(error, 'millrace.run.showOutput'));
    },
    changed,
  });
}

export interface PollAttentionOptions {
  readonly poller: Pick<RunPoller, 'setAttention'>;
  readonly store: Pick<RunStore, 'activeRuns' | 'onDidChange'>;
  readonly view: Pick<JobsView, 'isVisible' | 'onDidChangeVisibility'>;
  readonly started: Pick<StartedRuns, 'areGoing'>;
}

export interface PollAttention extends vscode.Disposable {
  /** Called when a dependency changed without an event. */
  update(): void;
  /** Keeps the data up to date for a page until the returned object is disposed. */
  attend(): vscode.Disposable;
}

/** Sets how often the poller polls: only as often as a user sees its results or waits for them. */
export function pollAttention({ poller, store, view, started }: PollAttentionOptions): PollAttention {
  /** Pages that show the polled data. */
  const pages = new Set<object>();
  const update = (): void => {
    const { focused } = vscode.window.state;
    if (((view.isVisible || pages.size > 0) && focused) || started.areGoing) poller.setAttention('full');
    // The badge shows the number of active runs even while the view is hidden.
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

/**
 * Opens runs from external links, such as those in mails and webhooks of the local service. The author of a link is unknown, so the user
 * must confirm first; a link never changes anything on a service.
 */
export class RunLinks implements vscode.UriHandler {
  readonly #connections: Pick<ConnectionService, 'current' | 'profiles'>;

  constructor(connections: Pick<ConnectionService, 'current' | 'profiles'>) {
    this.#connections = connections;
  }

  async handleUri(uri: vscode.Uri): Promise<void> {
    const linked = readRunLink(uri);
    if (!linked) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t('The link names no run, so nothing was done. It may be incomplete.'),
      );
      return;
    }
    const { profileId, runId } = linked;
    const profile = this.#connections.profiles.find(({ id }) => id === profileId);
    if (!profile) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t(
          'The link is for the profile "{0}", which does not exist. Nothing was done.',
          plainText(profileId),
        ),
      );
      return;
    }
    const open = vscode.l10n.t('Open');
    const isCurrent = this.#connections.current.id === profileId;
    const choice = await vscode.window.showInformationMessage(
      vscode.l10n.t('Open run {0} of "{1}"?', runId, profile.name),
      {
        modal: true,
        detail: [
          vscode.l10n.t('A link asks for this. The run is only read, with the sign-in of this profile.'),
          ...(isCurrent ? [] : [vscode.l10n.t('This window switches to the profile.')]),
        ].join(' '),
      },
      open,
    );
    if (choice !== open) return;
    if (!isCurrent) await vscode.commands.executeCommand('millrace.profile.choose', profileId);
    await vscode.commands.executeCommand('millrace.openRun', { profileId, runId });
  }
}
