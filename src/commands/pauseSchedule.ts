import { jobName } from '../runs/jobNames.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor, refreshAfter } from './connectFor.ts';
import { resolveJob } from './resolve.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';

/**
 * Pauses or resumes the schedule of a job (jobs/update). The schedule is replaced as a whole there, so it is read anew before, and what
 * somebody else has changed in it stays.
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
      remedy: l10n.t('Give it one in its job file: "Open as Job File", then deploy it.'),
    });
  const status = paused ? 'PAUSED' : 'UNPAUSED';
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
  if (!(await services.connections.confirmMutation(what, connection))) return;
  await services.ui.progress(`${what}, ${connection.profile.name}`, (signal) =>
    connection.client.jobs.update(
      { job_id: job.job_id, new_settings: { schedule: { ...schedule, pause_status: status } } },
      { signal },
    ),
  );
  await refreshAfter(services, connection);
}
