import * as vscode from 'vscode';
import { delay } from '../../shared/clock.ts';
import { internalCommands } from '../../shared/commandIds.ts';
import { describeError } from '../../shared/errors.ts';
import { isolated } from '../../shared/fields.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import type { StoreChange, RunStore } from '../store/runStore.ts';
import type { TreeDetails } from '../tree/rowDetails.ts';
import { TreeElements, type Redraw, type TreeElement } from '../tree/treeElements.ts';
import type { TreeModel } from '../tree/treeModel.ts';
import type { TreeNode } from '../tree/treeRows.ts';

export interface JobsTreeOptions {
  readonly store: RunStore;
  /** The model of the current profile. */
  model(): TreeModel;
  /** Resolves after the first look at the service. */
  firstPoll(): Promise<void>;
  /** Resolves once the rows can be drawn: what they need is loaded with the first of them. */
  ready(): Promise<void>;
  /** Somebody points at the job's row. */
  pointedAt(jobId: string): void;
  /** @param jobId undefined for runs without a job */
  loadRuns(jobId: string | undefined): Promise<void>;
  /** Reads the newest runs of all jobs. */
  loadAllRuns(): Promise<void>;
  /** Whether the row is open if the editor does not know better. */
  isExpanded(id: string): boolean;
  /** The editor was given these rows, or has all that it is to show. */
  shown(elements: readonly TreeElement[]): void;
}

/** Changes that come together are drawn together. */
const drawDelayInMs = 40;

/** The tree of jobs and runs, drawn from the model. */
export class JobsTree implements vscode.TreeDataProvider<TreeElement>, Disposable {
  readonly #options: JobsTreeOptions;
  readonly #elements: TreeElements;
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<TreeElement | TreeElement[] | undefined>());
  readonly onDidChangeTreeData = this.#changed.event;
  #pending: (Redraw & { reset: boolean }) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the editor was ever given rows, or the word that there are none. */
  #wasShown = false;
  readonly #answered = Promise.withResolvers<void>();
  /** Resolves once the editor was given the rows at the top, or the word that there are none. */
  readonly answered = this.#answered.promise;
  /** The editor was told that the rows at the top are others, and has not been given them. */
  #isAwaited = false;
  #loadingRoots: Promise<void> | undefined;
  /** The row that says why the runs of all jobs could not be loaded: they are asked for again when the user wants it. */
  #rootsFailure: TreeElement | undefined;

  constructor(options: JobsTreeOptions) {
    this.#options = options;
    this.#elements = new TreeElements(options.model);
    this.#disposables.add(options.store.onDidChange((change) => this.#schedule(change)));
  }

  /** Whether the editor may still show other rows than there are, as another profile's. */
  get isBehind(): boolean {
    return this.#isAwaited || this.#pending !== undefined;
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    const { node } = element;
    const item = new vscode.TreeItem(
      isolated(node.label),
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

  /** Made when it is asked for: most rows are never pointed at. */
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
    // The editor has them in the next turn.
    setTimeout(() => this.#options.shown(elements), 0);
    return elements;
  }

  async #childrenOf(element?: TreeElement): Promise<TreeElement[]> {
    if (!element) {
      if (this.#options.store.freshness.kind === 'empty') {
        this.#elements.clear();
        const looked = this.#options.firstPoll();
        // While the editor waits for an answer it shows what it has: another profile's rows under this one's name.
        if (!this.#wasShown) await looked;
      }
      // After the look: an empty view needs nothing more.
      if (this.#options.store.jobs.length > 0) await this.#options.ready();
      this.#wasShown = true;
      return (await this.#loadRoots()) ?? this.#rootsWithOpen();
    }
    const children = this.#elements.children(element);
    return children === 'notLoaded' ? this.#loadChildren(element) : children;
  }

  /** Whether the rows at the top are those of all jobs' runs, and nobody has asked for them since the service could be read. */
  get #wantsRoots(): boolean {
    const { store, model } = this.#options;
    return model().isByTime && store.allRuns === undefined && store.freshness.kind === 'fresh';
  }

  /** Loads what stands at the top if that was not loaded yet. @returns the failure's row if that did not go well */
  async #loadRoots(): Promise<TreeElement[] | undefined> {
    if (!this.#wantsRoots) return undefined;
    if (this.#rootsFailure) return [this.#rootsFailure];
    try {
      // Shared by calls at the same time, and forgotten once it has ended either way.
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
   * The editor draws the rows at the top together with those below the open ones. These are asked for first: what they tell of a job is
   * not unknown in its own row then.
   */
  async #rootsWithOpen(): Promise<TreeElement[]> {
    const elements = this.#elements.roots();
    const unread = elements.filter(
      ({ id, node }) =>
        node.expandable && this.#options.isExpanded(id) && this.#options.model().children(node) === 'notLoaded',
    );
    if (unread.length === 0) return elements;
    // What fails is told below its row, where it is asked for again.
    await Promise.allSettled(unread.map(({ node }) => this.#options.loadRuns(node.jobId)));
    return this.#elements.roots();
  }

  /** The rows are others, or in another order. */
  rearrange(): void {
    this.#schedule({ kind: 'reset' });
  }

  async #loadChildren(element: TreeElement): Promise<TreeElement[]> {
    try {
      await this.#options.loadRuns(element.node.jobId);
    } catch (error) {
      // An error is not an empty list: it stands where the runs would.
      return this.#elements.failure(element, failureNode(element.node, describeError(error)));
    }
    const loaded = this.#elements.children(element);
    return loaded === 'notLoaded' ? [] : loaded;
  }

  /** Asks again for the runs that could not be loaded. */
  retryFailed(): void {
    const failed = this.#elements.takeFailed();
    if (failed.length > 0) this.#changed.fire(failed);
    if (!this.#rootsFailure) return;
    this.#rootsFailure = undefined;
    this.#changed.fire(undefined);
  }

  /** Time has passed, or something that rows are made of is known now: all that changed by it is drawn again. */
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
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }
}

const icons = new Map<string, vscode.ThemeIcon>();

/** One object for all rows that look alike. */
function iconOf({ id, color }: NonNullable<TreeNode['icon']>): vscode.ThemeIcon {
  const key = `${id} ${color ?? ''}`;
  const known = icons.get(key) ?? new vscode.ThemeIcon(id, color ? new vscode.ThemeColor(color) : undefined);
  icons.set(key, known);
  return known;
}

function failureNode(parent: Pick<TreeNode, 'id' | 'profileId'>, reason: string): TreeNode {
  const label = vscode.l10n.t('The runs could not be loaded');
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

/** Names and messages come from a server, so they are put in as text, never as markdown. */
function tooltip(details: TreeDetails, label: string): vscode.MarkdownString {
  return new vscode.MarkdownString(
    `**${literally(label)}**\n\n${details.map(([name, value]) => `${literally(`${name}: ${value}`)}  \n`).join('')}`,
  );
}

/** As `appendText` does it, except that blanks stay blanks, so that long messages break between words. */
function literally(text: string): string {
  return text
    .replace(/[\\`*_{}[\]()#+\-!~|&<>.:]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\s+/g, ' ');
}

/** What a click on a row does beside selecting it. */
function commandOf({ node: { kind, context } }: TreeElement): string | undefined {
  if (kind === 'more') return 'millrace.jobs.loadMore';
  if (kind === 'run') return 'millrace.openRun';
  return context === 'stale' ? 'millrace.jobs.refresh' : undefined;
}

/**
 * Registers what a click on a row calls. The editor forgets what a row's command is given while it draws the row anew, as it does each second
 * with those of active runs, and a click just then would fail: so the command is given nothing, and takes the row that the click has selected.
 */
export function registerOpenRow(view: Pick<vscode.TreeView<TreeElement>, 'selection'>): vscode.Disposable {
  return vscode.commands.registerCommand(internalCommands.openRow, async () => {
    for (let tries = 0; view.selection.length === 0 && tries < 20; tries += 1) await delay(50);
    const [row] = view.selection;
    const command = row && commandOf(row);
    if (command !== undefined) await vscode.commands.executeCommand(command, row);
  });
}
