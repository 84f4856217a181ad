import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { sameJson } from '../shared/sameJson.ts';
import { draftExtension, draftSchema, emptyDraft, isEmptyDraft, type Draft } from './draft.ts';
import type { HistoryStorage } from './history.ts';

export type DraftStorage = Pick<HistoryStorage, 'list' | 'read' | 'replace' | 'remove'>;

/** The most that a crash of the editor can lose of what is typed. */
const writeAfterMs = 50;
/** How long the draft of a conversation that never began is kept. */
const keptForMs = 30 * 24 * 60 * 60 * 1000;

/** What was begun and not sent, one file for each conversation beside its history. A draft without content has no file. */
export class Drafts {
  readonly #storage: DraftStorage;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #drafts = new Map<string, Draft>();
  /** What of each was changed and is not on disk; the rest of it may be another window's. */
  readonly #unwritten = new Map<string, Partial<Draft>>();
  #cancelWrite: (() => void) | undefined;
  #written: PromiseWithResolvers<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(storage: DraftStorage, clock: Clock, log: Logger) {
    this.#storage = storage;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads the draft of a conversation, once. One that cannot be read is an empty one. */
  async load(id: string): Promise<Draft> {
    const known = this.#drafts.get(id);
    if (known) return known;
    const read = (await this.#read(id)) ?? emptyDraft;
    // Something may have been typed meanwhile.
    const draft = this.#drafts.get(id) ?? read;
    this.#drafts.set(id, draft);
    return draft;
  }

  /** The draft of a conversation that was loaded, or an empty one. */
  get(id: string): Draft {
    return this.#drafts.get(id) ?? emptyDraft;
  }

  has(id: string): boolean {
    return this.#drafts.has(id);
  }

  /** Resolves when it is on disk, or its loss is in the log. */
  change(id: string, change: Partial<Draft>): Promise<void> {
    const dated = { ...(change.text !== undefined && { atMs: this.#clock.now() }), ...change };
    this.#drafts.set(id, { ...this.get(id), ...dated });
    this.#unwritten.set(id, { ...this.#unwritten.get(id), ...dated });
    this.#cancelWrite ??= this.#clock.schedule(writeAfterMs, () => void this.flush());
    this.#written ??= Promise.withResolvers<void>();
    return this.#written.promise;
  }

  /** What is changed from now on is written when this has settled: a message is where it was until it is where it goes. */
  after(work: Promise<unknown>): void {
    this.#writing = this.#writing
      .then(() => work)
      .then(
        () => undefined,
        () => undefined,
      );
  }

  /** Resolves when everything is on disk, or its loss is in the log. */
  flush(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const changes = [...this.#unwritten];
    this.#unwritten.clear();
    const written = this.#written;
    this.#written = undefined;
    this.#writing = this.#writing.then(async () => {
      for (const [id, change] of changes) await this.#write(id, change);
      written?.resolve();
    });
    return this.#writing;
  }

  /** Permanently removes what belongs to no conversation and is old. */
  async purge(nowMs: number): Promise<void> {
    const files = await this.#storage.list();
    const ids = new Set(
      files.filter(({ name }) => !name.endsWith(draftExtension)).map(({ name }) => name.split('.')[0]),
    );
    for (const { name, modifiedAtMs } of files) {
      if (!name.endsWith(draftExtension) || nowMs - modifiedAtMs < keptForMs) continue;
      if (!ids.has(name.slice(0, -draftExtension.length))) await this.#storage.remove(name);
    }
  }

  /** Undefined if it cannot be read now. */
  async #read(id: string): Promise<Draft | undefined> {
    let text: string;
    try {
      text = await this.#storage.read(id + draftExtension);
    } catch (error) {
      const { code } = error as { code?: unknown };
      // There is none: the usual case.
      return code === undefined || code === 'ENOENT' ? emptyDraft : undefined;
    }
    try {
      return draftSchema.parse(JSON.parse(text));
    } catch (error) {
      this.#log.warn(`The draft of conversation ${id} is damaged and was left out: ${String(error)}`);
      return emptyDraft;
    }
  }

  /** Takes over what another window queued, attached or sent; words that are being typed here stay. @returns whether it was anything */
  async follow(id: string): Promise<boolean> {
    await this.#writing;
    const draft = this.#drafts.get(id);
    if (!draft || this.#unwritten.has(id)) return false;
    const read = await this.#read(id);
    if (!read) return false;
    const { attachments, queue } = read;
    // What was changed here meanwhile is newer than what was read.
    if (draft !== this.#drafts.get(id) || sameJson([attachments, queue], [draft.attachments, draft.queue]))
      return false;
    this.#drafts.set(id, { ...draft, attachments, queue });
    return true;
  }

  async #write(id: string, change: Partial<Draft>): Promise<void> {
    // One that cannot be read for the moment is not empty: this window has what it knew of it.
    const draft = { ...((await this.#read(id)) ?? this.get(id)), ...change };
    try {
      if (isEmptyDraft(draft)) await this.#storage.remove(id + draftExtension);
      else await this.#storage.replace(id + draftExtension, JSON.stringify(draft));
    } catch (error) {
      // With the next change it is tried again.
      this.#unwritten.set(id, { ...change, ...this.#unwritten.get(id) });
      this.#log.warn(`The draft of conversation ${id} could not be saved: ${String(error)}`);
    }
  }
}
