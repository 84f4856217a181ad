import type * as z from 'zod';

/** One operation, declared once for the client that calls it and the service that answers it. */
export interface Route<Q extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** The operation in the document's words, such as `jobs/create`; it names the operation in every error. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path below the base URL; `{name}` marks a path parameter. */
  readonly path: string;
  readonly request: Q;
  readonly response: R;
  /**
   * What an error says of the operation's outcome, as whole sentences, since parts of one cannot be translated: that it was not done, and that
   * this is not known. Of the request itself if it is left out.
   */
  readonly outcome?: () => readonly [notDone: string, notKnown: string];
  /** Whether it changes anything; a read-only profile refuses these. */
  readonly mutates: boolean;
  /**
   * When a POST may be sent again after a server failure: `always` if repeating is harmless, `withToken` if an
   * idempotency token makes it so, `never` otherwise (Jobs API 2.0, Errors).
   */
  readonly repeatable: 'always' | 'withToken' | 'never';
  /**
   * The field of the answer that holds the list it is asked for. Servers leave an empty list out; an entry that cannot be read is left
   * out by us, and told.
   */
  readonly list?: string;
  /** Fields of which an answer to this operation has one at least. Schemas read leniently, and would take any object for an answer. */
  readonly needs?: readonly string[];
  /** The document shows no body for the answer: nothing at all is as good as `{}`. */
  readonly bodiless?: boolean;
  /** Whether a model answers, which may have to be loaded and may think for long before its first word. */
  readonly model?: boolean;
  /** How large an answer may be, if that is more than usual. */
  readonly maxAnswerInBytes?: number;
  /** How many JSON values an answer of a model may hold, if that is more than usual. */
  readonly maxAnswerInValues?: number;
}

export function route<Q extends z.ZodType, R extends z.ZodType>(definition: Route<Q, R>): Route<Q, R> {
  return definition;
}
