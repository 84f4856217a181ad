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

/** The runs whose debug sessions are open. */
interface DebuggedRuns {
  phaseOf(runId: string): DebugPhase | undefined;
  readonly onDidChange: Event<void>;
}

/** What others changed in the jobs of the files that are here. */
interface ChangesElsewhere {
  /** When that was first seen, in epoch milliseconds; undefined if nobody changed the job. */
  seenMs(jobId: string): number | undefined;
  readonly onDidChange: Event<unknown>;
}

export interface JobsViewOptions {
  readonly connections: Pick<ConnectionService, 'current' | 'isKnownEmpty'>;
  readonly store: RunStore;
  readonly arrangement: KeptArrangement;
  readonly poller: Pick<RunPoller, 'firstPoll' | 'want'>;
  readonly loader: Pick<RunLoader, 'load' | 'loadAll'>;
  /** The runs of this machine that are debugged in this window. */
  readonly debuggedRuns: DebuggedRuns;
  readonly changesElsewhere: ChangesElsewhere;
  /** Keeps what the user has opened and selected, for this workspace. */
  readonly memento: vscode.Memento;
  readonly log: Logger;
}

/** Rows of the jobs that go along with one message: each is read, with its output. */
const maxAttached = 10;
/** Ages are told in minutes. */
const agesInMs = 30_000;

/** The view of jobs and runs: its rows, its badge, its line of words, and the picture that stands where there are no rows. */
export class JobsView implements Disposable {
  readonly #options: JobsViewOptions;
  readonly #disposables = new DisposableStore();
  readonly #tree: JobsTree;
  readonly #view: vscode.TreeView<TreeElement>;
  /** Fires when the view comes into sight or goes out of it. */
  readonly onDidChangeVisibility: vscode.Event<unknown>;
  #model: TreeModel;
  /** As the local service tells it, of the sessions of every window. */
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
    // A page learns that rows were dropped, and not which.
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
    // What was known when this was built may not hold any more.
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

  /** The rows that are selected. */
  get selection(): readonly TreeElement[] {
    return this.#view.selection;
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** Whether the runs of all jobs stand at the top, by time. */
  get isByTime(): boolean {
    return this.#model.isByTime;
  }

  /** Resolves once the view shows what there is, and at once if it is not to be seen. */
  shown(): Promise<void> {
    return this.#view.visible ? this.#tree.answered : Promise.resolve();
  }

  /** Asks again for the runs that could not be loaded. */
  retryFailed(): void {
    this.#tree.retryFailed();
  }

  /** @param runIds the runs of this machine that wait in a debugger, of any window */
  hold(runIds: readonly string[]): void {
    if (String(runIds) === String([...this.#held])) return;
    this.#held = new Set(runIds);
    this.#tree.redraw();
  }

  /** The rows are those of this profile from now on. The store is emptied after this, which has them drawn. */
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

  /** Rows tell how long ago their runs ended. */
  #redrawAges(): void {
    if (this.#view.visible && vscode.window.state.focused && this.#options.store.freshness.kind === 'fresh')
      this.#tree.redraw();
  }

  /** The badge, and the words beside the view's name and above its rows. */
  #updateWords(): void {
    const { store, connections, arrangement } = this.#options;
    // What was going when it was last seen may have ended since.
    const active = store.freshness.kind === 'fresh' ? store.activeRuns.length : 0;
    this.#view.badge = active > 0 ? { value: active, tooltip: vscode.l10n.t('Active runs: {0}', active) } : undefined;
    // The name of a profile stands above its own rows. Where none are to be seen there is nothing to wait for.
    if (this.#tree.isBehind && this.#view.visible) return;
    const words = viewWords(connections.current.name, arrangement.current, this.#model);
    this.#view.description = words.description;
    // The editor has the rows wait that follow a message, be it the same one.
    if (this.#view.message !== words.message) this.#view.message = words.message;
  }

  #updatePicture(): void {
    const { store, connections } = this.#options;
    // A list that has not come yet is not an empty list, unless there is nobody to ask for it.
    const shown = store.freshness.kind === 'empty' && connections.isKnownEmpty ? 'rows' : viewPicture(store.freshness);
    // What was read and is not drawn yet is not missing.
    if (shown === 'rows' && this.#tree.isBehind) return;
    if (shown !== this.#picture) setContext('millrace.jobsPicture', shown);
    this.#picture = shown;
  }

  #updateContexts(): void {
    for (const [key, value] of Object.entries(viewContext(this.#options.arrangement.current))) setContext(key, value);
  }

  /** Pages of the local service are not found by an editor in a browser, so it offers none of them. */
  #updateProfileContext({ kind, readOnly }: Profile): void {
    setContext('millrace.localProfile', kind === 'local');
    setContext('millrace.readOnlyProfile', readOnly);
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
  /** A line above the rows; undefined if the rows, or the view's welcome, say it all. */
  readonly message: string | undefined;
}

/** What the view says of itself: the profile, what is filtered and how many rows that leaves. */
export function viewWords(profileName: string, arrangement: Arrangement, model: TreeModel): ViewWords {
  const words = filterWords(arrangement);
  const { isByTime } = model;
  const order = orderWords(isByTime ? 'time' : arrangement.sort);
  const description = [profileName, ...order, ...(words === undefined ? [] : [words])].join(' · ');
  // Counting looks at each job, which is for nothing where none is left out.
  if (words === undefined) return { description, message: undefined };
  const { counts } = model;
  // A message keeps the welcome away, which has the button that clears the filter.
  if (counts.shown === 0) return { description, message: undefined };
  const shown = isByTime
    ? vscode.l10n.t('{0} of {1} loaded runs match: {2}', counts.shown, counts.all, words)
    : vscode.l10n.t('{0} of {1} jobs match: {2}', counts.shown, counts.all, words);
  const unasked =
    counts.unasked > 0 ? [vscode.l10n.t('The last result of {0} more jobs is not known yet.', counts.unasked)] : [];
  return { description, message: [shown, ...unasked].join('. ') };
}

/** What the view's menus and its welcome depend on. */
export function viewContext(arrangement: Arrangement): Readonly<Record<string, boolean>> {
  return { 'millrace.jobsFiltered': isFiltered(arrangement), 'millrace.jobsByTime': arrangement.by === 'time' };
}

/** The order by name goes without saying. */
function orderWords(order: JobOrder | 'time'): string[] {
  switch (order) {
    case 'time':
      return [vscode.l10n.t('all runs by time')];
    case 'lastRun':
      return [vscode.l10n.t('by last run')];
    case 'nextRun':
      return [vscode.l10n.t('by next run')];
    case 'name':
      return [];
  }
}

const expandedKey = 'millrace.jobs.expanded';
const selectedKey = 'millrace.jobs.selected';
/** What stands below each of them is asked for when the window opens. */
const maxExpanded = 20;

/** A row that the editor does not know yet is selected after a pause, so many times at most. */
const maxAttempts = 20;
const pauseInMs = 100;

/** Which rows of the view are open and which is selected; both outlive the window, for this workspace. */
export class KeptRows implements Disposable {
  readonly #memento: vscode.Memento;
  readonly #disposables = new DisposableStore();
  /** Ids of rows, the one that was opened last at the end. */
  readonly #expanded: Set<string>;
  /** The row that was selected in the window before, until it is there or another one is selected. */
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

  /** Follows what the user does in the view. */
  follow(view: vscode.TreeView<TreeElement>): void {
    this.#disposables.add(view.onDidExpandElement(({ element }) => this.#setExpanded(element.id, true)));
    this.#disposables.add(view.onDidCollapseElement(({ element }) => this.#setExpanded(element.id, false)));
    this.#disposables.add(
      view.onDidChangeSelection(({ selection }) => {
        // Rows that are drawn anew lose their selection without anybody's doing.
        if (selection.length === 0) return;
        this.#selected = undefined;
        void this.#memento.update(selectedKey, selection.length === 1 ? selection[0]?.id : undefined);
      }),
    );
  }

  /** Rows were given to the editor: the one that was selected before is selected again if it is among them. */
  shown(view: vscode.TreeView<TreeElement>, elements: readonly TreeElement[]): void {
    const element = elements.find(({ id }) => id === this.#selected);
    // A view that is hidden would be opened for it.
    if (!element || !view.visible) return;
    clearTimeout(this.#timer);
    this.#select(view, element, 1);
  }

  /** The editor draws what it was given after a while, which it does not tell, and until then knows no such row. */
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
    // Whoever opens rows looks for something else by now.
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
