import { sameJson } from '../../shared/fields.ts';
import type { TreeModel } from './treeModel.ts';
import type { TreeNode } from './treeRows.ts';

/** What the editor holds for a node: one object per ID, since the editor identifies elements by object. */
export interface TreeElement {
  readonly id: string;
  node: TreeNode;
}

/** Accumulated changes of the store to redraw. */
export interface Redraw {
  /** Whether any row may have changed, come or gone. */
  all: boolean;
  readonly jobIds: Set<string>;
  oneTime: boolean;
}

/** With more rows than this to redraw, redrawing the whole tree is less work. */
const maxSingleRows = 200;

/**
 * Tracks the rows that the editor was given, and which of them it needs again after a change: as few as possible. While the editor redraws
 * an element it does not know those below it, and while it redraws the root it knows none: the command of an open context menu then gets no
 * row.
 */
export class TreeElements {
  readonly #model: () => TreeModel;
  readonly #elements = new Map<string, TreeElement>();
  /** Rows that the editor was last given below an element. */
  readonly #shown = new Map<string, string>();
  /** Parents of the rows that it was given. */
  readonly #parents = new Map<string, TreeElement>();
  /** Elements below which it was given a failure instead of rows. */
  readonly #failed = new Map<string, TreeElement>();
  /** Rows that it was given at the top level; `undefined` if it has not asked, or got no answer yet. */
  #shownRoots: string | undefined;
  /** Order at the top level that it was given. */
  #shownOrder: unknown;
  /** The changed top-level rows, for the editor's next request. */
  #prepared: readonly TreeNode[] | undefined;

  /** @param model returns the model of the current profile */
  constructor(model: () => TreeModel) {
    this.#model = model;
  }

  /** Forgets everything for another profile. */
  clear(): void {
    this.#elements.clear();
    this.#shown.clear();
    this.#parents.clear();
    this.#failed.clear();
    this.#prepared = undefined;
    this.#shownRoots = undefined;
    this.#shownOrder = undefined;
  }

  /** Discards the prepared top-level rows after a reload. */
  rootsLoaded(): void {
    this.#prepared = undefined;
  }

  roots(): TreeElement[] {
    const nodes = this.#prepared ?? this.#model().roots();
    this.#shownOrder = this.#model().order;
    this.#prepared = undefined;
    this.#shownRoots = idsOf(nodes);
    return nodes.map((node) => this.#element(node));
  }

  children(parent: TreeElement): TreeElement[] | 'notLoaded' {
    const nodes = this.#model().children(parent.node);
    if (nodes === 'notLoaded') return nodes;
    this.#failed.delete(parent.id);
    return this.#show(parent, nodes);
  }

  /** Returns a failure for the editor, in place of the parent's rows. */
  failure(parent: TreeElement, node: TreeNode): TreeElement[] {
    this.#failed.set(parent.id, parent);
    return this.#show(parent, [node]);
  }

  /** Returns the elements with a failure below them. The editor redraws them and so requests their rows again. */
  takeFailed(): TreeElement[] {
    const failed = [...this.#failed.values()];
    this.#failed.clear();
    return failed;
  }

  #show(parent: TreeElement, nodes: readonly TreeNode[]): TreeElement[] {
    this.#shown.set(parent.id, idsOf(nodes));
    return nodes.map((node) => {
      this.#parents.set(node.id, parent);
      return this.#element(node);
    });
  }

  /** Returns the elements below which the editor was given rows. */
  get withRows(): TreeElement[] {
    return [...this.#shown.keys()].flatMap((id) => this.#elements.get(id) ?? []);
  }

  /** Returns `undefined` for a top-level element. */
  parentOf({ id }: TreeElement): TreeElement | undefined {
    return this.#parents.get(id);
  }

  /** Returns the elements to redraw, with their new nodes; `all` if top-level rows came or went. */
  changed({ all, jobIds, oneTime }: Redraw): TreeElement[] | 'all' {
    this.#prepared = undefined;
    // A pending request for the top level is answered with the current rows.
    if (all && this.#shownRoots === undefined) return [];
    const model = this.#model();
    if (all) return this.#changedOfAll(model);
    // Rows that the editor was not given need no redraw, and hundreds of single rows are more work than the whole tree.
    if (jobIds.size > maxSingleRows) return this.#changedOfAll(model);
    if (model.isByTime || (this.#shownRoots !== undefined && model.order !== this.#shownOrder))
      return this.#changedOfAll(model);
    const nodes = [...[...jobIds].map((jobId) => model.job(jobId)), ...(oneTime ? [model.oneTime()] : [])];
    const elements = nodes.filter((node) => node !== undefined).flatMap((node) => this.#changedElements(node));
    return [...elements, ...model.ranges().flatMap((node) => this.#changedAppearance(node))];
  }

  #changedOfAll(model: TreeModel): TreeElement[] | 'all' {
    const roots = model.roots();
    this.#shownOrder = model.order;
    const elements =
      idsOf(roots) === this.#shownRoots ? roots.flatMap((node) => this.#changedElements(node)) : undefined;
    if (elements && elements.length <= maxSingleRows) return elements;
    // The editor requests them next.
    this.#prepared = roots;
    return 'all';
  }

  /** Returns the element of a row whose appearance changed, without checking the rows below it. */
  #changedAppearance(node: TreeNode): TreeElement[] {
    const known = this.#elements.get(node.id);
    return known && !sameJson(known.node, node) ? [this.#element(node)] : [];
  }

  /** Returns the element of a node; a known element gets the node's new appearance. */
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

  /** Returns the elements to redraw for a node that may have changed: only the changed ones below it if nothing else changed. */
  #changedElements(node: TreeNode): TreeElement[] {
    const known = this.#elements.get(node.id);
    const shown = this.#shown.get(node.id);
    if (!known) return [];
    if (!sameJson(known.node, node)) return [this.#element(node)];
    if (shown === undefined) return [];
    const children = this.#model().children(node);
    // Rows that are no longer known are requested again, unless a failure is shown there: the user retries that.
    if (children === 'notLoaded') {
      if (this.#failed.has(node.id)) return [];
      this.#shown.delete(node.id);
      return [known];
    }
    return shown === idsOf(children) ? children.flatMap((child) => this.#changedElements(child)) : [known];
  }
}

function idsOf(nodes: readonly TreeNode[]): string {
  return nodes.map((node) => node.id).join('\n');
}
