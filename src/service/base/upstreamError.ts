import { AppError, type AppErrorOptions, type ErrorKind } from '../../shared/errors.ts';

/** A failure of the model server behind an endpoint: neither of the service nor of whoever calls it. */
export class UpstreamError extends AppError {
  override readonly name = 'UpstreamError';
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfterInMs?: number;

  constructor(kind: ErrorKind, message: string, options: AppErrorOptions & { retryAfterInMs?: number }) {
    super(kind, message, options);
    this.retryAfterInMs = options.retryAfterInMs;
  }
}
