import { jobName } from '../runs/jobNames.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor, refreshAfter, storeOf } from './connectFor.ts';
import { readDeployable } from './deployableFile.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import { offer } from './offer.ts';
import { showComparison } from './replaceSettings.ts';
import { resolveJob } from './resolve.ts';
import { confirmLoss } from './runCommands.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/** Shows the page of a job in an editor tab. */
export async function openJob(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const job = await resolveJob(services, connection, target, l10n.t('Open job'));
  if (job) await services.ui.openJob(connection.profile.id, job.job_id, jobName(job));
}

/** Compares the file with the settings on the service. */
export async function compareJobFile(services: CommandServices, target: Target): Promise<void> {
  const { findJobOfFile } = await import('./jobOfFile.ts');
  const deployable = await readDeployable(services, target);
  if (!deployable) return;
  const connection = await services.connections.connect();
  const found = await findJobOfFile(services, connection, deployable, 'compare');
  if (found === 'stop') return;
  const { job, goneJobId } = found;
  if (!job) {
    await services.ui.info(
      goneJobId !== undefined
        ? l10n.t(
            'Job {0}, to which {1} was deployed, no longer exists on {2}, so nothing was compared. Deploy the file to create a new job.',
            goneJobId,
            deployable.file.name,
            connection.profile.name,
          )
        : l10n.t(
            '{0} was not deployed to {1} yet, so there is nothing to compare. Deploy it first.',
            deployable.file.name,
            connection.profile.name,
          ),
    );
    return;
  }
  const differences = (await loadJobFileService()).differences(deployable.settings, job.settings ?? {});
  const where = l10n.t('job "{0}" ({1}) on {2}', jobName(job), job.job_id, connection.profile.name);
  if (differences.length === 0) {
    await services.ui.info(
      l10n.t('{0} and {1} are equal: a deploy would change nothing.', deployable.file.name, where),
    );
    return;
  }
  await showComparison(services, connection, deployable, job);
  // Besides real differences, the diff shows values that are only written differently.
  await services.ui.info(
    l10n.t(
      'A deploy of {0} would change these settings of {1}: {2}.',
      deployable.file.name,
      where,
      differences.map(({ path }) => path).join(', '),
    ),
  );
}

export async function cancelAllRuns(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const job = await resolveJob(services, connection, target, l10n.t('Cancel all runs'));
  if (!job) return;
  const name = jobName(job);
  const going = storeOf(services, connection)?.activeRuns.filter((run) => run.job_id === job.job_id) ?? [];
  const isSure = await confirmLoss(services, connection, {
    question: l10n.t('Cancel all active runs of "{0}" on {1}?', name, connection.profile.name),
    detail:
      going.length > 0
        ? l10n.t('Active now: {0}. New runs can still start.', going.length)
        : l10n.t('New runs can still start.'),
    button: l10n.t('Cancel Runs'),
    mutation: l10n.t('Cancel all active runs of job "{0}" ({1})', name, job.job_id),
  });
  if (!isSure) return;
  const takeBack = services.cancelling(
    connection.profile.id,
    going.map((run) => run.run_id),
  );
  try {
    await connection.client.jobs.cancelAllRuns(job.job_id);
  } catch (error) {
    takeBack();
    throw error;
  }
  await refreshAfter(services, connection);
}

/** Deletes the job and offers its settings as a job file, since the service cannot undo it (jobs/delete). */
export async function deleteJob(services: CommandServices, target: Target): Promise<void> {
  const connection = await connectFor(services, target);
  const job = await resolveJob(services, connection, target, l10n.t('Delete job'));
  if (!job) return;
  const name = jobName(job);
  const isSure = await confirmLoss(services, connection, {
    question: l10n.t('Delete job "{0}" ({1}) on {2}?', name, job.job_id, connection.profile.name),
    detail: l10n.t(
      'This deletes its run history and terminates active runs. The addresses in email_notifications are notified.',
    ),
    button: l10n.t('Delete'),
    mutation: l10n.t('Delete job "{0}" ({1})', name, job.job_id),
  });
  if (!isSure) return;
  const settings = await services.ui.progress(
    l10n.t('Deleting "{0}" on {1}', name, connection.profile.name),
    async (signal) => {
      const current = await connection.client.jobs.get(job.job_id, { signal });
      await connection.client.jobs.delete(job.job_id, { signal });
      return current.settings;
    },
  );
  storeOf(services, connection)?.removeJob(job.job_id);
  await refreshAfter(services, connection);
  offer(
    services.ui,
    l10n.t('Deleted job "{0}" on {1}.', name, connection.profile.name),
    l10n.t('Open Its Settings'),
    async () => {
      const { toYaml } = await loadJobFileService();
      await services.ui.openUntitled('millrace-job', toYaml(settings ?? {}, {}));
    },
  );
}

/** Converts JSON settings, such as another tool's export, to a job file. */
export async function jobFileFromJson(services: CommandServices, target: Target): Promise<void> {
  const file = await services.ui.file(target.uri);
  if (!file) {
    throw new AppError('invalid', l10n.t('No text editor is open, so nothing was converted.'), {
      remedy: l10n.t('Open the JSON settings in an editor, or paste them into a job file, where they become YAML.'),
    });
  }
  const { fromJson } = await loadJobFileService();
  await services.ui.openUntitled('millrace-job', fromJson(file.text));
}

/**
 * Pauses or resumes the schedule of a job (jobs/update). The update replaces the whole schedule, so it is read first and changes by others
 * are kept.
 */
export async function setSchedulePaused(services: CommandServices, target: Target, paused: boolean): Promise<void> {
  const connection = await connectFor(services, target);
  const title = paused ? l10n.t('Pause schedule') : l10n.t('Resume schedule');
  const job = await resolveJob(services, connection, target, title);
  if (!job) return;
  const name = jobName(job);
  const { settings } = await services.ui.progress(l10n.t('Loading the settings of "{0}"', name), (signal) =>
    connection.client.jobs.get(job.job_id, { signal }),
  );
  const schedule = settings?.schedule;
  if (!schedule)
    throw new AppError('invalid', l10n.t('Job "{0}" has no schedule, so nothing was changed.', name), {
      operation: 'jobs/update',
      remedy: l10n.t('Add a name in its job file: use "Open as Job File", then deploy it.'),
    });
  const status = paused ? 'PAUSED' : 'UNPAUSED';
  const verb = paused ? l10n.t('Pause') : l10n.t('Resume');
  if ((schedule.pause_status ?? 'UNPAUSED') === status) {
    await services.ui.info(
      paused
        ? l10n.t('The schedule of "{0}" on {1} is already paused.', name, connection.profile.name)
        : l10n.t('The schedule of "{0}" on {1} is not paused.', name, connection.profile.name),
    );
    await refreshAfter(services, connection);
    return;
  }
  const what = paused
    ? l10n.t('Pause the schedule of job "{0}" ({1})', name, job.job_id)
    : l10n.t('Resume the schedule of job "{0}" ({1})', name, job.job_id);
  if (!(await services.connections.confirmMutation(what, connection, { verb }))) return;
  await services.ui.progress(`${what}, ${connection.profile.name}`, (signal) =>
    connection.client.jobs.update(
      { job_id: job.job_id, new_settings: { schedule: { ...schedule, pause_status: status } } },
      { signal },
    ),
  );
  await refreshAfter(services, connection);
}
