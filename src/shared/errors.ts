import { plainText } from './text.ts';

/** What went wrong, as a value to switch on. Texts are for people and are never compared. */
export type ErrorKind =
  | 'aborted' // the caller gave up; not a failure
  | 'invalid' // a rule of the API documents is broken; nothing was sent
  | 'network' // the server could not be reached or the connection broke
  | 'timeout' // nothing arrived within the limit
  | 'tls' // the certificate was not accepted
  | 'unauthenticated' // 401
  | 'forbidden' // 403
  | 'notFound' // 404, or RESOURCE_DOES_NOT_EXIST
  | 'rateLimited' // 429
  | 'rejected' // another 4xx
  | 'server' // 5xx
  | 'cutOff' // a stream or body ended before it was complete
  | 'protocol' // the answer is not what this API answers
  | 'tooLarge' // a cap on what is sent, received or kept
  | 'readOnly' // the profile refuses mutations
  | 'untrusted' // the workspace is not trusted
  | 'unavailable' // a local prerequisite is missing: python, Java, disk space, the local service
  | 'internal'; // a defect of ours

/** Kinds of failures that may be over by the next look, without anybody doing anything. */
export const passingKinds: ReadonlySet<ErrorKind> = new Set([
  'network',
  'timeout',
  'rateLimited',
  'server',
  'cutOff',
  'unavailable',
]);

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** HTTP status, if there was one. */
  readonly status?: number;
  /** `error_code` of the server's body, as it came. */
  readonly errorCode?: string;
  readonly retryable?: boolean;
  /** The operation in the API document's words, such as `jobs/create`. */
  readonly operation?: string;
  /** What the user can do next, one sentence. */
  readonly remedy?: string;
  /** Text that arrived before the failure, which is never thrown away. */
  readonly partial?: string;
}

/**
 * The one error type that crosses module borders. `message` says what happened and what was not done;
 * `remedy` says what to do next. Switch on `kind`, never on the text.
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly status?: number;
  readonly errorCode?: string;
  readonly retryable: boolean;
  readonly operation?: string;
  readonly remedy?: string;
  readonly partial?: string;

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.status = options.status;
    this.errorCode = options.errorCode;
    this.retryable = options.retryable ?? false;
    this.operation = options.operation;
    this.remedy = options.remedy;
    this.partial = options.partial;
  }
}

export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError;
}

/** True for our own abort errors and for the platform's `AbortError`. */
export function isAbort(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === 'aborted';
  return error instanceof Error && error.name === 'AbortError';
}

/** Any thrown value as an AppError; what is not one already becomes `internal` with the value as its cause. */
export function toAppError(error: unknown, operation?: string): AppError {
  if (error instanceof AppError) return error;
  if (isAbort(error)) return new AppError('aborted', 'Stopped.', { cause: error, operation });
  const text = error instanceof Error ? error.message : String(error);
  return new AppError('internal', text, { cause: error, operation });
}

/** Message and remedy as one text for a person, safe to show in the editor's messages. */
export function describeError(error: unknown): string {
  const appError = toAppError(error);
  return plainText(appError.remedy ? `${appError.message} ${appError.remedy}` : appError.message);
}
