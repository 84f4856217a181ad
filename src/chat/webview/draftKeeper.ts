import type { ParamsOf, Snapshot } from '../protocol.ts';

type Draft = Omit<ParamsOf<'changeDraft'>, 'id' | 'atMs'>;

/** What the host has not put on disk yet. */
export type UnsentDraft = ParamsOf<'changeDraft'> | undefined;

/** So often at most is the host told of what is typed. */
const everyMs = 200;

/** Hands what is being typed to the host, which keeps it with its conversation: at once, and then a few times a second. */
export class DraftKeeper {
  readonly #send: (draft: ParamsOf<'changeDraft'>) => Promise<unknown>;
  #id: string | undefined;
  #change: Draft = {};
  /** On its way to the disk. */
  #sending: Draft = {};
  #sends = 0;
  /** When the last of it was typed, and what the host's clock is ahead by. */
  #atMs = 0;
  #aheadByMs = 0;
  #timer = 0;
  #edit: Draft['edit'];
  #toolResults: Draft['toolResults'];

  readonly #store: (unsent: UnsentDraft) => void;
  #unsent: UnsentDraft;

  /**
   * @param send resolves when it is on disk
   * @param store keeps what is not there yet for the page after this one
   * @param unsent what the page before this one did not know to be there
   */
  constructor(
    send: (draft: ParamsOf<'changeDraft'>) => Promise<unknown>,
    store: (unsent: UnsentDraft) => void,
    unsent: UnsentDraft,
  ) {
    [this.#send, this.#store, this.#unsent] = [send, store, unsent];
  }

  /** The conversation that is typed for, and what was begun in it. @returns the text to show, if it is another than before */
  take(draft: Snapshot['draft'], nowMs = Date.now()): string | undefined {
    this.#aheadByMs = nowMs - Date.now();
    if (draft.id === this.#id) return undefined;
    // What was typed before the host had said which conversation is shown belongs to that one.
    const early = this.#id === undefined ? this.#change.text : undefined;
    this.flush();
    [this.#change, this.#sending] = [{}, {}];
    const unsent = this.#newer(draft);
    this.#unsent = undefined;
    const { id, text, edit, toolResults } = { ...draft, ...unsent };
    this.#id = id;
    [this.#edit, this.#toolResults] = [edit, toolResults];
    if (early === undefined || early === '') return text;
    const both = text === '' ? early : `${text}\n${early}`;
    this.change({ text: both });
    this.flush();
    return both;
  }

  /** What the page before could not send, unless the host knows what was typed after it. Of another conversation it is handed on. */
  #newer(draft: Snapshot['draft']): UnsentDraft {
    const unsent = this.#unsent;
    if (!unsent) return undefined;
    const isOfThis = unsent.id === draft.id;
    if (isOfThis && (unsent.atMs ?? Infinity) <= (draft.atMs ?? 0)) {
      this.#store(undefined);
      return undefined;
    }
    this.#hand(unsent);
    return isOfThis ? unsent : undefined;
  }

  change(change: Draft): void {
    if ('edit' in change) this.#edit = change.edit;
    if ('toolResults' in change) this.#toolResults = change.toolResults;
    Object.assign(this.#change, change);
    this.#atMs = Date.now() + this.#aheadByMs;
    this.#keep();
    if (this.#timer !== 0) return;
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
    Object.assign(this.#sending, change);
    this.#hand({ id: this.#id, atMs: this.#atMs, ...change });
  }

  /** Also of a conversation that is left: what the page after this one finds here it would hand over again. */
  #hand(draft: ParamsOf<'changeDraft'>): void {
    const number = ++this.#sends;
    void this.#send(draft).then(() => {
      if (number !== this.#sends) return;
      this.#sending = {};
      this.#keep();
    });
  }

  /** For the page after this one. */
  #keep(): void {
    const unsaved = { ...this.#sending, ...this.#change };
    const isSaved = this.#id === undefined || Object.keys(unsaved).length === 0;
    this.#store(isSaved || this.#id === undefined ? undefined : { id: this.#id, atMs: this.#atMs, ...unsaved });
  }

  /** The conversation on the page, once the host has said which. */
  get id(): string | undefined {
    return this.#id;
  }

  /** @returns whether the host has taken what `send` sends; if not, it stays the draft of the conversation it was written in. */
  async whileSent(send: () => Promise<boolean>): Promise<boolean> {
    // What was typed of it before does not come after it.
    this.flush();
    const id = this.#id;
    return (await send()) || (id !== undefined && id !== this.#id);
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
