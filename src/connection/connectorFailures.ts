/** Errors for a profile that cannot be connected, or that refuses an operation. */
import { AppError, isAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { Profile } from './connection.ts';

export function stoppedByUser(): AppError {
  return new AppError('unavailable', l10n.t('The local service is stopped. No request was sent.'), {
    remedy: l10n.t(
      'Start it with "Refresh" in the Jobs view or "Millrace: Start Local Service". It also starts when you deploy, run or chat.',
    ),
  });
}

/**
 * Returns the error for a local service that rejects its token, which means that it is another service: the user's sign-in is not the
 * cause.
 */
export function replacedService(error: AppError): AppError {
  if (error.kind !== 'unauthenticated') return error;
  return new AppError(
    'unavailable',
    l10n.t(
      '{0}: the local service has stopped, and another server answers at its address. Nothing was done.',
      error.operation ?? l10n.t('The request'),
    ),
    {
      cause: error,
      operation: error.operation,
      retryable: true,
      remedy: l10n.t('Try again. This makes a new connection.'),
    },
  );
}

export function startFailure(error: unknown): AppError {
  if (isAppError(error)) return error;
  return new AppError(
    'unavailable',
    l10n.t('Could not start the local service: {0}', error instanceof Error ? error.message : String(error)),
    {
      cause: error,
      remedy: l10n.t(
        'Check the log (Millrace: Show Log of the Local Service), then try again. You can use a remote profile meanwhile.',
      ),
    },
  );
}

/** Returns the error of a mutation on a profile that refuses mutations. */
/** @param what the change, if the user was asked about it; `undefined` if it was refused before any question */
export function readOnlyError(profile: Profile, what?: string): AppError {
  return new AppError(
    'readOnly',
    what === undefined
      ? l10n.t('The profile "{0}" is read-only, so nothing was changed.', profile.name)
      : l10n.t('The profile "{0}" is read-only, so this was not sent: {1}.', profile.name, what),
    {
      remedy: l10n.t('Choose another profile, or turn off read-only (Millrace: Choose Profile…).'),
    },
  );
}

export function missingSecret(profile: Profile): AppError {
  return new AppError(
    'unauthenticated',
    l10n.t(
      'There is no stored sign-in of profile "{0}" for {1}. Nothing was sent.',
      profile.name,
      profile.baseUrl ?? '',
    ),
    {
      remedy: l10n.t('Sign in (Millrace: Sign In to Profile…).'),
    },
  );
}
