import type { Run } from '../../api/schema/jobs/schemas.ts';
import { localProfile } from '../../connection/connection.ts';
import { runLabel } from '../../runs/rowWords.ts';
import { runStatus } from '../../runs/runState.ts';
import { AppError } from '../../shared/errors.ts';
import { withoutIsolation } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { connectFor } from '../connectFor.ts';
import { resolveRun } from '../resolve.ts';
import type { CommandServices } from '../services.ts';
import type { Target } from '../target.ts';
import { requireTrust } from './applyCode.ts';

/** Follows the name of a local run while another profile is current. */
export const onLocal = ` on ${localProfile.name}`;

/** Opens a conversation in which a failed run, or a job file that cannot run, is fixed. */
export async function fixRun(services: CommandServices, target: Target): Promise<void> {
  const { ui } = services;
  requireTrust(ui);
  const subject = target.uri === undefined ? await runOf(services, target) : await fileOf(services, target.uri);
  if (subject !== undefined) await ui.askChat(`/fix ${subject}`, [], true);
}

async function fileOf({ ui }: CommandServices, uri: string): Promise<string> {
  const file = (await ui.jobFiles()).find((each) => each.uri === uri)?.name;
  if (file !== undefined) return file;
  throw new AppError('invalid', l10n.t('This is not a job file of the workspace, so nothing was changed.'));
}

/** Returns the words that name the run, or `undefined` if the user picked none. */
async function runOf(services: CommandServices, target: Target): Promise<string | undefined> {
  const { connections, runs } = services;
  // A local run is fixed on this machine, whatever the current profile is.
  const isElsewhere = target.profileId === localProfile.id && connections.current.id !== localProfile.id;
  const local = isElsewhere ? await connections.connectTo(localProfile.id, { byUser: true }) : undefined;
  const connection = local ?? (await connectFor(services, target));
  const run = await resolveRun(services, connection, target, l10n.t('Fix a failed run'), isFailed);
  if (!run) return undefined;
  if (local) return run.run_id + onLocal;
  const job = run.job_id === undefined ? undefined : runs.job(run.job_id);
  const isClear = job && runs.jobs.filter((each) => each.settings?.name === job.settings?.name).length === 1;
  return isClear && run.number_in_job !== undefined ? withoutIsolation(runLabel(run, job)) : run.run_id;
}

/** Returns the name of a one-time run that checks a fix. */
export function fixName(name: string): string {
  return l10n.t('{0} (fix)', name);
}

export function isFailed(run: Run): boolean {
  return ['failed', 'timedOut', 'internalError'].includes(runStatus(run).phase);
}
