import type { Opened } from '../caller.ts';

/** Fields shared by the chunks of the two streamed task types. */
export interface AnyChunk {
  readonly choices?: { index?: number; finish_reason?: string }[];
}

/** How a stream's request is sent and its events are read. */
export interface StreamPlan<C extends AnyChunk> {
  readonly operation: string;
  readonly eventCharacters: number;
  /** Maximum bytes of a response that does not arrive as a stream. */
  readonly wholeBytes: number;
  readonly wholeValues: number;
  readonly onEvent?: (data: () => string) => void;
  /** Sends the request and resolves if the response status is a success. */
  open(): Promise<Opened>;
  /** Returns the chunk in an event, or `undefined` if there is none. */
  asChunk(value: unknown): C | undefined;
  /** Returns the chunk for a response that arrived whole. */
  wholeAsChunk(value: unknown): C | undefined;
  /** Number of choices that the request asked for. */
  readonly choices: number;
  /** Returns the text that a chunk adds to its first choice; errors keep it as partial text. */
  textOf(chunk: C): string;
  /** Returns the usage that a chunk reports: if a server sends it and then ends the stream, nothing is missing. */
  usageOf(chunk: C): unknown;
  /** Last chunk of a stream that was complete without a finish_reason. */
  readonly unexplainedEnd?: C;
}
