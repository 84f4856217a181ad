/** One of an error's causes, as the platform, the system or a library describes it. */
export interface Cause {
  readonly code?: unknown;
  readonly errcode?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** A longer chain is circular. */
const maxCauses = 8;

/**
 * Returns an error and its causes, outermost first. `fetch` and TLS hide the reason several levels down; of several errors the first
 * counts.
 */
export function causesOf(error: unknown): Cause[] {
  const chain: Cause[] = [];
  let current: unknown = error;
  while (typeof current === 'object' && current !== null && chain.length < maxCauses) {
    const cause = current as Cause;
    chain.push(cause);
    current = cause.cause ?? (Array.isArray(cause.errors) ? (cause.errors as unknown[])[0] : undefined);
  }
  return chain;
}
