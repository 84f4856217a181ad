import type * as z from 'zod';

/** One operation, declared once for both the client that calls it and the service that implements it. */
export interface Route<Q extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** The operation's name in the document, such as `jobs/create`; every error uses it. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path below the base URL; `{name}` is a path parameter. */
  readonly path: string;
  readonly request: Q;
  readonly response: R;
  /**
   * Sentences that an error uses for the operation's outcome: that it was not done, and that this is not known. Whole sentences, since
   * fragments cannot be translated. If left out, they refer to the request.
   */
  readonly outcome?: () => readonly [notDone: string, notKnown: string];
  /** Whether the operation changes anything; a read-only profile refuses such operations. */
  readonly mutates: boolean;
  /**
   * When a POST may be retried after a server failure: `always` if repeating is harmless, `withToken` if an idempotency token makes it so,
   * `never` otherwise (Jobs API 2.0, Errors).
   */
  readonly repeatable: 'always' | 'withToken' | 'never';
  /**
   * The response field that holds the requested list. Servers leave an empty list out; we leave out and report an entry that cannot be
   * read.
   */
  readonly list?: string;
  /** Fields of which a response must have at least one. Schemas read leniently and would accept any object. */
  readonly needs?: readonly string[];
  /** Whether the document shows no response body; if so, an empty body counts as `{}`. */
  readonly bodiless?: boolean;
  /** Whether a model responds, which may have to be loaded and may think for long before its first word. */
  readonly model?: boolean;
  /** Maximum response size in bytes, if larger than usual. */
  readonly maxAnswerInBytes?: number;
  /** Maximum number of JSON values in a model's response, if larger than usual. */
  readonly maxAnswerInValues?: number;
}

export function route<Q extends z.ZodType, R extends z.ZodType>(definition: Route<Q, R>): Route<Q, R> {
  return definition;
}
