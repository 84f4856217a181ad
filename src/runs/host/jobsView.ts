import * as vscode from 'vscode';
import type { ConnectionService, Profile } from '../../connection/connection.ts';
import { type CommandId, internalCommands } from '../../shared/commandIds.ts';
import { AppError, describeError } from '../../shared/errors.ts';
import type { Event } from '../../shared/event.ts';
import { lazy } from '../../shared/lazy.ts';
import { type Disposable, DisposableStore } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/log.ts';
import type { RunLoader } from '../polling/runLoader.ts';
import type { RunPoller } from '../polling/runPoller.ts';
import type { DebugPhase } from '../runState.ts';
import type { ScheduleTimes } from '../scheduleTimes.ts';
import type { RunStore } from '../store/runStore.ts';
import { type Arrangement, filterWords, isFiltered, type JobOrder } from '../tree/arrangement.ts';
import type { TreeElement } from '../tree/treeElements.ts';
import { TreeModel } from '../tree/treeModel.ts';
import { viewPicture, type ViewPicture } from '../tree/viewPicture.ts';
import { JobsTree, registerOpenRow } from './jobsTree.ts';
import type { KeptArrangement } from './keptArrangement.ts';

/** The runs with open debug sessions. */
interface DebuggedRuns {
  phaseOf(runId: string): DebugPhase | undefined;
  readonly onDidChange: Event<void>;
}

/** Changes that others made to the jobs of local files. */
interface ChangesElsewhere {
  /** Returns when the change was first seen, in epoch milliseconds, or `undefined` if nobody changed the job. */
  seenMs(jobId: string): number | undefined;
  readonly onDidChange: Event<unknown>;
}

export interface JobsViewOptions {
  readonly connections: Pick<ConnectionService, 'current' | 'isKnownEmpty'>;
  readonly store: RunStore;
  readonly arrangement: KeptArrangement;
  readonly poller: Pick<RunPoller, 'firstPoll' | 'want'>;
  readonly loader: Pick<RunLoader, 'load' | 'loadAll' | 'loadTasks'>;
  /** The local runs that are debugged in this window. */
  readonly debuggedRuns: DebuggedRuns;
  readonly changesElsewhere: ChangesElsewhere;
  /** Stores the open and selected rows, for this workspace. */
  readonly memento: vscode.Memento;
  readonly log: Logger;
}

/** Maximum job rows attached to one message: each is read with its output. */
const maxAttached = 10;
/** How often ages are redrawn; they are shown in minutes. */
const agesInMs = 30_000;

/** The view of jobs and runs: its rows, its badge, its message, and the picture shown when there are no rows. */
export class JobsView implements Disposable {
  readonly #options: JobsViewOptions;
  readonly #disposables = new DisposableStore();
  readonly #tree: JobsTree;
  readonly #view: vscode.TreeView<TreeElement>;
  /** Fires when the view becomes visible or hidden. */
  readonly onDidChangeVisibility: vscode.Event<unknown>;
  #model: TreeModel;
  /** The held runs of all windows, as reported by the local service. */
  #held: ReadonlySet<string> = new Set();
  #scheduleTimes: ScheduleTimes | undefined;
  readonly #loadTimes = lazy(async () => {
    const module = await import('../scheduleTimes.ts');
    this.#scheduleTimes = new module.ScheduleTimes({
      now: () => Date.now(),
      elapsed: () => performance.now(),
      later: (task) => void setImmediate(task),
      onComputed: () => this.#tree.redraw(),
    });
  });
  #picture: ViewPicture | undefined;
  #dragged: readonly TreeElement[] = [];

  constructor(options: JobsViewOptions) {
    const { connections, store, arrangement, poller, loader, debuggedRuns, changesElsewhere, memento, log } = options;
    this.#options = options;
    this.#model = this.#modelOf(connections.current);
    const rows = this.#disposables.add(new KeptRows(memento));
    this.#tree = this.#disposables.add(
      new JobsTree({
        store,
        model: () => this.#model,
        firstPoll: () => poller.firstPoll(),
        ready: () =>
          this.#loadTimes().catch((error: unknown) => log.warn(`No schedules are told: ${describeError(error)}`)),
        pointedAt: (jobId) => poller.want(jobId),
        loadRuns: (jobId) => loader.load(jobId),
        loadTasks: async (runId) => {
          const hasRepairs = await loader.loadTasks(runId);
          if (hasRepairs !== undefined) setContext('millrace.hasRepairs', hasRepairs);
        },
        loadAllRuns: () => loader.loadAll({ older: false }),
        isExpanded: (id) => rows.isExpanded(id),
        shown: (elements) => {
          rows.shown(this.#view, elements);
          this.#updateWords();
          this.#updatePicture();
        },
      }),
    );
    this.#view = this.#disposables.add(
      vscode.window.createTreeView('millrace.jobs', {
        treeDataProvider: this.#tree,
        showCollapseAll: true,
        canSelectMany: true,
        dragAndDropController: {
          dragMimeTypes: [],
          dropMimeTypes: [],
          handleDrag: (elements) => void (this.#dragged = elements),
        },
      }),
    );
    this.onDidChangeVisibility = this.#view.onDidChangeVisibility;
    // The event reports that rows were dropped, but not which.
    this.#disposables.add(
      vscode.commands.registerCommand(internalCommands.attachDragged, () => attachRows(this.#dragged)),
    );
    this.#disposables.add(registerOpenRow(this.#view));
    rows.follow(this.#view);
    const ages = setInterval(() => this.#redrawAges(), agesInMs);
    this.#disposables.add({ dispose: () => clearInterval(ages) });
    this.#disposables.add(
      arrangement.onDidChange(() => {
        this.#updateContexts();
        this.#updateWords();
        this.#tree.rearrange();
      }),
    );
    // The state from when this was built may be outdated.
    this.#disposables.add(this.#view.onDidChangeVisibility(() => this.#updatePicture()));
    this.#disposables.add(
      store.onDidChange(() => {
        this.#updateWords();
        this.#updatePicture();
      }),
    );
    this.#disposables.add(changesElsewhere.onDidChange(() => this.#tree.redraw()));
    this.#disposables.add(debuggedRuns.onDidChange(() => this.#tree.redraw()));
    this.#updateProfileContext(connections.current);
    this.#updateContexts();
    this.#updatePicture();
    this.#updateWords();
  }

  /** The selected rows. */
  get selection(): readonly TreeElement[] {
    return this.#view.selection;
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** Whether the runs of all jobs are at the top, ordered by time. */
  get isByTime(): boolean {
    return this.#model.isByTime;
  }

  /** Resolves once the view is up to date, and immediately if it is hidden. */
  shown(): Promise<void> {
    return this.#view.visible ? this.#tree.answered : Promise.resolve();
  }

  /** Requests the runs again that could not be loaded. */
  retryFailed(): void {
    this.#tree.retryFailed();
  }

  /**
   * Marks runs as paused in the debugger.
   * @param runIds the local runs that wait in a debugger of any window
   */
  hold(runIds: readonly string[]): void {
    if (String(runIds) === String([...this.#held])) return;
    this.#held = new Set(runIds);
    this.#tree.redraw();
  }

  /** Shows the rows of this profile from now on. The store is emptied afterwards, which redraws them. */
  changeProfile(profile: Profile): void {
    this.#updateProfileContext(profile);
    this.#model = this.#modelOf(profile);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #modelOf({ id: profileId, kind }: Profile): TreeModel {
    const { store, arrangement, changesElsewhere, debuggedRuns } = this.#options;
    return new TreeModel({
      profileId,
      store,
      now: () => Date.now(),
      scheduleTimes: () => this.#scheduleTimes,
      arrangement: () => arrangement.current,
      pinned: () => arrangement.pinned(profileId),
      changedElsewhere: (jobId) => changesElsewhere.seenMs(jobId),
      debugPhase: (runId) =>
        kind === 'local' ? (debuggedRuns.phaseOf(runId) ?? (this.#held.has(runId) ? 'held' : undefined)) : undefined,
    });
  }

  /** Redraws the rows, which show how long ago their runs ended. */
  #redrawAges(): void {
    if (this.#view.visible && vscode.window.state.focused && this.#options.store.freshness.kind === 'fresh')
      this.#tree.redraw();
  }

  /** Updates the badge, the description beside the view's name and the message above its rows. */
  #updateWords(): void {
    const { store, connections, arrangement } = this.#options;
    // Runs that were active in the last poll may have ended since.
    const active = store.freshness.kind === 'fresh' ? store.activeRuns.length : 0;
    this.#view.badge = active > 0 ? { value: active, tooltip: vscode.l10n.t('Active runs: {0}', active) } : undefined;
    // The name of a profile is shown only with its own rows. If the view is hidden, there are no rows to wait for.
    if (this.#tree.isBehind && this.#view.visible) return;
    const words = viewWords(connections.current.name, arrangement.current, this.#model);
    this.#view.description = words.description;
    // Setting a message, even the same one, delays the rows that follow in the editor.
    if (this.#view.message !== words.message) this.#view.message = words.message;
  }

  #updatePicture(): void {
    const { store, connections } = this.#options;
    // A list that has not been read is not empty, unless there is no service to request it from.
    const shown = store.freshness.kind === 'empty' && connections.isKnownEmpty ? 'rows' : viewPicture(store.freshness);
    // Rows that are read but not drawn yet are not missing.
    if (shown === 'rows' && this.#tree.isBehind) return;
    if (shown !== this.#picture) setContext('millrace.jobsPicture', shown);
    this.#picture = shown;
  }

  #updateContexts(): void {
    for (const [key, value] of Object.entries(viewContext(this.#options.arrangement.current))) setContext(key, value);
  }

  /** An editor in a browser cannot reach the pages of the local service, so it does not offer them. */
  #updateProfileContext({ kind, readOnly }: Profile): void {
    setContext('millrace.localProfile', kind === 'local');
    setContext('millrace.readOnlyProfile', readOnly);
    setContext('millrace.hasRepairs', false);
  }
}

function setContext(key: string, value: unknown): void {
  void vscode.commands.executeCommand('setContext', key, value);
}

async function attachRows(rows: readonly TreeElement[]): Promise<void> {
  if (rows.length > maxAttached)
    throw new AppError('tooLarge', vscode.l10n.t('At most {0} rows can be attached at a time.', maxAttached));
  for (const row of rows) {
    const command: CommandId = row.node.runId === undefined ? 'millrace.job.attachToChat' : 'millrace.run.attachToChat';
    await vscode.commands.executeCommand(command, row);
  }
}

interface ViewWords {
  readonly description: string;
  /** A line above the rows, or `undefined` if the rows or the view's welcome are enough. */
  readonly message: string | undefined;
}

/** Returns the view's description: the profile, the filter and how many rows it leaves. */
export function viewWords(profileName: string, arrangement: Arrangement, model: TreeModel): ViewWords {
  const words = filterWords(arrangement);
  const { isByTime } = model;
  const order = orderWords(isByTime ? 'time' : arrangement.sort);
  const description = [profileName, ...order, ...(words === undefined ? [] : [words])].join(' · ');
  // Counting visits every job, which is wasted if no filter is set.
  if (words === undefined) return { description, message: undefined };
  const { counts } = model;
  // A message would hide the welcome, which has the button that clears the filter.
  if (counts.shown === 0) return { description, message: undefined };
  const shown = isByTime
    ? vscode.l10n.t('{0} of {1} loaded runs match: {2}', counts.shown, counts.all, words)
    : vscode.l10n.t('{0} of {1} jobs match: {2}', counts.shown, counts.all, words);
  const unasked = counts.unasked > 0 ? [unaskedWords(counts.unasked)] : [];
  return { description, message: [shown, ...unasked].join('. ') };
}

function unaskedWords(count: number): string {
  return count === 1
    ? vscode.l10n.t('The last result of 1 more job is still unknown.')
    : vscode.l10n.t('The last results of {0} more jobs are still unknown.', count);
}

/** Returns the context keys of the view's menus and welcome. */
function viewContext(arrangement: Arrangement): Readonly<Record<string, boolean>> {
  return { 'millrace.jobsFiltered': isFiltered(arrangement), 'millrace.jobsByTime': arrangement.by === 'time' };
}

/** Returns the words for the order; the default order by state has none. */
function orderWords(order: JobOrder | 'time'): string[] {
  switch (order) {
    case 'time':
      return [vscode.l10n.t('all runs by time')];
    case 'lastRun':
      return [vscode.l10n.t('by last run')];
    case 'nextRun':
      return [vscode.l10n.t('by next run')];
    case 'name':
      return [vscode.l10n.t('by name')];
    case 'state':
      return [];
  }
}

const expandedKey = 'millrace.jobs.expanded';
const selectedKey = 'millrace.jobs.selected';
/** Maximum open rows: their children are requested when the window opens. */
const maxExpanded = 20;

/** Maximum attempts to select a row that the editor does not know yet, with a pause between them. */
const maxAttempts = 20;
const pauseInMs = 100;

/** The open rows and the selected row of the view; both outlive the window, for this workspace. */
export class KeptRows implements Disposable {
  readonly #memento: vscode.Memento;
  readonly #disposables = new DisposableStore();
  /** IDs of open rows, the last opened one at the end. */
  readonly #expanded: Set<string>;
  /** The row selected in the earlier window, until it is shown or another row is selected. */
  #selected: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
    const expanded = memento.get<unknown>(expandedKey);
    this.#expanded = new Set(Array.isArray(expanded) ? expanded.filter((id) => typeof id === 'string') : []);
    const selected = memento.get<unknown>(selectedKey);
    this.#selected = typeof selected === 'string' ? selected : undefined;
  }

  isExpanded(id: string): boolean {
    return this.#expanded.has(id);
  }

  /** Tracks which rows the user opens and selects. */
  follow(view: vscode.TreeView<TreeElement>): void {
    this.#disposables.add(view.onDidExpandElement(({ element }) => this.#setExpanded(element.id, true)));
    this.#disposables.add(view.onDidCollapseElement(({ element }) => this.#setExpanded(element.id, false)));
    this.#disposables.add(
      view.onDidChangeSelection(({ selection }) => {
        // Redrawn rows lose their selection without any user action.
        if (selection.length === 0) return;
        this.#selected = undefined;
        void this.#memento.update(selectedKey, selection.length === 1 ? selection[0]?.id : undefined);
      }),
    );
  }

  /** Called when the editor received rows: selects the earlier selected row if it is among them. */
  shown(view: vscode.TreeView<TreeElement>, elements: readonly TreeElement[]): void {
    const element = elements.find(({ id }) => id === this.#selected);
    // Selecting a row would open a hidden view.
    if (!element || !view.visible) return;
    clearTimeout(this.#timer);
    this.#select(view, element, 1);
  }

  /** Selects a row, with retries: the editor draws new rows after a delay that it does not report, and does not know them until then. */
  #select(view: vscode.TreeView<TreeElement>, element: TreeElement, attempt: number): void {
    if (this.#selected !== element.id || !view.visible) return;
    view.reveal(element, { select: true, focus: false, expand: false }).then(
      () => (this.#selected = undefined),
      () => {
        if (attempt < maxAttempts) this.#timer = setTimeout(() => this.#select(view, element, attempt + 1), pauseInMs);
      },
    );
  }

  #setExpanded(id: string, isExpanded: boolean): void {
    // A user who opens rows is looking for another one by now.
    if (!isExpanded || !this.#expanded.has(id)) this.#selected = undefined;
    this.#expanded.delete(id);
    if (isExpanded) this.#expanded.add(id);
    for (const oldest of this.#expanded) {
      if (this.#expanded.size <= maxExpanded) break;
      this.#expanded.delete(oldest);
    }
    void this.#memento.update(expandedKey, [...this.#expanded]);
  }

  dispose(): void {
    this.#selected = undefined;
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }
}
