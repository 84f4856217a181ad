/** What a client waits for and keeps. Every wait and every buffer has an end. */
export interface ClientLimits {
  /** Until the headers of an answer of the jobs API arrive. */
  readonly headersInMs: number;
  /** The same for a model, which may have to be loaded and may think before it says the first word. */
  readonly inferenceHeadersInMs: number;
  /** Between two pieces of a body. */
  readonly idleInMs: number;
  /** Between two pieces of a model's stream, which may pause while it thinks. */
  readonly streamIdleInMs: number;
  /** Bytes of an answer, if the route says nothing else. */
  readonly responseBytes: number;
  /** Bytes of a model's whole answer, if the route says nothing else. */
  readonly modelBytes: number;
  /** JSON values of a model's whole answer: reading it takes as long as these are many. */
  readonly modelValues: number;
  /** Bytes of an error's body that are read; the rest is left. */
  readonly errorBytes: number;
  /** Characters of one event of a stream. */
  readonly eventCharacters: number;
  /** Bytes of a whole stream. */
  readonly streamBytes: number;
}

export const mebibyte = 1024 * 1024;

export const defaultLimits: ClientLimits = {
  headersInMs: 60_000,
  inferenceHeadersInMs: 300_000,
  idleInMs: 60_000,
  streamIdleInMs: 120_000,
  // get-output holds 5 MB of output, which escapes can make several times longer.
  responseBytes: 32 * mebibyte,
  modelBytes: 16 * mebibyte,
  // Log probabilities of 20 candidates at each of a thousand tokens.
  modelValues: 100_000,
  errorBytes: 64 * 1024,
  eventCharacters: 4 * mebibyte,
  streamBytes: 256 * mebibyte,
};

/** Jobs API 2.0, Limits: request size. */
export const requestBytes = 10 * mebibyte;
