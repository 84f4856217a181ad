import { plainText, sentence } from './text.ts';

/** What went wrong, as a value to switch on. Texts are for people and are never compared. */
export type ErrorKind =
  | 'aborted' // the caller gave up; not a failure
  | 'invalid' // a rule of the API documents is broken; nothing was sent
  | 'network' // the server is unreachable or the connection broke
  | 'timeout' // nothing arrived within the limit
  | 'tls' // the certificate was rejected
  | 'unauthenticated' // 401
  | 'forbidden' // 403
  | 'notFound' // 404, or RESOURCE_DOES_NOT_EXIST
  | 'rateLimited' // 429
  | 'rejected' // another 4xx
  | 'server' // 5xx
  | 'cutOff' // the response does not belong to this API
  | 'protocol' // a limit on what is sent, received or stored
  | 'tooLarge' // a cap on what is sent, received or kept
  | 'readOnly' // the profile refuses mutations
  | 'untrusted' // the workspace is not trusted
  | 'unavailable' // a local prerequisite is missing: Python, Java, disk space, the local service
  | 'internal'; // a defect of ours

/** Kinds of failures that may pass by themselves. */
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
  /** `error_code` of the server's body. */
  readonly errorCode?: string;
  readonly retryable?: boolean;
  /** The operation in the API document's words, such as `jobs/create`. */
  readonly operation?: string;
  /** A sentence about what the user can do next. */
  readonly remedy?: string;
  /** Text that arrived before the failure, which is never discarded. */
  readonly partial?: string;
}

/**
 * The error type that crosses module borders. `message` says what happened and what was not done; `remedy` says what to do next. Switch on
 * `kind`, never on the text.
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

/** Returns whether it is one of our own abort errors or the platform's `AbortError`. */
export function isAbort(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === 'aborted';
  return error instanceof Error && error.name === 'AbortError';
}

/** Returns any thrown value as an AppError; other values become `internal` with the value as their cause. */
export function toAppError(error: unknown, operation?: string): AppError {
  if (error instanceof AppError) return error;
  if (isAbort(error)) return new AppError('aborted', 'Stopped.', { cause: error, operation });
  const text = error instanceof Error ? error.message : String(error);
  return new AppError('internal', text, { cause: error, operation });
}

/** Returns message and remedy as one text for people, safe to show in the editor's messages. */
export function describeError(error: unknown): string {
  const appError = toAppError(error);
  return plainText(appError.remedy ? `${sentence(appError.message)} ${appError.remedy}` : appError.message);
}
