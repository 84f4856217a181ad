import type { Clock } from '../shared/clock.ts';
import { sameJson } from '../shared/fields.ts';
import type { Logger } from '../shared/log.ts';
import { draftExtension, draftSchema, emptyDraft, isEmptyDraft, type Draft } from './draft.ts';
import type { HistoryStorage } from './history.ts';

export type DraftStorage = Pick<HistoryStorage, 'list' | 'read' | 'replace' | 'remove'>;

/** Delay before typed text is written, in milliseconds: the most that a crash of the editor can lose. */
const writeAfterMs = 50;
/** How long the draft of a conversation that never began is kept, in milliseconds. */
const keptForMs = 30 * 24 * 60 * 60 * 1000;

/** Unsent input, one file for each conversation beside its history. An empty draft has no file. */
export class Drafts {
  readonly #storage: DraftStorage;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #drafts = new Map<string, Draft>();
  /** Changed fields of each draft that are not on disk yet; the other fields may come from another window. */
  readonly #unwritten = new Map<string, Partial<Draft>>();
  #cancelWrite: (() => void) | undefined;
  #written: PromiseWithResolvers<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(storage: DraftStorage, clock: Clock, log: Logger) {
    this.#storage = storage;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads the draft of a conversation once. An unreadable one counts as empty. */
  async load(id: string): Promise<Draft> {
    const known = this.#drafts.get(id);
    if (known) return known;
    const read = (await this.#read(id)) ?? emptyDraft;
    // The user may have typed something meanwhile.
    const draft = this.#drafts.get(id) ?? read;
    this.#drafts.set(id, draft);
    return draft;
  }

  /** Returns the draft of a loaded conversation, or an empty one. */
  get(id: string): Draft {
    return this.#drafts.get(id) ?? emptyDraft;
  }

  has(id: string): boolean {
    return this.#drafts.has(id);
  }

  /** Changes a draft. Resolves when the change is on disk, or its loss is in the log. */
  change(id: string, change: Partial<Draft>): Promise<void> {
    const dated = { ...(change.text !== undefined && { atMs: this.#clock.now() }), ...change };
    this.#drafts.set(id, { ...this.get(id), ...dated });
    this.#unwritten.set(id, { ...this.#unwritten.get(id), ...dated });
    this.#cancelWrite ??= this.#clock.schedule(writeAfterMs, () => void this.flush());
    this.#written ??= Promise.withResolvers<void>();
    return this.#written.promise;
  }

  /** Delays writing later changes until `work` has settled, so that a message stays in its old place until it is in the new one. */
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

  /** Permanently deletes old drafts that belong to no conversation. */
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

  /** Returns `undefined` if the draft cannot be read now. */
  async #read(id: string): Promise<Draft | undefined> {
    let text: string;
    try {
      text = await this.#storage.read(id + draftExtension);
    } catch (error) {
      const { code } = error as { code?: unknown };
      // No file exists: the usual case.
      return code === undefined || code === 'ENOENT' ? emptyDraft : undefined;
    }
    try {
      return draftSchema.parse(JSON.parse(text));
    } catch (error) {
      this.#log.warn(`The draft of conversation ${id} is damaged and was left out: ${String(error)}`);
      return emptyDraft;
    }
  }

  /** Takes over what another window queued, attached or sent; text being typed here is kept. @returns whether anything changed */
  async follow(id: string): Promise<boolean> {
    await this.#writing;
    const draft = this.#drafts.get(id);
    if (!draft || this.#unwritten.has(id)) return false;
    const read = await this.#read(id);
    if (!read) return false;
    const { attachments, queue } = read;
    // Changes made here meanwhile are newer than what was read.
    if (draft !== this.#drafts.get(id) || sameJson([attachments, queue], [draft.attachments, draft.queue]))
      return false;
    this.#drafts.set(id, { ...draft, attachments, queue });
    return true;
  }

  async #write(id: string, change: Partial<Draft>): Promise<void> {
    // A draft that cannot be read at the moment is not empty: keep what this window knows of it.
    const draft = { ...((await this.#read(id)) ?? this.get(id)), ...change };
    try {
      if (isEmptyDraft(draft)) await this.#storage.remove(id + draftExtension);
      else await this.#storage.replace(id + draftExtension, JSON.stringify(draft));
    } catch (error) {
      // The next change tries to write it again.
      this.#unwritten.set(id, { ...change, ...this.#unwritten.get(id) });
      this.#log.warn(`The draft of conversation ${id} could not be saved: ${String(error)}`);
    }
  }
}
