import type { Job } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { createJobFileService, type DeployPlan } from '../jobfile/services/jobFileService.ts';
import { jobName } from '../runs/jobOrder.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { getIfThere } from './getIfThere.ts';
import type { DeployableFile } from './readJobFile.ts';
import type { CommandServices } from './services.ts';
import { showComparison } from './showComparison.ts';

const { differences, planDeploy, changesInWords } = createJobFileService();

/**
 * Gives the job the settings of the file (jobs/reset), which takes the place of all it had. What others changed since the
 * last deploy from here is never overwritten unasked, and neither is what differs where that deploy is not known. The API
 * has no conditional write, so the job is looked at again just before it: what changed while a question waited is asked about.
 * @param job as it was found
 * @returns false when the user gave up
 */
export async function replaceSettings(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  job: Job,
): Promise<boolean> {
  let seen = job;
  for (;;) {
    if (!(await mayReplace(services, connection, deployable, seen))) return false;
    const title = l10n.t('Deploying {0} to {1}', jobName(seen), connection.profile.name);
    const changed = await services.ui.progress(title, (signal) =>
      resetUnlessChanged(connection, deployable, seen, signal),
    );
    if (!changed) return true;
    seen = changed;
  }
}

/** @returns the job as it is now, where it is not as it was seen and so was left alone */
async function resetUnlessChanged(
  connection: Connection,
  { file, settings }: DeployableFile,
  seen: Job,
  signal: AbortSignal,
): Promise<Job | undefined> {
  const now = await getIfThere(connection, seen.job_id, signal);
  if (!now) {
    throw new AppError(
      'notFound',
      l10n.t(
        '{0} was not deployed: job {1} was deleted from {2} meanwhile.',
        file.name,
        seen.job_id,
        connection.profile.name,
      ),
      {
        remedy: l10n.t('Deploy the file again to create a new job.'),
      },
    );
  }
  if (differences(now.settings ?? {}, seen.settings ?? {}).length > 0) return now;
  await connection.client.jobs.reset(seen.job_id, settings, { signal });
  return undefined;
}

async function mayReplace(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  job: Job,
): Promise<boolean> {
  const { profile } = connection;
  const { file, settings } = deployable;
  const plan = planDeploy(
    settings,
    job.settings ?? {},
    services.deployments.lastDeployOf(profile.id, file.uri, job.job_id),
  );
  // A profile that refuses changes says so, whatever the job has become.
  if (plan.lost.length > 0 && !profile.readOnly && !(await isOverwritten(services, connection, deployable, job, plan)))
    return false;
  const detail =
    plan.changes.length > 0
      ? l10n.t('Changes:\n{0}', changesInWords(plan.changes))
      : l10n.t('The job has these settings already.');
  return services.connections.confirmMutation(
    l10n.t('Replace the settings of job "{0}" ({1})', jobName(job), job.job_id),
    connection,
    detail,
  );
}

/** Asks whether what the job has and the file does not is to be given up. */
async function isOverwritten(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  job: Job,
  { lost, isLastDeployKnown }: DeployPlan,
): Promise<boolean> {
  const { name } = deployable.file;
  const where = [jobName(job), job.job_id, connection.profile.name] as const;
  const message = isLastDeployKnown
    ? l10n.t('Job "{0}" ({1}) on {2} was changed since {3} was last deployed from here.', ...where, name)
    : l10n.t(
        'Job "{0}" ({1}) on {2} has other settings than {3}, and no deploy of this file from here made them.',
        ...where,
        name,
      );
  const detail = l10n.t('A deploy replaces all settings of the job. It would undo this:\n{0}', changesInWords(lost));
  const anyway = l10n.t('Deploy Anyway');
  const compare = l10n.t('Compare');
  // The first is what a quick Enter takes.
  const choice = await services.ui.decide(message, detail, [compare, anyway]);
  if (choice === compare) await showComparison(services, connection, deployable, job);
  return choice === anyway;
}
