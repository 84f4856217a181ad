import { l10n } from '../shared/l10n.ts';
import { deployJobFile, type Deployed } from './deploy.ts';
import { offer } from './offer.ts';
import { runNow } from './runNow.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Deploys the job file and offers to run it. */
export async function deployAndOffer(services: CommandServices, target: Target): Promise<void> {
  const deployed = await deployJobFile(services, target);
  if (deployed) announce(services, deployed);
}

function announce(services: CommandServices, { jobId, name, profileName, created }: Deployed): void {
  const message = created
    ? l10n.t('Deployed "{0}" to {1} as job {2}.', name, profileName, jobId)
    : l10n.t('Deployed "{0}" to {1}: job {2} has the new settings.', name, profileName, jobId);
  offer(services.ui, message, l10n.t('Run Now'), () => runNow(services, { jobId }));
}
