/** Time and size limits of a client. Every wait and every buffer is limited. */
export interface ClientLimits {
  /** Maximum wait for the response headers of the jobs API. */
  readonly headersInMs: number;
  /** Maximum wait for the response headers of a model, which may have to be loaded and may think before its first word. */
  readonly inferenceHeadersInMs: number;
  /** Maximum wait between two pieces of a body. */
  readonly idleInMs: number;
  /** Maximum wait between two pieces of a model's stream, which may pause while the model thinks. */
  readonly streamIdleInMs: number;
  /** Maximum bytes of a response, unless the route sets another limit. */
  readonly responseBytes: number;
  /** Maximum bytes of a model's whole response, unless the route sets another limit. */
  readonly modelBytes: number;
  /** Maximum JSON values of a model's whole response; their number determines the reading time. */
  readonly modelValues: number;
  /** Maximum bytes read from an error's body. */
  readonly errorBytes: number;
  /** Maximum characters of one stream event. */
  readonly eventCharacters: number;
  /** Maximum bytes of a whole stream. */
  readonly streamBytes: number;
}

export const mebibyte = 1024 * 1024;

export const defaultLimits: ClientLimits = {
  headersInMs: 60_000,
  inferenceHeadersInMs: 300_000,
  idleInMs: 60_000,
  streamIdleInMs: 120_000,
  // get-output contains 5 MB of output, which escapes can make several times longer.
  responseBytes: 32 * mebibyte,
  modelBytes: 16 * mebibyte,
  // Enough for log probabilities of 20 candidates for each of a thousand tokens.
  modelValues: 100_000,
  errorBytes: 64 * 1024,
  eventCharacters: 4 * mebibyte,
  streamBytes: 256 * mebibyte,
};

/** Maximum request size (Jobs API 2.0, Limits). */
export const requestBytes = 10 * mebibyte;
