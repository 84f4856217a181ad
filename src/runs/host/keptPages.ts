import type * as vscode from 'vscode';
import type { Fields } from '../../shared/fields.ts';
import type { PageSubject } from '../page/pageProtocol.ts';

const openPagesKey = 'millrace.openPages';
const maxKept = 100;

/** Which pages are open, by the title of their tab: a page that has forgotten what it is of is found again by it. */
export class KeptPages {
  readonly #state: vscode.Memento;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** What the page of that title is of, as it was kept: anybody may have written it. */
  subjectOf(title: string): unknown {
    return this.#all()[title];
  }

  /** The page is open under this title, and no more under the one that it had before, which may be the same. */
  keep(title: string, subject: PageSubject, before: string): void {
    const { [before]: known, ...others } = this.#all();
    if (before !== title || known === undefined) this.#write({ ...others, [title]: subject });
  }

  forget(title: string): void {
    const { [title]: _, ...others } = this.#all();
    this.#write(others);
  }

  #all(): Fields {
    return this.#state.get<Fields>(openPagesKey) ?? {};
  }

  #write(pages: Fields): void {
    const newest = Object.entries(pages).slice(-maxKept);
    this.#state.update(openPagesKey, Object.fromEntries(newest)).then(undefined, () => undefined);
  }
}
