import { AppError } from '../../shared/errors.ts';
import { shortened } from '../../shared/text.ts';
import { UpstreamError } from '../base/apiError.ts';

/**
 * Creates an error of the models: `status` is the HTTP status and `errorCode` the `error_code` of the body. The Inference API leaves both
 * open; these are the codes of the Jobs API's servers.
 */

export function invalidModelParameter(message: string, remedy?: string): AppError {
  return new AppError('invalid', message, { status: 400, errorCode: 'INVALID_PARAMETER_VALUE', remedy });
}

/** @param unlisted sentences about what kept models from being listed: the endpoint may be one of them */
export function noSuchEndpoint(name: string, known: readonly string[], unlisted: readonly string[] = []): AppError {
  const remedy = known.length > 0 ? [`Use one of ${known.slice(0, 12).join(', ')}.`] : [];
  const missing = `The serving endpoint "${shortened(name, 100)}" does not exist.`;
  return new AppError('notFound', [missing, ...remedy, ...unlisted].join(' '), {
    status: 404,
    errorCode: 'RESOURCE_DOES_NOT_EXIST',
  });
}

export function endpointExists(name: string): AppError {
  return new AppError(
    'rejected',
    `The serving endpoint "${name}" exists already; nothing was created. Choose another name.`,
    { status: 409, errorCode: 'RESOURCE_ALREADY_EXISTS' },
  );
}

type UpstreamFailure =
  | 'network'
  | 'timeout'
  | 'server'
  | 'cutOff'
  | 'protocol'
  | 'forbidden'
  | 'notFound'
  | 'rateLimited'
  | 'rejected';

/**
 * Returns the error for a model server that is unreachable, rejects the request, fails or cuts off. Waiting helps only if the server itself
 * says that it is busy or loading; every other failure is reported at once.
 */
export function upstreamFailure(
  kind: UpstreamFailure,
  message: string,
  options: { cause?: unknown; isBusy?: boolean; retryAfterInMs?: number } = {},
): UpstreamError {
  const answers = {
    network: { status: 503, errorCode: 'TEMPORARILY_UNAVAILABLE' },
    timeout: { status: 504, errorCode: 'DEADLINE_EXCEEDED' },
    server: { status: 502, errorCode: 'INTERNAL_ERROR' },
    cutOff: { status: 502, errorCode: 'INTERNAL_ERROR' },
    protocol: { status: 502, errorCode: 'INTERNAL_ERROR' },
    forbidden: { status: 403, errorCode: 'PERMISSION_DENIED' },
    notFound: { status: 404, errorCode: 'RESOURCE_DOES_NOT_EXIST' },
    rateLimited: { status: 429, errorCode: 'REQUEST_LIMIT_EXCEEDED' },
    rejected: { status: 400, errorCode: 'INVALID_PARAMETER_VALUE' },
  } as const;
  const { cause, retryAfterInMs, isBusy = kind === 'rateLimited' } = options;
  return new UpstreamError(kind, message, { ...answers[kind], cause, retryAfterInMs, retryable: isBusy });
}
