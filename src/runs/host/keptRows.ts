import type * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../shared/lifecycle.ts';
import type { TreeElement } from '../tree/treeElements.ts';

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
