import type { Logger } from '../shared/log.ts';
import { applyEvent, emptyConversation, type Conversation } from './conversation.ts';
import { type AnswerDeltaEvent, conversationEventSchema, type ConversationEvent } from './conversationEvent.ts';
import { draftExtension } from './draft.ts';
import { conversationText } from './historyText.ts';
import { closed, toFailure } from './session.ts';

/** Access to the history files. Injected, so that this file can be tested without a disk. */
export interface HistoryStorage {
  list(): Promise<readonly { name: string; modifiedAtMs: number }[]>;
  read(name: string): Promise<string>;
  /** Appends text and resolves only when it is on disk. */
  append(name: string, text: string): Promise<void>;
  /**
   * Appends or starts a file synchronously without waiting for the disk: the text survives the end of the process, but not a crash of the
   * machine.
   */
  note(name: string, text: string, isFirst: boolean): void;
  /** Replaces the whole text atomically: a reader sees either the old or the new one. */
  replace(name: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Calls `onChange` for each file that changes, in any process. @returns a function that stops watching */
  watch(onChange: (name: string) => void): () => void;
}

/** The process that writes to the files. */
interface Writer {
  readonly id: number;
  isAlive(id: number): boolean;
}

export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly updatedAtMs: number;
  /** False if the conversation has neither messages nor a draft. */
  readonly hasContent: boolean;
  /** Whether its last answer arrived while no window showed it. */
  readonly isUnread: boolean;
  /** Whether its last answer ended before it was complete. */
  readonly isCutOff: boolean;
}

const extension = '.jsonl';
const deletedExtension = '.jsonl.deleted';
/** File extension for the unrecorded part of an answer: each piece with the answer's length before it. */
const tailExtension = '.tail';
/** File extension of an empty file that marks an answer as not yet seen. */
export const unreadExtension = '.unread';
/** How often a process that writes an answer renews its mark, in milliseconds. */
export const signInMs = 5_000;
/**
 * Maximum length of a piece written to the tail: writing a longer one synchronously would block everything else, and its record is about to
 * be written anyway.
 */
const maxNoteLength = 1_000_000;
/**
 * How long a deletion can be undone, in milliseconds: long enough to change one's mind after the notification is gone, short enough to be a
 * real deletion.
 */
const undoPeriodInMs = 24 * 60 * 60 * 1000;

/**
 * One append-only JSON Lines file for each conversation. There is no index file that could be lost or disagree: the list is made by
 * scanning. Damaged or unknown lines are skipped.
 */
export class History {
  readonly #storage: HistoryStorage;
  readonly #log: Logger;
  /** One queue per file, which keeps its lines in order. */
  readonly #queues = new Map<string, Promise<void>>();
  /** Files whose last line may be incomplete: the next record starts on a new line. */
  readonly #torn = new Set<string>();
  /** Conversations whose answer has a tail file. */
  readonly #tails = new Set<string>();
  /** Events read from a tail, until they are recorded together with the next event. */
  readonly #recovered = new Map<string, ConversationEvent[]>();
  readonly #writer: Writer;

  constructor(storage: HistoryStorage, log: Logger, writer: Writer = { id: 0, isAlive: () => false }) {
    this.#storage = storage;
    this.#log = log;
    this.#writer = writer;
  }

  /** Calls `onChange` for each conversation file that changes, including changes by other windows. */
  watch(onChange: (name: string) => void): () => void {
    return this.#storage.watch(onChange);
  }

  /** Stores for all windows whether the last answer has been seen. */
  async markUnread(id: string, isUnread: boolean): Promise<void> {
    if (isUnread) this.#storage.note(id + unreadExtension, '', true);
    else await this.#storage.remove(id + unreadExtension);
  }

  /** Marks for other windows that an answer is being written here. */
  sign(id: string, atMs: number): void {
    this.#note(id, { writer: this.#writer.id, atMs });
  }

  /** Returns all conversations, most recently changed first. */
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
   * Returns the conversation from its file. An answer that was being written when the editor closed is `cutOff`, with the text saved by
   * then; one that another window is writing continues.
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

  /** Appends events in order. Resolves when they are on disk; rejects with the storage's error. */
  append(id: string, events: readonly ConversationEvent[]): Promise<void> {
    if (events.length === 0) return Promise.resolve();
    const recovered = this.#recovered.get(id) ?? [];
    this.#recovered.delete(id);
    const lines = [...recovered, ...events].map((event) => `${JSON.stringify(event)}\n`).join('');
    const isEnd = events.some(({ type }) => type === 'answerEnded') && this.#tails.delete(id);
    const write = async (): Promise<void> => {
      const prefix = this.#torn.has(id) ? '\n' : '';
      this.#torn.add(id); // Keep the flag until a write succeeds: a failed one may have left half a line.
      await this.#storage.append(id + extension, prefix + lines);
      this.#torn.delete(id);
      if (isEnd || recovered.length > 0) await this.#storage.remove(id + tailExtension);
    };
    return this.#enqueue(id, write);
  }

  /**
   * Writes received text of an answer to its tail, so that it survives the end of the process at any moment. Synchronous instead of queued,
   * since a record waits for the disk. Each piece contains its offset, so that nothing is read twice.
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

  /** Reads the pieces of an answer and who last wrote them. */
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

  /** Returns the text of all messages in a conversation, for searching; empty if it cannot be read. */
  async words(id: string): Promise<string> {
    try {
      return conversationText(parseEvents(await this.#storage.read(id + extension)).events);
    } catch (error) {
      this.#log.warn(`Conversation ${id} could not be searched: ${String(error)}`);
      return '';
    }
  }

  /** Removes the conversation from the list; `restore` brings it back within a day. */
  delete(id: string): Promise<void> {
    return this.#enqueue(id, () => this.#storage.rename(id + extension, id + deletedExtension));
  }

  restore(id: string): Promise<void> {
    return this.#enqueue(id, () => this.#storage.rename(id + deletedExtension, id + extension));
  }

  /** Permanently deletes conversations that were deleted more than a day before `nowMs`. */
  async purge(nowMs: number): Promise<void> {
    for (const file of await this.#storage.list()) {
      if (!file.name.endsWith(deletedExtension) || nowMs - file.modifiedAtMs < undoPeriodInMs) continue;
      await this.#storage.remove(file.name);
      const id = file.name.slice(0, -deletedExtension.length);
      for (const ending of [tailExtension, unreadExtension]) await this.#storage.remove(id + ending);
    }
  }

  /** Resolves when everything appended has been written or has failed. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#queues.values()]);
  }

  #enqueue(id: string, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(id) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#queues.set(id, result);
    // The caller gets the rejection; the queue continues.
    result
      .catch(() => undefined)
      .finally(() => {
        if (this.#queues.get(id) === result) this.#queues.delete(id);
      });
    return result;
  }
}

/** Parses the events of a history file; skips and counts damaged or unknown lines. */
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
    return undefined; // Incomplete because of a crash or a full disk; the caller counts it.
  }
  const parsed = conversationEventSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Returns the length of the answer being written: the next piece must continue from exactly there. */
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

/** Parses only the few lines that the list needs; most of a file is an answer's deltas. */
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
    // An answer with a start but no end was cut off, too.
    if (event.type === 'answerStarted') isCutOff = true;
    if (event.type === 'answerEnded') isCutOff = event.status === 'cutOff';
    updatedAtMs = Math.max(updatedAtMs, atMsOf(event) ?? 0);
  }
  return { id, title, updatedAtMs: updatedAtMs || modifiedAtMs, hasContent, isCutOff };
}
