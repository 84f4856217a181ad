import * as vscode from 'vscode';
import { type CommandId, internalCommands } from '../../commands/ids.ts';
import type { ConnectionService, Profile } from '../../connection/connection.ts';
import { AppError, describeError } from '../../shared/errors.ts';
import type { Event } from '../../shared/event.ts';
import { lazy } from '../../shared/lazy.ts';
import { DisposableStore } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import { localIntervals, remoteIntervals, type PollIntervals } from '../pollIntervals.ts';
import { RunPoller } from '../runPoller.ts';
import type { DebugPhase } from '../runState.ts';
import { RunStore } from '../runStore.ts';
import type { ScheduleTimes } from '../scheduleTimes.ts';
import type { TreeElement } from '../treeElements.ts';
import { TreeModel } from '../treeModel.ts';
import { viewPicture, type ViewPicture } from '../viewPicture.ts';
import { JobsTree, registerOpenRow } from './jobsTree.ts';
import { KeptArrangement } from './keptArrangement.ts';
import { KeptRows } from './keptRows.ts';
import { KeptStartedRuns } from './keptStartedRuns.ts';
import { RunDocuments } from './runDocuments.ts';
import { RunLinks } from './runLinks.ts';
import { StartedRuns, type FailureCauses } from './startedRuns.ts';
import { viewContext, viewWords } from './viewWords.ts';

/** Rows of the jobs that go along with one message: each is read, with its output. */
const maxAttached = 10;

/** What the rest of the extension does with runs. */
export interface Runs extends vscode.Disposable {
  readonly store: RunStore;
  readonly arrangement: KeptArrangement;
  /** The rows that are selected in the view. */
  readonly selection: readonly unknown[];
  /** Looks at once, after something was changed. */
  refresh(): Promise<void>;
  /** Reads everything anew, because the user asks for it: what is shown below the jobs as well. */
  reload(): Promise<void>;
  /** The local service came up or went down. */
  pollSoon(): void;
  /**
   * The end of the run is told, whichever profile is shown by then.
   * @param startedName of a run that was started here just now: that is told as well
   */
  watch(profileId: string, runId: string, startedName?: string): void;
  /** Marks the jobs that others changed since the last deploy of their files from here. */
  mark(source: ChangesElsewhere): void;
  /** Marks the runs of this machine that are debugged in this window. */
  markDebugged(source: DebuggedRuns): void;
  /** Asks here what was raised in a run that failed, for the message of its end. */
  explainFailures(source: FailureCauses): void;
  /** The runs are about to be cancelled by the user: that they end so is not told. @returns takes it back */
  cancelling(profileId: string, runIds: readonly string[]): () => void;
  /** @param jobId undefined for what stands at the top: the runs without a job, or those of all if they are by time */
  loadMoreRuns(jobId: string | undefined): Promise<void>;
  /** Shows the output of a run as a text, in a tab of this name. */
  showOutput(profileId: string, runId: string, name: string): Promise<void>;
  /** Somebody sees what is known of jobs and runs, elsewhere than in the view: it is kept true until this is disposed of. */
  attend(): vscode.Disposable;
  /** Resolves once the view shows what there is, and at once if it is not to be seen. */
  shown(): Promise<void>;
  /** Reads the newest runs of a job into the store. */
  loadRuns(jobId: string, limit: number): Promise<void>;
  /** Shows the outputs of two runs side by side. */
  compareOutputs(profileId: string, runIds: readonly [string, string], title: string): Promise<void>;
}

/** The runs whose debug sessions are open. */
interface DebuggedRuns {
  phaseOf(runId: string): DebugPhase | undefined;
  readonly onDidChange: Event<void>;
}

/** What others changed in the jobs of the files that are here. */
interface ChangesElsewhere {
  /** When that was first seen; undefined if nobody changed the job. */
  seenMs(jobId: string): number | undefined;
  readonly onDidChange: Event<unknown>;
}

export interface RunsServices {
  log: Logger;
  /** Keeps what the user has chosen for this workspace. */
  memento: vscode.Memento;
  /** Tells the user what went wrong. */
  presentFailure(error: unknown, what: string): void;
}

const pageSize = 20;
/** Of all jobs' runs, so many more rows at once. */
const allPageSize = 100;
/** Ages are told in minutes. */
const agesInMs = 30_000;
/** The service gives at most this many runs at once (Jobs API 2.0, runs/list). */
const maxPageSize = 999;

function intervalsOf({ kind }: Profile): PollIntervals {
  return kind === 'local' ? localIntervals : remoteIntervals;
}

/**
 * The jobs view, its poller, run outputs and "run finished" messages. Nothing is asked before the view
 * is seen, unless the end of a run that was started here is waited for.
 */
export function registerRuns(connections: ConnectionService, { log, memento, presentFailure }: RunsServices): Runs {
  const disposables = new DisposableStore();
  const arrangement = disposables.add(new KeptArrangement(memento));
  const store = disposables.add(new RunStore());
  const poller = disposables.add(
    new RunPoller({
      store,
      async connect(options) {
        const connection = await connections.connectIfUsed(options);
        if (!connection) return undefined;
        const { client, profile } = connection;
        return { client: profile.kind === 'local' ? client : { jobs: client.jobs }, intervals: intervalsOf(profile) };
      },
      intervals: () => intervalsOf(connections.current),
      onHeld(runIds) {
        if (String(runIds) === String([...held])) return;
        held = new Set(runIds);
        tree.redraw();
      },
    }),
  );
  disposables.add(vscode.window.registerUriHandler(new RunLinks(connections)));
  let scheduleTimes: ScheduleTimes | undefined;
  let changes: ChangesElsewhere | undefined;
  let debugged: DebuggedRuns | undefined;
  /** As the local service tells it, of the sessions of every window. */
  let held: ReadonlySet<string> = new Set();
  const modelOf = ({ id: profileId, kind }: Profile): TreeModel =>
    new TreeModel({
      profileId,
      store,
      now: () => Date.now(),
      scheduleTimes: () => scheduleTimes,
      arrangement: () => arrangement.current,
      pinned: () => arrangement.pinned(profileId),
      changedElsewhere: (jobId) => changes?.seenMs(jobId),
      debugPhase: (runId) =>
        kind === 'local' ? (debugged?.phaseOf(runId) ?? (held.has(runId) ? 'held' : undefined)) : undefined,
    });
  let model = modelOf(connections.current);
  const loadTimes = lazy(async () => {
    const module = await import('../scheduleTimes.ts');
    scheduleTimes = new module.ScheduleTimes({
      now: () => Date.now(),
      elapsed: () => performance.now(),
      later: (task) => void setImmediate(task),
      onComputed: () => tree.redraw(),
    });
  });
  /** Ends what is being asked of a profile that is not the current one any more. */
  let ofProfile = new AbortController();
  const load = async (jobId: string | undefined, limit: number): Promise<void> => {
    const { signal } = ofProfile;
    const connection = await connections.connectIfUsed({ signal });
    if (!connection) return;
    // A failure is told at once: while rows are waited for, the editor draws nothing else in the tree.
    const options = { signal, retry: 'fail' } as const;
    const which = jobId === undefined ? { run_type: 'SUBMIT_RUN' as const } : { job_id: jobId };
    const { jobs } = connection.client;
    const { runs, has_more: hasMore } = await poller.ask(() => jobs.listRuns({ ...which, limit }, options));
    signal.throwIfAborted();
    if (jobId === undefined) store.setOneTimeRuns(runs, hasMore, Date.now());
    else store.setRunsOf(jobId, runs, hasMore, Date.now());
  };
  /** The runs of all jobs: those that follow the ones that are there, or the newest. */
  const loadAll = async (older: boolean): Promise<void> => {
    const { signal } = ofProfile;
    const connection = await connections.connectIfUsed({ signal });
    if (!connection) return;
    const offset = older ? (store.allRuns?.runs.length ?? 0) : 0;
    const { runs, has_more: hasMore } = await connection.client.jobs.listRuns(
      { limit: allPageSize, ...(offset > 0 ? { offset } : {}) },
      { signal, retry: 'fail' },
    );
    signal.throwIfAborted();
    store.setAllRuns(runs, hasMore, Date.now(), { older });
  };
  const rows = disposables.add(new KeptRows(memento));
  const tree = disposables.add(
    new JobsTree({
      store,
      model: () => model,
      firstPoll: () => poller.firstPoll(),
      ready: () => loadTimes().catch((error: unknown) => log.warn(`No schedules are told: ${describeError(error)}`)),
      pointedAt: (jobId) => poller.want(jobId),
      loadRuns: (jobId) => load(jobId, pageSize),
      loadAllRuns: () => loadAll(false),
      isExpanded: (id) => rows.isExpanded(id),
      shown(elements) {
        rows.shown(view, elements);
        updateBadge();
        updateWelcome();
      },
    }),
  );
  let dragged: readonly TreeElement[] = [];
  const view = disposables.add(
    vscode.window.createTreeView('millrace.jobs', {
      treeDataProvider: tree,
      showCollapseAll: true,
      canSelectMany: true,
      dragAndDropController: {
        dragMimeTypes: [],
        dropMimeTypes: [],
        handleDrag: (elements) => void (dragged = elements),
      },
    }),
  );
  // A page learns that rows were dropped, and not which.
  disposables.add(
    vscode.commands.registerCommand(internalCommands.attachDragged, async () => {
      if (dragged.length > maxAttached)
        throw new AppError('tooLarge', vscode.l10n.t('At most {0} rows are attached at a time.', maxAttached));
      for (const element of dragged) {
        const command: CommandId =
          element.node.runId === undefined ? 'millrace.job.attachToChat' : 'millrace.run.attachToChat';
        await vscode.commands.executeCommand(command, element);
      }
    }),
  );
  disposables.add(registerOpenRow(view));
  rows.follow(view);
  const documents = disposables.add(new RunDocuments(connections, store));

  /** Pages are filled in one after the other, however many are restored at once. */
  let filling: Promise<void> = Promise.resolve();
  /** Pages that show what is known. */
  const attending = new Set<object>();
  const started = disposables.add(
    new StartedRuns({
      connections,
      store,
      log,
      kept: new KeptStartedRuns(memento),
      show(profileId, runId, name) {
        if (profileId === connections.current.id) {
          void vscode.commands.executeCommand('millrace.openRun', { profileId, runId });
          return;
        }
        // The pages are those of the profile that is shown; a text is of any.
        documents
          .show(profileId, runId, name)
          .catch((error: unknown) => presentFailure(error, 'millrace.run.showOutput'));
      },
      changed: () => updateAttention(),
    }),
  );
  const updateAttention = (): void => {
    const { focused } = vscode.window.state;
    if (((view.visible || attending.size > 0) && focused) || started.areGoing) poller.setAttention('full');
    // The badge tells how many are active, and is there to be seen while the view is not.
    else poller.setAttention(focused && store.activeRuns.length > 0 ? 'slow' : 'none');
  };
  // Rows tell how long ago their runs ended.
  const ages = setInterval(() => {
    if (view.visible && vscode.window.state.focused && store.freshness.kind === 'fresh') tree.redraw();
  }, agesInMs);
  disposables.add({ dispose: () => clearInterval(ages) });
  const updateBadge = (): void => {
    // What was going when it was last seen may have ended since.
    const active = store.freshness.kind === 'fresh' ? store.activeRuns.length : 0;
    view.badge = active > 0 ? { value: active, tooltip: vscode.l10n.t('Active runs: {0}', active) } : undefined;
    // The name of a profile stands above its own rows. Where none are to be seen there is nothing to wait for.
    if (tree.isBehind && view.visible) return;
    const words = viewWords(connections.current.name, arrangement.current, model);
    view.description = words.description;
    // The editor has the rows wait that follow a message, be it the same one.
    if (view.message !== words.message) view.message = words.message;
  };
  const updateArrangement = (): void => {
    for (const [key, value] of Object.entries(viewContext(arrangement.current)))
      void vscode.commands.executeCommand('setContext', key, value);
  };
  disposables.add(
    arrangement.onDidChange(() => {
      updateArrangement();
      updateBadge();
      tree.rearrange();
    }),
  );
  let picture: ViewPicture | undefined;
  const updateWelcome = (): void => {
    // A list that has not come yet is not an empty list, unless there is nobody to ask for it.
    const shown = store.freshness.kind === 'empty' && connections.isKnownEmpty ? 'rows' : viewPicture(store.freshness);
    // What was read and is not drawn yet is not missing.
    if (shown === 'rows' && tree.isBehind) return;
    if (shown !== picture) void vscode.commands.executeCommand('setContext', 'millrace.jobsPicture', shown);
    picture = shown;
  };
  /** Pages of the local service are not found by an editor in a browser, so it offers none of them. */
  const updateProfileContext = ({ kind, readOnly }: Profile): void => {
    void vscode.commands.executeCommand('setContext', 'millrace.localProfile', kind === 'local');
    void vscode.commands.executeCommand('setContext', 'millrace.readOnlyProfile', readOnly);
  };
  const changeProfile = (profile: Profile): void => {
    started.leave();
    updateProfileContext(profile);
    ofProfile.abort();
    ofProfile = new AbortController();
    model = modelOf(profile);
    poller.restart();
    started.enter(profile.id);
    updateAttention();
    updateBadge();
  };
  disposables.add(view.onDidChangeVisibility(updateAttention));
  // What was known when this was built may not hold any more.
  disposables.add(view.onDidChangeVisibility(updateWelcome));
  disposables.add(vscode.window.onDidChangeWindowState(updateAttention));
  disposables.add(
    store.onDidChange(() => {
      updateAttention();
      updateBadge();
      updateWelcome();
    }),
  );
  disposables.add(connections.onDidChange(changeProfile));
  disposables.add({ dispose: () => ofProfile.abort() });
  updateProfileContext(connections.current);
  updateArrangement();
  updateWelcome();
  updateAttention();
  updateBadge();
  started.resume();

  return {
    store,
    arrangement,
    get selection() {
      return view.selection;
    },
    refresh: () => poller.refresh(),
    async reload() {
      store.askAgain();
      await poller.refresh({ byUser: true });
      // The newest runs are read with every look; what is gone of the older ones only a page tells.
      if (store.freshness.kind === 'fresh') store.forgetPages();
      tree.retryFailed();
    },
    pollSoon: () => poller.pollSoon(),
    watch: (profileId, runId, startedName) => started.watch(profileId, runId, startedName),
    mark(source) {
      changes = source;
      disposables.add(source.onDidChange(() => tree.redraw()));
    },
    markDebugged(source) {
      debugged = source;
      disposables.add(source.onDidChange(() => tree.redraw()));
    },
    explainFailures(source) {
      started.causes = source;
    },
    cancelling: (profileId, runIds) => started.cancellations.add(profileId, runIds),
    loadMoreRuns(jobId) {
      if (jobId === undefined && model.isByTime) return loadAll(true);
      const shown = jobId === undefined ? store.oneTimeRuns : store.runsOf(jobId);
      return load(jobId, Math.min((shown?.runs.length ?? 0) + 5 * pageSize, maxPageSize));
    },
    attend() {
      const page = {};
      attending.add(page);
      updateAttention();
      return new vscode.Disposable(() => {
        attending.delete(page);
        updateAttention();
      });
    },
    shown: () => (view.visible ? tree.answered : Promise.resolve()),
    loadRuns(jobId, limit) {
      const loaded = filling.then(() => load(jobId, limit));
      filling = loaded.catch(() => undefined);
      return loaded;
    },
    showOutput: (profileId, runId, name) => documents.show(profileId, runId, name),
    compareOutputs: (profileId, runIds, title) => documents.compare(profileId, runIds, title),
    dispose: () => disposables.dispose(),
  };
}
