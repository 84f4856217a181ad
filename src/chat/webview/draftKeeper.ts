import type { ParamsOf } from '../protocol.ts';

type Draft = Omit<ParamsOf<'changeDraft'>, 'id'>;

/** What the host was not told yet. */
export type UnsentDraft = ParamsOf<'changeDraft'> | undefined;

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

  readonly #store: (unsent: UnsentDraft) => void;
  #unsent: UnsentDraft;

  /**
   * @param store keeps what was not sent yet for the page after this one
   * @param unsent what the page before this one could not send any more
   */
  constructor(
    send: (draft: ParamsOf<'changeDraft'>) => void,
    store: (unsent: UnsentDraft) => void,
    unsent: UnsentDraft,
  ) {
    [this.#send, this.#store, this.#unsent] = [send, store, unsent];
  }

  /** The conversation that is typed for, and what was begun in it. @returns the text to show, where it is another than before */
  take(draft: ParamsOf<'changeDraft'>): string | undefined {
    if (draft.id === this.#id) return undefined;
    // What was typed before the host had said which conversation is shown belongs to that one.
    const early = this.#id === undefined ? this.#change.text : undefined;
    this.flush();
    this.#change = {};
    if (this.#unsent) this.#send(this.#unsent);
    const unsent = this.#unsent?.id === draft.id ? this.#unsent : undefined;
    this.#unsent = undefined;
    const { id, text = '', edit, toolResults } = { ...draft, ...unsent };
    this.#id = id;
    [this.#edit, this.#toolResults] = [edit, toolResults];
    if (early === undefined || early === '') return text;
    const both = text === '' ? early : `${text}\n${early}`;
    this.#change = { text: both };
    this.flush();
    return both;
  }

  change(change: Draft): void {
    if ('edit' in change) this.#edit = change.edit;
    if ('toolResults' in change) this.#toolResults = change.toolResults;
    Object.assign(this.#change, change);
    if (this.#timer !== 0) {
      if (this.#id !== undefined) this.#store({ id: this.#id, ...this.#change });
      return;
    }
    this.flush();
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      this.flush();
    }, everyMs);
  }

  flush(): void {
    const change = this.#change;
    if (this.#id === undefined || Object.keys(change).length === 0) return;
    this.#change = {};
    this.#store(undefined);
    this.#send({ id: this.#id, ...change });
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
