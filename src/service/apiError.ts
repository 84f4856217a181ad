import { AppError } from '../shared/errors.ts';

/** The codes of an error body; the document shows none, so they are those that clients of such services know. */
export type ErrorCode =
  | 'INVALID_PARAMETER_VALUE'
  | 'MALFORMED_REQUEST'
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
  | 'TEMPORARILY_UNAVAILABLE'
  | 'INTERNAL_ERROR';

/** A refusal that becomes `{"error_code", "message"}` with its status. */
export class ApiError extends Error {
  readonly status: number;
  readonly errorCode: ErrorCode;
  /** Seconds after which the request may be repeated. */
  readonly retryAfterInSeconds?: number;
  /** What the path takes, where the method was wrong. */
  readonly allowedMethods?: readonly string[];

  constructor(status: number, errorCode: ErrorCode, message: string, options: { retryAfterInSeconds?: number; allowedMethods?: readonly string[]; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.status = status;
    this.errorCode = errorCode;
    this.retryAfterInSeconds = options.retryAfterInSeconds;
    this.allowedMethods = options.allowedMethods;
  }
}

export function invalidParameter(message: string): ApiError {
  return new ApiError(400, 'INVALID_PARAMETER_VALUE', message);
}

/** Jobs API 2.0, Errors: an id that names nothing is HTTP 400. */
export function doesNotExist(what: 'Job' | 'Run', id: string): ApiError {
  const [field, list] = what === 'Job' ? ['job_id', 'jobs/list'] : ['run_id', 'jobs/runs/list'];
  return new ApiError(400, 'RESOURCE_DOES_NOT_EXIST', `${what} ${id} does not exist; nothing was changed. Look the ${field} up with ${list}.`);
}

/** SQLite's primary result codes that say the disk, not the caller, is at fault. */
const storageCodes = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);

/** Any thrown value as an ApiError; what nobody foresaw is an INTERNAL_ERROR without its details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code = (error as { errcode?: unknown }).errcode;
  if (typeof code === 'number' && storageCodes.has(code & 0xff)) {
    return new ApiError(500, 'STORAGE_FAILED', `The data folder could not be written: ${(error as Error).message}. The request was not carried out. Make room on the disk or correct the folder's permissions, then send it again.`, { cause: error });
  }
  if (error instanceof AppError) return fromAppError(error);
  return new ApiError(500, 'INTERNAL_ERROR', 'The local service met a defect of its own; the request may not have been carried out. Its log names the cause.', { cause: error });
}

function fromAppError(error: AppError): ApiError {
  const text = error.remedy ? `${error.message} ${error.remedy}` : error.message;
  if (error.status !== undefined) return new ApiError(error.status, (error.errorCode ?? 'INTERNAL_ERROR') as ErrorCode, text, { cause: error });
  switch (error.kind) {
    case 'invalid': return new ApiError(400, 'INVALID_PARAMETER_VALUE', text, { cause: error });
    case 'notFound': return new ApiError(404, 'RESOURCE_DOES_NOT_EXIST', text, { cause: error });
    case 'rateLimited': return new ApiError(429, 'REQUEST_LIMIT_EXCEEDED', text, { cause: error, retryAfterInSeconds: 1 });
    case 'tooLarge': return new ApiError(413, 'MAX_REQUEST_SIZE_EXCEEDED', text, { cause: error });
    case 'unavailable':
    case 'network':
    case 'timeout': return new ApiError(503, 'TEMPORARILY_UNAVAILABLE', text, { cause: error });
    default: return new ApiError(500, 'INTERNAL_ERROR', text, { cause: error });
  }
}
