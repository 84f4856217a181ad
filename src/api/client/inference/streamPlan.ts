import type { Opened } from '../caller.ts';

/** What the two streamed task types have in common. */
export interface AnyChunk {
  readonly choices?: { index?: number; finish_reason?: string }[];
}

/** What a stream is made of: how it is sent, and how its events are read. */
export interface StreamPlan<C extends AnyChunk> {
  readonly operation: string;
  readonly eventCharacters: number;
  /** The same for an answer that does not come as a stream. */
  readonly wholeBytes: number;
  readonly wholeValues: number;
  readonly onEvent?: (data: () => string) => void;
  /** Sends the request; the answer's status is success. */
  open(): Promise<Opened>;
  /** The chunk in an event, or undefined if there is none. */
  asChunk(value: unknown): C | undefined;
  /** The same for an answer that came whole. */
  wholeAsChunk(value: unknown): C | undefined;
  /** How many choices the request asked for. */
  readonly choices: number;
  /** The text that a chunk adds to its first choice, which an error keeps. */
  textOf(chunk: C): string;
  /** The usage that a chunk reports: a server that tells it and then ends the stream has told all. */
  usageOf(chunk: C): unknown;
  /** Given last if the stream was complete without a finish_reason. */
  readonly unexplainedEnd?: C;
}
