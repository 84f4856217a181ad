import { describeError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { deployJobFile, type Deployed } from './deploy.ts';
import { runNow } from './runNow.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Deploys the job file and offers to run it. */
export async function deployAndOffer(services: CommandServices, target: Target): Promise<void> {
  const deployed = await deployJobFile(services, target);
  // Told after the command is done, so that nobody waits for the message to be closed.
  if (deployed) void announce(services, deployed);
}

async function announce(services: CommandServices, { jobId, name, profileName, created }: Deployed): Promise<void> {
  const run = l10n.t('Run Now');
  const message = created
    ? l10n.t('Deployed "{0}" to {1} as job {2}.', name, profileName, jobId)
    : l10n.t('Deployed "{0}" to {1}: job {2} has the new settings.', name, profileName, jobId);
  try {
    if ((await services.ui.info(message, run)) === run) await runNow(services, { jobId });
  } catch (error) {
    await services.ui.warn(describeError(error));
  }
}
