import { sameJson } from '../../shared/sameJson.ts';
import type { TreeModel } from './treeModel.ts';
import type { TreeNode } from './treeRows.ts';

/** What the editor holds for a node: one object for each id, since the editor knows elements by identity. */
export interface TreeElement {
  readonly id: string;
  node: TreeNode;
}

/** What to look at after changes of the store, put together. */
export interface Redraw {
  /** Any row may have changed, come or gone. */
  all: boolean;
  readonly jobIds: Set<string>;
  oneTime: boolean;
}

/** With more rows than this to draw again, the whole tree is less work. */
const maxSingleRows = 200;

/**
 * The rows that the editor was given, and which of them it must be given again after a change: as few as can be. While the editor
 * draws an element again it does not know those below it, and while it draws the root it knows none: a menu that is open on such a
 * row reaches its command without the row.
 */
export class TreeElements {
  readonly #model: () => TreeModel;
  readonly #elements = new Map<string, TreeElement>();
  /** Which rows the editor was last given below an element. */
  readonly #shown = new Map<string, string>();
  /** What it was given each of them below. */
  readonly #parents = new Map<string, TreeElement>();
  /** Below which of them it was given a failure instead of rows. */
  readonly #failed = new Map<string, TreeElement>();
  /** Which it was given at the top; undefined if it has not asked, or has not been answered yet. */
  #shownRoots: string | undefined;
  /** The order at the top that it was given. */
  #shownOrder: unknown;
  /** The top as it was found to have changed, for the editor's next question. */
  #prepared: readonly TreeNode[] | undefined;

  /** @param model gives the model of the current profile */
  constructor(model: () => TreeModel) {
    this.#model = model;
  }

  /** Another profile: nothing of the last one is shown again. */
  clear(): void {
    this.#elements.clear();
    this.#shown.clear();
    this.#parents.clear();
    this.#failed.clear();
    this.#prepared = undefined;
    this.#shownRoots = undefined;
    this.#shownOrder = undefined;
  }

  /** What stands at the top was loaded: it is not as it was found before. */
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

  /** The editor is given this below the parent, where the rows would be. */
  failure(parent: TreeElement, node: TreeNode): TreeElement[] {
    this.#failed.set(parent.id, parent);
    return this.#show(parent, [node]);
  }

  /** The elements below which a failure stands. The editor is asked to draw them again, and so asks for their rows. */
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

  /** Undefined for what stands at the top. */
  parentOf({ id }: TreeElement): TreeElement | undefined {
    return this.#parents.get(id);
  }

  /** The elements to draw again, whose nodes are the new ones then; `all` if rows came or went at the top. */
  changed({ all, jobIds, oneTime }: Redraw): TreeElement[] | 'all' {
    this.#prepared = undefined;
    // A call for the top level that still waits is answered with what is there by then.
    if (all && this.#shownRoots === undefined) return [];
    const model = this.#model();
    if (all) return this.#changedOfAll(model);
    // Rows that the editor was not given are none to draw again, and hundreds of them are more work than the whole.
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
    // The editor asks for them next.
    this.#prepared = roots;
    return 'all';
  }

  /** The element of a row that has another look; nothing below it is looked at. */
  #changedAppearance(node: TreeNode): TreeElement[] {
    const known = this.#elements.get(node.id);
    return known && !sameJson(known.node, node) ? [this.#element(node)] : [];
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

  /** The elements to draw again for a node that may have changed: only those below it whose look changed if that is all. */
  #changedElements(node: TreeNode): TreeElement[] {
    const known = this.#elements.get(node.id);
    const shown = this.#shown.get(node.id);
    if (!known) return [];
    if (!sameJson(known.node, node)) return [this.#element(node)];
    if (shown === undefined) return [];
    const children = this.#model().children(node);
    // What cannot be told any more is asked for again, unless a failure stands there: that is tried again when the user wants it.
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
