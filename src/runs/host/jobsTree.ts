import * as vscode from 'vscode';
import { delay } from '../../shared/clock.ts';
import { internalCommands } from '../../shared/commandIds.ts';
import { describeError } from '../../shared/errors.ts';
import { isolated } from '../../shared/fields.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import type { StoreChange, RunStore } from '../store/runStore.ts';
import { OpenTasks } from '../tree/openTasks.ts';
import type { TreeDetails } from '../tree/rowDetails.ts';
import { TreeElements, type Redraw, type TreeElement } from '../tree/treeElements.ts';
import type { TreeModel } from '../tree/treeModel.ts';
import type { TreeNode } from '../tree/treeRows.ts';

export interface JobsTreeOptions {
  readonly store: RunStore;
  /** Returns the model of the current profile. */
  model(): TreeModel;
  /** Resolves after the first poll of the service. */
  firstPoll(): Promise<void>;
  /** Resolves once the rows can be drawn: the code that they need is loaded with the first row. */
  ready(): Promise<void>;
  /** Called when the user points at the job's row. */
  pointedAt(jobId: string): void;
  /**
   * Reads more runs of a job into the model.
   * @param jobId `undefined` for runs without a job
   */
  loadRuns(jobId: string | undefined): Promise<void>;
  /** Reads the tasks of a run into the model. */
  loadTasks(runId: string): Promise<void>;
  /** Reads the newest runs of all jobs. */
  loadAllRuns(): Promise<void>;
  /** Returns whether the row is open, as the default for the editor. */
  isExpanded(id: string): boolean;
  /** Called when the editor has received these rows, or everything that it is to show. */
  shown(elements: readonly TreeElement[]): void;
}

/** How long changes are collected before they are drawn together. */
const drawDelayInMs = 40;

/** Draws the tree of jobs and runs from the model. */
export class JobsTree implements vscode.TreeDataProvider<TreeElement>, Disposable {
  readonly #options: JobsTreeOptions;
  readonly #elements: TreeElements;
  readonly #openTasks: OpenTasks;
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<TreeElement | TreeElement[] | undefined>());
  readonly onDidChangeTreeData = this.#changed.event;
  #pending: (Redraw & { reset: boolean }) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the editor ever received rows, or an empty list. */
  #wasShown = false;
  readonly #answered = Promise.withResolvers<void>();
  /** Resolves once the editor has received the top rows, or an empty list. */
  readonly answered = this.#answered.promise;
  /** Whether the editor was notified of new top rows but has not received them yet. */
  #isAwaited = false;
  #loadingRoots: Promise<void> | undefined;
  /** The row that reports why the runs of all jobs could not be loaded. They are requested again only when the user asks for it. */
  #rootsFailure: TreeElement | undefined;

  constructor(options: JobsTreeOptions) {
    this.#options = options;
    this.#elements = new TreeElements(options.model);
    this.#openTasks = new OpenTasks({ store: options.store, load: (runId) => options.loadTasks(runId) });
    this.#disposables.add(options.store.onDidChange((change) => this.#schedule(change)));
  }

  /** Whether the editor may still show outdated rows, such as another profile's. */
  get isBehind(): boolean {
    return this.#isAwaited || this.#pending !== undefined;
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    const { node } = element;
    const item = new vscode.TreeItem(
      node.lead === undefined ? isolated(node.label) : `${node.lead} · ${isolated(node.label)}`,
      vscode.TreeItemCollapsibleState[
        node.expandable ? (this.#options.isExpanded(node.id) ? 'Expanded' : 'Collapsed') : 'None'
      ],
    );
    item.id = node.id;
    item.description = node.description;
    item.contextValue = ` ${node.context} `;
    if (node.icon) item.iconPath = iconOf(node.icon);
    item.accessibilityInformation = { label: node.accessibleLabel, role: 'treeitem' };
    if (commandOf(element) !== undefined) item.command = { command: internalCommands.openRow, title: node.label };
    return item;
  }

  /** Creates the tooltip on demand: most rows are never pointed at. */
  resolveTreeItem(item: vscode.TreeItem, { node }: TreeElement): vscode.TreeItem {
    if (node.kind === 'job' && node.jobId !== undefined) this.#options.pointedAt(node.jobId);
    item.tooltip = tooltip(this.#options.model().details(node), node.label);
    return item;
  }

  getParent(element: TreeElement): TreeElement | undefined {
    return this.#elements.parentOf(element);
  }

  async getChildren(element?: TreeElement): Promise<TreeElement[]> {
    const elements = await this.#childrenOf(element).finally(() => {
      if (element) return;
      this.#isAwaited = false;
      this.#answered.resolve();
    });
    // The editor has the rows in the next turn.
    setTimeout(() => this.#options.shown(elements), 0);
    return elements;
  }

  async #childrenOf(element?: TreeElement): Promise<TreeElement[]> {
    if (!element) {
      if (this.#options.store.freshness.kind === 'empty') {
        this.#elements.clear();
        const looked = this.#options.firstPoll();
        // While the editor waits for an answer, it keeps showing the old rows: another profile's rows under this one's name.
        if (!this.#wasShown) await looked;
      }
      // Do this after the poll: an empty view needs nothing more.
      if (this.#options.store.jobs.length > 0) await this.#options.ready();
      this.#wasShown = true;
      return (await this.#loadRoots()) ?? this.#rootsWithOpen();
    }
    const children = this.#elements.children(element);
    return children === 'notLoaded' ? this.#loadChildren(element) : children;
  }

  /** Whether the top rows are the runs of all jobs and these have not been requested since the service became readable. */
  get #wantsRoots(): boolean {
    const { store, model } = this.#options;
    return model().isByTime && store.allRuns === undefined && store.freshness.kind === 'fresh';
  }

  /**
   * Loads the top rows unless they are loaded.
   * @returns the row of the failure if loading failed
   */
  async #loadRoots(): Promise<TreeElement[] | undefined> {
    if (!this.#wantsRoots) return undefined;
    if (this.#rootsFailure) return [this.#rootsFailure];
    try {
      // Shared by concurrent calls, and dropped once it has settled.
      if (!this.#loadingRoots) this.#loadingRoots = this.#options.loadAllRuns();
      await this.#loadingRoots;
      this.#elements.rootsLoaded();
      return undefined;
    } catch (error) {
      const node = failureNode({ id: 'time', profileId: '' }, describeError(error));
      this.#rootsFailure = { id: node.id, node };
      return [this.#rootsFailure];
    } finally {
      this.#loadingRoots = undefined;
    }
  }

  /**
   * Returns the top rows. The editor draws them together with the rows below open ones, so those are loaded first: the job's own row can
   * then show what they contain.
   */
  async #rootsWithOpen(): Promise<TreeElement[]> {
    const elements = this.#elements.roots();
    const unread = elements.filter(
      ({ id, node }) =>
        node.expandable && this.#options.isExpanded(id) && this.#options.model().children(node) === 'notLoaded',
    );
    if (unread.length === 0) return elements;
    // A failure is shown below its row, where the user can retry.
    await Promise.allSettled(unread.map(({ node }) => this.#load(node)));
    return this.#elements.roots();
  }

  /** Called when the rows or their order changed. */
  rearrange(): void {
    this.#schedule({ kind: 'reset' });
  }

  #load({ kind, jobId, runId }: TreeNode): Promise<void> {
    return kind === 'run' && runId !== undefined ? this.#openTasks.read(runId) : this.#options.loadRuns(jobId);
  }

  async #loadChildren(element: TreeElement): Promise<TreeElement[]> {
    try {
      await this.#load(element.node);
    } catch (error) {
      // An error is not an empty list: it is shown in place of the runs.
      return this.#elements.failure(element, failureNode(element.node, describeError(error)));
    }
    const loaded = this.#elements.children(element);
    return loaded === 'notLoaded' ? [] : loaded;
  }

  /** Requests the runs again that could not be loaded. */
  retryFailed(): void {
    const failed = this.#elements.takeFailed();
    if (failed.length > 0) this.#changed.fire(failed);
    if (!this.#rootsFailure) return;
    this.#rootsFailure = undefined;
    this.#changed.fire(undefined);
  }

  /** Redraws every row affected by the passing of time or by new data. */
  redraw(): void {
    this.#schedule({ kind: 'all' });
  }

  #schedule(change: StoreChange): void {
    this.#pending ??= { all: false, reset: false, jobIds: new Set(), oneTime: false };
    if (change.kind === 'reset') this.#pending.reset = true;
    else if (change.kind === 'all') this.#pending.all = true;
    else {
      for (const jobId of change.jobIds) this.#pending.jobIds.add(jobId);
      this.#pending.oneTime ||= change.oneTime;
    }
    this.#timer ??= setTimeout(() => this.#draw(), drawDelayInMs);
  }

  #draw(): void {
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    if (!pending) return;
    if (pending.reset) {
      this.#elements.clear();
      this.#rootsFailure = undefined;
    }
    const isAll = pending.reset || (this.#wantsRoots && !this.#rootsFailure && !this.#loadingRoots);
    const elements = isAll ? 'all' : this.#elements.changed(pending);
    this.#isAwaited ||= elements === 'all';
    if (elements === 'all') this.#changed.fire(undefined);
    else if (elements.length > 0) this.#changed.fire(elements);
    this.#options.shown([]);
    const open = this.#elements.withRows.filter(({ id }) => this.#options.isExpanded(id));
    this.#openTasks.refresh(open.flatMap(({ node }) => (node.kind === 'run' ? (node.runId ?? []) : [])));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }
}

const icons = new Map<string, vscode.ThemeIcon>();

/** Returns one shared object for all rows with the same icon. */
function iconOf({ id, color }: NonNullable<TreeNode['icon']>): vscode.ThemeIcon {
  const key = `${id} ${color ?? ''}`;
  const known = icons.get(key) ?? new vscode.ThemeIcon(id, color ? new vscode.ThemeColor(color) : undefined);
  icons.set(key, known);
  return known;
}

function failureNode(parent: Pick<TreeNode, 'id' | 'profileId'> & Partial<TreeNode>, reason: string): TreeNode {
  const label =
    parent.kind === 'run'
      ? vscode.l10n.t('The tasks could not be loaded')
      : vscode.l10n.t('The runs could not be loaded');
  return {
    id: `${parent.id}/failure`,
    kind: 'message',
    label,
    description: reason,
    icon: { id: 'warning' },
    context: 'stale',
    accessibleLabel: `${label}. ${reason}`,
    expandable: false,
    profileId: parent.profileId,
  };
}

/** Creates a tooltip. Names and messages come from a server, so they are inserted as text, never as Markdown. */
function tooltip(details: TreeDetails, label: string): vscode.MarkdownString {
  return new vscode.MarkdownString(
    `**${literally(label)}**\n\n${details.map(([name, value]) => `${literally(`${name}: ${value}`)}  \n`).join('')}`,
  );
}

/** Escapes text as `appendText` does, but keeps spaces, so that long messages wrap between words. */
function literally(text: string): string {
  return text
    .replace(/[\\`*_{}[\]()#+\-!~|&<>.:]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\s+/g, ' ');
}

/** Returns the command of a click on a row, apart from selecting it. */
function commandOf({ node: { kind, context } }: TreeElement): string | undefined {
  if (kind === 'more') return 'millrace.jobs.loadMore';
  if (kind === 'run' || kind === 'task') return 'millrace.openRun';
  return context === 'stale' ? 'millrace.jobs.refresh' : undefined;
}

/**
 * Registers the command of a click on a row. It takes no arguments and uses the selected row: the editor drops the arguments of a row's
 * command while it redraws the row, which happens every second for active runs, so a click at that moment would fail.
 */
export function registerOpenRow(view: Pick<vscode.TreeView<TreeElement>, 'selection'>): vscode.Disposable {
  return vscode.commands.registerCommand(internalCommands.openRow, async () => {
    for (let tries = 0; view.selection.length === 0 && tries < 20; tries += 1) await delay(50);
    const [row] = view.selection;
    const command = row && commandOf(row);
    if (command !== undefined) await vscode.commands.executeCommand(command, row);
  });
}
