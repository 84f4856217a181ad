import { l10n } from '../shared/l10n.ts';
import { oneLine } from '../shared/text.ts';
import { deployJobFile, taskName, type Deployed } from './deploy.ts';
import { readDeployable } from './deployableFile.ts';
import { offer } from './offer.ts';
import { runNow } from './runNow.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/**
 * Deploys the job file and offers to run it.
 * @returns `undefined` if the user canceled
 */
export async function deployAndOffer(services: CommandServices, target: Target): Promise<Deployed | undefined> {
  const deployable = await readDeployable(services, target);
  if (!deployable) return undefined;
  const connection = await services.connections.connect();
  return services.singleFlight.once(taskName('deploy and offer', connection, deployable), async () => {
    const deployed = await deployJobFile(services, connection, deployable, { isPreviewed: true });
    if (deployed) announce(services, deployed);
    return deployed;
  });
}

/**
 * Reports the deploy and offers the next actions. The user may respond much later, when another profile is selected, in which the job's id
 * means nothing.
 */
function announce(
  services: CommandServices,
  { jobId, name, connection: { profile }, created, goneJobId, rewritten }: Deployed,
): void {
  const message = created
    ? l10n.t('Deployed "{0}" to {1} as job {2}.', name, profile.name, jobId)
    : l10n.t('Deployed "{0}" to {1}: job {2} has the new settings.', name, profile.name, jobId);
  const gone =
    goneJobId === undefined
      ? ''
      : ` ${l10n.t('Job {0}, to which the file was deployed before, no longer exists there.', goneJobId)}`;
  // Somebody else may also have changed the job just now.
  const other = rewritten ? ` ${l10n.t('The service stored different values: {0}', oneLine(rewritten))}` : '';
  offer(services.ui, message + gone + other, l10n.t('Run Now'), () =>
    runNow(services, { jobId, profileId: profile.id }),
  );
}
