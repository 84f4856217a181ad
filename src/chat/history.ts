import type { Logger } from '../shared/log.ts';
import { applyEvent, emptyConversation, type Conversation } from './conversation.ts';
import { type AnswerDeltaEvent, conversationEventSchema, type ConversationEvent } from './conversationEvent.ts';
import { draftExtension } from './draft.ts';
import { conversationText } from './historyText.ts';
import { closed, toFailure } from './session.ts';

/** Where the files are. Injected, so that the rules of this file are tested without a disk. */
export interface HistoryStorage {
  list(): Promise<readonly { name: string; modifiedAtMs: number }[]>;
  read(name: string): Promise<string>;
  /** Appends and returns only when the text is on disk. */
  append(name: string, text: string): Promise<void>;
  /** Appends, or begins anew, at once and without waiting for the disk: it outlives the program, not the machine. */
  note(name: string, text: string, isFirst: boolean): void;
  /** Puts a whole text in place of the old one; whoever reads finds either. */
  replace(name: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Tells of each file that changes, whoever changes it. @returns what ends it */
  watch(onChange: (name: string) => void): () => void;
}

/** Who writes to the files. */
interface Writer {
  readonly id: number;
  isAlive(id: number): boolean;
}

export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly updatedAtMs: number;
  /** False if nothing was ever asked in it, nor begun. */
  readonly hasContent: boolean;
  /** Its last answer came while no window showed it. */
  readonly isUnread: boolean;
  /** Its last answer ended before it was whole. */
  readonly isCutOff: boolean;
}

const extension = '.jsonl';
const deletedExtension = '.jsonl.deleted';
/** What an answer brought since its last record: each with how much of the answer was there before. */
const tailExtension = '.tail';
/** A file without content: what came was not seen yet. */
export const unreadExtension = '.unread';
/** Whoever writes an answer says so at least this often. */
export const signInMs = 5_000;
/** What is longer is not noted: to write it at once would hold up everything else, and its record is on its way as soon. */
const maxNoteLength = 1_000_000;
/** Long enough to think better of a deletion after the notification is gone, short enough to be a deletion. */
const undoPeriodInMs = 24 * 60 * 60 * 1000;

/**
 * One append-only file of JSON lines for each conversation; no index file exists that could be lost or disagree: the list
 * is made by scanning. A line that is torn or unknown is passed over and the rest is read.
 */
export class History {
  readonly #storage: HistoryStorage;
  readonly #log: Logger;
  /** One queue a file keeps the order of its lines. */
  readonly #queues = new Map<string, Promise<void>>();
  /** Files whose last line may be torn: the next record starts on a line of its own. */
  readonly #torn = new Set<string>();
  /** Conversations whose answer has a tail. */
  readonly #tails = new Set<string>();
  /** What was read from a tail, until it is recorded with what comes next. */
  readonly #recovered = new Map<string, ConversationEvent[]>();
  readonly #writer: Writer;

  constructor(storage: HistoryStorage, log: Logger, writer: Writer = { id: 0, isAlive: () => false }) {
    this.#storage = storage;
    this.#log = log;
    this.#writer = writer;
  }

  /** Tells of each file of a conversation that changes, also if another window changes it. */
  watch(onChange: (name: string) => void): () => void {
    return this.#storage.watch(onChange);
  }

  /** Remembers, for all windows, whether the last answer was seen. */
  async markUnread(id: string, isUnread: boolean): Promise<void> {
    if (isUnread) this.#storage.note(id + unreadExtension, '', true);
    else await this.#storage.remove(id + unreadExtension);
  }

  /** Says to other windows that an answer is being written here. */
  sign(id: string, atMs: number): void {
    this.#note(id, { writer: this.#writer.id, atMs });
  }

  /** Every conversation, last changed first. */
  async list(): Promise<ConversationSummary[]> {
    const all = await this.#storage.list();
    const names = new Set(all.map(({ name }) => name));
    const files = all.filter((file) => file.name.endsWith(extension));
    const summaries: ConversationSummary[] = [];
    for (const file of files) {
      const id = file.name.slice(0, -extension.length);
      try {
        const summary = summarize(id, await this.#storage.read(file.name), file.modifiedAtMs);
        summaries.push({
          ...summary,
          hasContent: summary.hasContent || names.has(id + draftExtension),
          isUnread: names.has(id + unreadExtension),
          isCutOff: summary.isCutOff && !(names.has(id + tailExtension) && (await this.#isWrittenElsewhere(id))),
        });
      } catch (error) {
        this.#log.warn(`Conversation ${id} could not be read and is left out of the list: ${String(error)}`);
      }
    }
    return summaries.sort((a, b) => b.updatedAtMs - a.updatedAtMs);
  }

  async #isWrittenElsewhere(id: string): Promise<boolean> {
    const { writer } = await this.#readTail(id);
    return writer !== undefined && this.#writer.isAlive(writer.id);
  }

  /**
   * The conversation as its file tells it. An answer that was being written when the editor went away is `cutOff`,
   * with the text that had been saved; one that another window is writing goes on.
   */
  async load(id: string, nowMs = Infinity): Promise<Conversation> {
    const name = id + extension;
    await this.#queues.get(id)?.catch(() => undefined);
    const text = await this.#storage.read(name);
    if (text !== '' && !text.endsWith('\n')) this.#torn.add(id);
    const { events, skippedLines } = parseEvents(text);
    if (skippedLines > 0)
      this.#log.warn(`Conversation ${id}: ${skippedLines} damaged line(s) were passed over; the rest was read.`);
    let conversation = emptyConversation(id, events.map(atMsOf).find((atMs) => atMs !== undefined) ?? 0);
    for (const event of events) conversation = applyEvent(conversation, event);
    const recovered: ConversationEvent[] = [];
    const { pieces, writer } = await this.#readTail(id);
    for (const { size, event } of pieces) {
      if (event.type !== 'answerDelta' || size !== sizeOf(conversation, event.id)) continue;
      conversation = applyEvent(conversation, event);
      recovered.push(event);
    }
    if (
      writer &&
      nowMs - writer.atMs < 3 * signInMs &&
      writer.id !== this.#writer.id &&
      this.#writer.isAlive(writer.id)
    )
      return { ...conversation, id };
    this.#recovered.set(id, recovered);
    return closeInterrupted({ ...conversation, id });
  }

  /** Resolves when the events are on disk, in order with the earlier ones; rejects with the storage's error. */
  append(id: string, events: readonly ConversationEvent[]): Promise<void> {
    if (events.length === 0) return Promise.resolve();
    const recovered = this.#recovered.get(id) ?? [];
    this.#recovered.delete(id);
    const lines = [...recovered, ...events].map((event) => `${JSON.stringify(event)}\n`).join('');
    const isEnd = events.some(({ type }) => type === 'answerEnded') && this.#tails.delete(id);
    const write = async (): Promise<void> => {
      const prefix = this.#torn.has(id) ? '\n' : '';
      this.#torn.add(id); // Until it succeeds: a failed write may have left half a line.
      await this.#storage.append(id + extension, prefix + lines);
      this.#torn.delete(id);
      if (isEnd || recovered.length > 0) await this.#storage.remove(id + tailExtension);
    };
    return this.#enqueue(id, write);
  }

  /**
   * Keeps what an answer brought until it is recorded, also if the program ends before that, at any moment. At once and not in its
   * turn: a record waits for the disk. Each piece says what it goes on from, so that nothing is read twice.
   */
  note(conversation: Conversation, event: AnswerDeltaEvent): void {
    const { id } = conversation;
    if (event.choices.reduce((sum, { text = '' }) => sum + text.length, 0) > maxNoteLength) return;
    this.#note(id, { size: sizeOf(conversation, event.id), ...event });
  }

  #note(id: string, value: object): void {
    const line = `${JSON.stringify(value)}\n`;
    const isFirst = !this.#tails.has(id);
    this.#tails.add(id);
    try {
      this.#storage.note(id + tailExtension, line, isFirst);
    } catch (error) {
      this.#log.debug(`Conversation ${id} could not be noted: ${String(error)}`);
    }
  }

  /** The pieces of an answer, and who wrote them last. */
  async #readTail(id: string): Promise<{
    pieces: { size: unknown; event: ConversationEvent }[];
    writer?: { id: number; atMs: number };
  }> {
    const lines = (await this.#storage.read(id + tailExtension).catch(() => '')).split('\n');
    const pieces = lines.flatMap((line) => {
      const event = parseEvent(line);
      return event ? [{ size: (JSON.parse(line) as { size?: unknown }).size, event }] : [];
    });
    const [, writer, atMs] =
      /^\{"writer":(\d+),"atMs":(\d+)/.exec(lines.findLast((line) => line.startsWith('{"writer"')) ?? '') ?? [];
    return writer === undefined ? { pieces } : { pieces, writer: { id: Number(writer), atMs: Number(atMs) } };
  }

  /** Everything that was said in a conversation, for a search; of one that cannot be read, nothing. */
  async words(id: string): Promise<string> {
    try {
      return conversationText(parseEvents(await this.#storage.read(id + extension)).events);
    } catch (error) {
      this.#log.warn(`Conversation ${id} could not be searched: ${String(error)}`);
      return '';
    }
  }

  /** Takes the conversation off the list; `restore` brings it back within a day. */
  delete(id: string): Promise<void> {
    return this.#enqueue(id, () => this.#storage.rename(id + extension, id + deletedExtension));
  }

  restore(id: string): Promise<void> {
    return this.#enqueue(id, () => this.#storage.rename(id + deletedExtension, id + extension));
  }

  /** Permanently removes what was deleted more than a day before `nowMs`. */
  async purge(nowMs: number): Promise<void> {
    for (const file of await this.#storage.list()) {
      if (!file.name.endsWith(deletedExtension) || nowMs - file.modifiedAtMs < undoPeriodInMs) continue;
      await this.#storage.remove(file.name);
      const id = file.name.slice(0, -deletedExtension.length);
      for (const ending of [tailExtension, unreadExtension]) await this.#storage.remove(id + ending);
    }
  }

  /** Resolves when everything that was appended has been written or has failed. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#queues.values()]);
  }

  #enqueue(id: string, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(id) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#queues.set(id, result);
    // The caller gets the rejection; the queue itself goes on.
    result
      .catch(() => undefined)
      .finally(() => {
        if (this.#queues.get(id) === result) this.#queues.delete(id);
      });
    return result;
  }
}

/** The events of a history file; lines that are torn or not understood are counted and passed over. */
export function parseEvents(text: string): { events: ConversationEvent[]; skippedLines: number } {
  const events: ConversationEvent[] = [];
  let skippedLines = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const event = parseEvent(line);
    if (event) events.push(event);
    else skippedLines += 1;
  }
  return { events, skippedLines };
}

function atMsOf(event: ConversationEvent | undefined): number | undefined {
  return event && 'atMs' in event ? event.atMs : undefined;
}

function parseEvent(line: string): ConversationEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // Torn by a crash or a full disk; counted by the caller.
  }
  const parsed = conversationEventSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** How much of an answer that is being written is there: a piece of it goes on from exactly that. */
function sizeOf({ turns }: Conversation, answerId: string): number | undefined {
  const answer = turns.findLast(({ id }) => id === answerId);
  if (answer?.role !== 'assistant' || answer.status !== 'streaming') return undefined;
  let size = 0;
  for (const { text, reasoning = '', toolCalls, logprobs } of answer.choices) {
    size += text.length + reasoning.length + logprobs.length;
    for (const call of toolCalls) size += call.id.length + call.name.length + call.arguments.length;
  }
  return size;
}

function closeInterrupted(conversation: Conversation): Conversation {
  return {
    ...conversation,
    turns: conversation.turns.map((turn) =>
      turn.role === 'assistant' && turn.status === 'streaming'
        ? {
            ...turn,
            status: 'cutOff' as const,
            failure: toFailure(closed()),
          }
        : turn,
    ),
  };
}

/** Only the few lines that the list shows are parsed; an answer's deltas are most of a file. */
function summarize(id: string, text: string, modifiedAtMs: number): Omit<ConversationSummary, 'isUnread'> {
  let title = '';
  let updatedAtMs = 0;
  let hasContent = false;
  let isCutOff = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('{"type":"answerDelta"')) continue;
    const event = parseEvent(line);
    if (!event) continue;
    if (event.type === 'created' || event.type === 'renamed') title = event.title;
    if (event.type === 'userAdded') hasContent = true;
    // What was begun and has no end was cut off, too.
    if (event.type === 'answerStarted') isCutOff = true;
    if (event.type === 'answerEnded') isCutOff = event.status === 'cutOff';
    updatedAtMs = Math.max(updatedAtMs, atMsOf(event) ?? 0);
  }
  return { id, title, updatedAtMs: updatedAtMs || modifiedAtMs, hasContent, isCutOff };
}
