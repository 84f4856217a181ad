/** What is told if a profile cannot be connected, or does not do what was asked of it. */
import { AppError, isAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { Profile } from './connection.ts';

export function stoppedByUser(): AppError {
  return new AppError('unavailable', l10n.t('The local service is stopped. No request was sent.'), {
    remedy: l10n.t(
      'Start it with "Refresh" of the jobs view or "Millrace: Start Local Service"; it also starts when you deploy, run or chat.',
    ),
  });
}

/** A local service that does not know its token is not the one that it was made for: no sign-in of a person is at fault. */
export function replacedService(error: AppError): AppError {
  if (error.kind !== 'unauthenticated') return error;
  return new AppError(
    'unavailable',
    l10n.t(
      '{0}: the local service has ended meanwhile, and another one answers at its address. Nothing was done.',
      error.operation ?? l10n.t('The request'),
    ),
    {
      cause: error,
      operation: error.operation,
      retryable: true,
      remedy: l10n.t('Try again: this makes a new connection.'),
    },
  );
}

export function startFailure(error: unknown): AppError {
  if (isAppError(error)) return error;
  return new AppError(
    'unavailable',
    l10n.t('The local service could not be started: {0}', error instanceof Error ? error.message : String(error)),
    {
      cause: error,
      remedy: l10n.t(
        'Look into the log (Millrace: Show Log of the Local Service), then try again; a remote profile can be used meanwhile.',
      ),
    },
  );
}

/** The error of a mutation on a profile that refuses them. */
export function readOnlyError(profile: Profile, what: string): AppError {
  return new AppError(
    'readOnly',
    l10n.t('The profile "{0}" is read-only; this was not sent: {1}.', profile.name, what),
    {
      remedy: l10n.t('Choose another profile, or take the read-only mark off (Millrace: Edit Profile…).'),
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
