import { AppError, type AppErrorOptions, type ErrorKind } from '../../shared/errors.ts';
import { sentence } from '../../shared/text.ts';

/** Codes of an error body. The document lists none, so these are the codes that clients of such services know. */
export type ErrorCode =
  | 'INVALID_PARAMETER_VALUE'
  | 'MALFORMED_REQUEST'
  | 'RESOURCE_ALREADY_EXISTS'
  | 'RESOURCE_DOES_NOT_EXIST'
  | 'ENDPOINT_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'INVALID_STATE'
  | 'REQUEST_LIMIT_EXCEEDED'
  | 'QUOTA_EXCEEDED'
  | 'MAX_REQUEST_SIZE_EXCEEDED'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'STORAGE_FAILED'
  | 'DEADLINE_EXCEEDED'
  | 'TEMPORARILY_UNAVAILABLE'
  | 'INTERNAL_ERROR';

interface ApiErrorOptions {
  readonly retryAfterInSeconds?: number;
  readonly allowedMethods?: readonly string[];
  readonly upstream?: { retryable: boolean };
  readonly cause?: unknown;
}

/** An error that becomes `{"error_code", "message"}` with its status. */
export class ApiError extends Error {
  readonly status: number;
  readonly errorCode: ErrorCode;
  /** Seconds after which the client may repeat the request. */
  readonly retryAfterInSeconds?: number;
  /** Methods that the path accepts, if the method was wrong. */
  readonly allowedMethods?: readonly string[];
  /** Set if the model server behind an endpoint failed, not the service. `retryable`: whether waiting may help. */
  readonly upstream?: { readonly retryable: boolean };

  constructor(status: number, errorCode: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.status = status;
    this.errorCode = errorCode;
    this.retryAfterInSeconds = options.retryAfterInSeconds;
    this.allowedMethods = options.allowedMethods;
    this.upstream = options.upstream;
  }
}

/**
 * Returns the body of an error response. @param forOpenAi adds the form that clients of the OpenAI-style routes read; other clients read
 * `error` as a text
 */
export function errorBody({ errorCode, message, upstream }: ApiError, forOpenAi: boolean): object {
  return {
    error_code: errorCode,
    message,
    ...(upstream && { source: 'upstream', retryable: upstream.retryable }),
    ...(forOpenAi && { error: { message, type: errorCode, code: errorCode } }),
  };
}

export function invalidParameter(message: string): ApiError {
  return new ApiError(400, 'INVALID_PARAMETER_VALUE', message);
}

/** Returns the error for an ID that does not exist: HTTP 400 (Jobs API 2.0, Errors). */
export function doesNotExist(what: 'Job' | 'Run', id: string): ApiError {
  const [field, list] = what === 'Job' ? ['job_id', 'jobs/list'] : ['run_id', 'jobs/runs/list'];
  return new ApiError(
    400,
    'RESOURCE_DOES_NOT_EXIST',
    `${what} ${id} does not exist; nothing was changed. Look the ${field} up with ${list}.`,
  );
}

/** SQLite's primary result codes that blame the disk, not the caller. */
const storageCodes = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);

/** Codes of the system for the same. */
const fileCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

function isStorageError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return typeof errcode === 'number' ? storageCodes.has(errcode & 0xff) : fileCodes.has(code as string);
}

/** Returns any thrown value as an ApiError. An unexpected error becomes an INTERNAL_ERROR without its details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isStorageError(error)) {
    return new ApiError(
      500,
      'STORAGE_FAILED',
      `The data folder could not be written: ${error.message}. The request failed. ` +
        `Free some disk space or correct the folder's permissions, then send the request again.`,
      { cause: error },
    );
  }
  if (error instanceof AppError) return fromAppError(error);
  return new ApiError(
    500,
    'INTERNAL_ERROR',
    'The local service has an internal error; the request may have failed. Its log contains the cause.',
    { cause: error },
  );
}

function fromAppError(error: AppError): ApiError {
  const text = error.remedy ? `${sentence(error.message)} ${error.remedy}` : error.message;
  if (error.status !== undefined) {
    const options =
      error instanceof UpstreamError
        ? { upstream: { retryable: error.retryable }, retryAfterInSeconds: wholeSeconds(error.retryAfterInMs) }
        : {};
    // Only this service's own errors have a status here, and their code is one of these.
    const code = (error.errorCode ?? 'INTERNAL_ERROR') as ErrorCode;
    return new ApiError(error.status, code, text, { ...options, cause: error });
  }
  switch (error.kind) {
    case 'invalid':
      return new ApiError(400, 'INVALID_PARAMETER_VALUE', text, { cause: error });
    case 'notFound':
      return new ApiError(404, 'RESOURCE_DOES_NOT_EXIST', text, { cause: error });
    case 'rateLimited':
      return new ApiError(429, 'REQUEST_LIMIT_EXCEEDED', text, { cause: error, retryAfterInSeconds: 1 });
    case 'tooLarge':
      return new ApiError(413, 'MAX_REQUEST_SIZE_EXCEEDED', text, { cause: error });
    case 'unavailable':
    case 'network':
    case 'timeout':
      return new ApiError(503, 'TEMPORARILY_UNAVAILABLE', text, { cause: error });
    default:
      return new ApiError(500, 'INTERNAL_ERROR', text, { cause: error });
  }
}

function wholeSeconds(inMs: number | undefined): number | undefined {
  return inMs === undefined ? undefined : Math.ceil(inMs / 1000);
}

/** A failure of the model server behind an endpoint, which is neither the service's nor the caller's fault. */
export class UpstreamError extends AppError {
  override readonly name = 'UpstreamError';
  /** Milliseconds after which the server accepts another request. */
  readonly retryAfterInMs?: number;

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions & { retryAfterInMs?: number }) {
    super(kind, message, options);
    this.retryAfterInMs = options.retryAfterInMs;
  }
}
