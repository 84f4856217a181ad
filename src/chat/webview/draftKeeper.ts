import type { ParamsOf, Snapshot } from '../protocol.ts';

type Draft = Omit<ParamsOf<'changeDraft'>, 'id' | 'atMs'>;

/** A draft that the host has not written to disk yet. */
export type UnsentDraft = ParamsOf<'changeDraft'> | undefined;

/** Minimum time between two updates to the host while typing, in milliseconds. */
const everyMs = 200;

/** Sends the text being typed to the host, which stores it with its conversation: at once, and then a few times a second. */
export class DraftKeeper {
  readonly #send: (draft: ParamsOf<'changeDraft'>) => Promise<unknown>;
  #id: string | undefined;
  #change: Draft = {};
  /** Changes that are being written to disk. */
  #sending: Draft = {};
  #sends = 0;
  /** When the last change was typed, and how far the host's clock is ahead. */
  #atMs = 0;
  #aheadByMs = 0;
  #timer = 0;
  #edit: Draft['edit'];
  #toolResults: Draft['toolResults'];

  readonly #store: (unsent: UnsentDraft) => void;
  #unsent: UnsentDraft;

  /**
   * @param send resolves when the draft is on disk
   * @param store stores an unsent draft for the next instance of the webview
   * @param unsent draft whose storage the previous instance could not confirm
   */
  constructor(
    send: (draft: ParamsOf<'changeDraft'>) => Promise<unknown>,
    store: (unsent: UnsentDraft) => void,
    unsent: UnsentDraft,
  ) {
    [this.#send, this.#store, this.#unsent] = [send, store, unsent];
  }

  /** Takes over the host's conversation and its draft. @returns the text to show, if it has changed */
  take(draft: Snapshot['draft'], nowMs = Date.now()): string | undefined {
    this.#aheadByMs = nowMs - Date.now();
    if (draft.id === this.#id) return undefined;
    // Text typed before the host reported the conversation belongs to that conversation.
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

  /**
   * Returns what the previous webview could not send, unless the host has a newer draft. A draft of another conversation is passed on to
   * the host.
   */
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

  /** Sends a draft, even of a conversation that has been left, since the next webview would otherwise send it again. */
  #hand(draft: ParamsOf<'changeDraft'>): void {
    const number = ++this.#sends;
    void this.#send(draft).then(() => {
      if (number !== this.#sends) return;
      this.#sending = {};
      this.#keep();
    });
  }

  /** Stores the draft for the next webview. */
  #keep(): void {
    const unsaved = { ...this.#sending, ...this.#change };
    const isSaved = this.#id === undefined || Object.keys(unsaved).length === 0;
    this.#store(isSaved || this.#id === undefined ? undefined : { id: this.#id, atMs: this.#atMs, ...unsaved });
  }

  /** Id of the conversation on the page, once the host has reported it. */
  get id(): string | undefined {
    return this.#id;
  }

  /**
   * Runs `send` and holds back the draft meanwhile.
   * @returns whether the host accepted the message; if not, it stays the draft of its conversation.
   */
  async whileSent(send: () => Promise<boolean>): Promise<boolean> {
    // Send earlier typing first, so that it does not arrive after the message.
    this.flush();
    const id = this.#id;
    return (await send()) || (id !== undefined && id !== this.#id);
  }

  /** Returns the unfinished edit of a message. */
  editOf(turnId: string): string | undefined {
    return this.#edit?.turnId === turnId ? this.#edit.text : undefined;
  }

  /** Returns the results typed for an answer's tool calls. */
  resultsOf(answerId: string): readonly string[] {
    return this.#toolResults?.answerId === answerId ? this.#toolResults.contents : [];
  }
}
