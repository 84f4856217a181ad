import * as vscode from 'vscode';
import { describeError } from '../../shared/errors.ts';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import type { StoreChange, RunStore } from '../runStore.ts';
import type { TreeModel, TreeNode } from '../treeModel.ts';

/** What the editor holds for a node: one object for each id, since the editor knows elements by identity. */
export interface TreeElement {
  readonly id: string;
  node: TreeNode;
}

export interface JobsTreeOptions {
  store: RunStore;
  /** The model of the current profile. */
  model(): TreeModel;
  /** Resolves after the first look at the service. */
  firstLook(): Promise<void>;
  loadRuns(jobId: string): Promise<void>;
}

/** Changes that come together are drawn together. */
const drawDelayInMs = 40;

/** The tree of jobs and runs, drawn from the model. */
export class JobsTree implements vscode.TreeDataProvider<TreeElement>, Disposable {
  readonly #options: JobsTreeOptions;
  readonly #elements = new Map<string, TreeElement>();
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<TreeElement | TreeElement[] | undefined>());
  readonly onDidChangeTreeData = this.#changed.event;
  #pending: { all: boolean; jobIds: Set<string>; oneTime: boolean } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Which rows the editor was last given below an element. */
  readonly #shown = new Map<string, string>();

  constructor(options: JobsTreeOptions) {
    this.#options = options;
    this.#disposables.add(options.store.onDidChange((change) => this.#schedule(change)));
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    const { node } = element;
    const item = new vscode.TreeItem(node.label, node.expandable ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
    item.id = node.id;
    item.description = node.description;
    item.contextValue = ` ${node.context} `;
    if (node.icon) item.iconPath = new vscode.ThemeIcon(node.icon.id, node.icon.color ? new vscode.ThemeColor(node.icon.color) : undefined);
    item.accessibilityInformation = { label: node.accessibleLabel, role: 'treeitem' };
    if (node.details) item.tooltip = tooltip(node);
    item.command = commandOf(element);
    return item;
  }

  async getChildren(element?: TreeElement): Promise<TreeElement[]> {
    if (!element) {
      if (this.#options.store.freshness.kind === 'empty') {
        // Another profile: nothing of the last one is shown again.
        this.#elements.clear();
        this.#shown.clear();
        await this.#options.firstLook();
      }
      return this.#options.model().roots().map((node) => this.#element(node));
    }
    const children = this.#options.model().children(element.node);
    return children === 'notLoaded' ? this.#loadChildren(element) : this.#show(element, children);
  }

  #show(parent: TreeElement, nodes: readonly TreeNode[]): TreeElement[] {
    this.#shown.set(parent.id, idsOf(nodes));
    return nodes.map((node) => this.#element(node));
  }

  async #loadChildren(element: TreeElement): Promise<TreeElement[]> {
    try {
      await this.#options.loadRuns(element.node.jobId ?? '');
    } catch (error) {
      // An error is not an empty list: it stands where the runs would.
      return this.#show(element, [failureNode(element.node, describeError(error))]);
    }
    const loaded = this.#options.model().children(element.node);
    return loaded === 'notLoaded' ? [] : this.#show(element, loaded);
  }

  /** The element for a node; a known one gets the node's new look. */
  #element(node: TreeNode): TreeElement {
    const known = this.#elements.get(node.id);
    if (known) {
      known.node = node;
      return known;
    }
    const element = { id: node.id, node };
    this.#elements.set(node.id, element);
    return element;
  }

  #schedule(change: StoreChange): void {
    this.#pending ??= { all: false, jobIds: new Set(), oneTime: false };
    if (change.kind === 'all') this.#pending.all = true;
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
    if (pending.all) {
      this.#changed.fire(undefined);
      return;
    }
    const model = this.#options.model();
    const nodes = [...pending.jobIds].map((jobId) => model.job(jobId));
    if (pending.oneTime) nodes.push(...model.roots().filter((node) => node.kind === 'group'));
    const elements = nodes.filter((node) => node !== undefined).flatMap((node) => this.#changedElements(node));
    if (elements.length > 0) this.#changed.fire(elements);
  }

  /**
   * The elements to draw again for a job or group that changed: only the runs whose look changed where that is all. While an
   * element is drawn again the editor does not know those below it, and a menu that is open on one of them does nothing.
   */
  #changedElements(node: TreeNode): TreeElement[] {
    const known = this.#elements.get(node.id);
    const children = this.#options.model().children(node);
    const shown = this.#shown.get(node.id);
    const sameRows = children === 'notLoaded' || shown === undefined || shown === idsOf(children);
    if (!known || !sameRows || !looksAlike(known.node, node)) return [this.#element(node)];
    if (children === 'notLoaded') return [];
    return children.filter((child) => {
      const element = this.#elements.get(child.id);
      return element !== undefined && !looksAlike(element.node, child);
    }).map((child) => this.#element(child));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
  }
}

function idsOf(nodes: readonly TreeNode[]): string {
  return nodes.map((node) => node.id).join('\n');
}

function looksAlike(left: TreeNode, right: TreeNode): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function failureNode(parent: TreeNode, reason: string): TreeNode {
  const label = vscode.l10n.t('The runs could not be loaded');
  return { id: `${parent.id}/failure`, kind: 'message', label, description: reason, icon: { id: 'warning' }, context: 'stale', details: [[vscode.l10n.t('Reason'), reason]], accessibleLabel: `${label}. ${reason}`, expandable: false };
}

function tooltip(node: TreeNode): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendMarkdown('**');
  text.appendMarkdown(literally(node.label));
  text.appendMarkdown('**\n\n');
  // Names and messages come from a server, so they are put in as text, never as markdown.
  for (const [name, value] of node.details ?? []) {
    text.appendMarkdown(literally(`${name}: ${value}`));
    text.appendMarkdown('  \n');
  }
  return text;
}

/** As `appendText` does it, except that blanks stay blanks, so that long messages break between words. */
function literally(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-!~|&<>.:]/g, (character) => `&#${character.charCodeAt(0)};`).replace(/\s+/g, ' ');
}

function commandOf(element: TreeElement): vscode.Command | undefined {
  if (element.node.kind === 'more') return { command: 'millrace.jobs.loadMore', title: element.node.label, arguments: [element] };
  if (element.node.kind === 'run') return { command: 'millrace.run.showOutput', title: vscode.l10n.t('Show Output'), arguments: [element] };
  if (element.node.context === 'stale') return { command: 'millrace.jobs.refresh', title: vscode.l10n.t('Refresh') };
  return undefined;
}
