import type { ParamsOf } from '../protocol.ts';

type Draft = Omit<ParamsOf<'changeDraft'>, 'id'>;

/** So often at most is the host told of what is typed. */
const everyMs = 200;

/** Hands what is being typed to the host, which keeps it with its conversation: at once, and then a few times a second. */
export class DraftKeeper {
  readonly #send: (draft: ParamsOf<'changeDraft'>) => void;
  #id: string | undefined;
  #change: Draft = {};
  #timer = 0;
  #edit: Draft['edit'];
  #toolResults: Draft['toolResults'];

  constructor(send: (draft: ParamsOf<'changeDraft'>) => void) {
    this.#send = send;
  }

  /** The conversation that is typed for, and what was begun in it. @returns whether it is another than before */
  take({ id, edit, toolResults }: ParamsOf<'changeDraft'>): boolean {
    if (id === this.#id) return false;
    this.flush();
    this.#id = id;
    [this.#edit, this.#toolResults] = [edit, toolResults];
    return true;
  }

  change(change: Draft): void {
    if ('edit' in change) this.#edit = change.edit;
    if ('toolResults' in change) this.#toolResults = change.toolResults;
    Object.assign(this.#change, change);
    if (this.#timer !== 0) return;
    this.flush();
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.flush();
    }, everyMs);
  }

  flush(): void {
    const change = this.#change;
    this.#change = {};
    if (this.#id !== undefined && Object.keys(change).length > 0) this.#send({ id: this.#id, ...change });
  }

  /** The words that were begun in place of a message's. */
  editOf(turnId: string): string | undefined {
    return this.#edit?.turnId === turnId ? this.#edit.text : undefined;
  }

  /** What was typed for an answer's tool calls. */
  resultsOf(answerId: string): readonly string[] {
    return this.#toolResults?.answerId === answerId ? this.#toolResults.contents : [];
  }
}
