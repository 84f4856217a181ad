import type { Connection, Profile } from '../connection/connection.ts';
import type { RunStore } from '../runs/store/runStore.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/**
 * Returns the one connection of a command, from its first question to its last request, since the current profile may change meanwhile.
 * @throws AppError `invalid` if the target belongs to another profile, where the same id is another job
 */
export async function connectFor(services: CommandServices, target: Target): Promise<Connection> {
  // Check this first as well, so that no service is started for a command that is refused.
  requireProfile(services, target, services.connections.current);
  const connection = await services.connections.connect();
  requireProfile(services, target, connection.profile);
  return connection;
}

/**
 * Checks that the target's job or run belongs to the profile to be used.
 * @throws AppError `invalid` if it does not
 */
export function requireProfile({ connections }: CommandServices, target: Target, used: Profile): void {
  const { profileId } = target;
  if (profileId === undefined || profileId === used.id) return;
  const owner = connections.profiles.find((profile) => profile.id === profileId);
  const what = nameOf(target);
  if (!owner) {
    throw new AppError(
      'invalid',
      l10n.t(
        '{0} belongs to a profile that no longer exists; the current one is "{1}". Nothing was done.',
        what,
        used.name,
      ),
      {
        remedy: l10n.t('Choose an item in the Jobs view of "{0}".', used.name),
      },
    );
  }
  throw new AppError(
    'invalid',
    l10n.t(
      '{0} belongs to the profile "{1}"; the current one is "{2}". Nothing was done.',
      what,
      owner.name,
      used.name,
    ),
    {
      remedy: l10n.t(
        'Choose the profile "{0}" first (Millrace: Choose Profile…), then try again in its Jobs view.',
        owner.name,
      ),
    },
  );
}

function nameOf({ jobId, runId }: Target): string {
  if (runId !== undefined) return l10n.t('Run {0}', runId);
  return jobId === undefined ? l10n.t('This row') : l10n.t('Job {0}', jobId);
}

/**
 * Returns the store of the connection's profile, or `undefined` while another profile's jobs and runs are shown, whose ids may be the same.
 */
export function storeOf({ connections, runs }: CommandServices, { profile }: Connection): RunStore | undefined {
  return connections.current.id === profile.id ? runs : undefined;
}

/** Refreshes after a change; a profile that is no longer shown is refreshed when it is selected again. */
export async function refreshAfter(services: CommandServices, connection: Connection): Promise<void> {
  if (storeOf(services, connection)) await services.refresh();
}
