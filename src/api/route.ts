import type * as z from 'zod';

/** One operation, declared once for the client that calls it and the service that answers it. */
export interface Route<Q extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** The operation in the document's words, such as `jobs/create`; it names the operation in every error. */
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  /** Path below the base URL; `{name}` marks a path parameter. */
  readonly path: string;
  readonly request: Q;
  readonly response: R;
  /** Whether it changes anything; a read-only profile refuses these. */
  readonly mutates: boolean;
  /**
   * When a POST may be sent again after a server failure: `always` where repeating is harmless, `withToken` where an
   * idempotency token makes it so, `never` otherwise (Jobs API 2.0, Errors).
   */
  readonly repeatable: 'always' | 'withToken' | 'never';
}

export function route<Q extends z.ZodType, R extends z.ZodType>(definition: Route<Q, R>): Route<Q, R> {
  return definition;
}
