import type { Job } from '../../api/schema/jobs/schemas.ts';
import type { ToolOutcome } from '../../chat/chatTools.ts';
import type { Connection } from '../../connection/connection.ts';
import { jobName, sortJobs } from '../../runs/jobNames.ts';
import { AppError } from '../../shared/errors.ts';
import { isolated, withoutIsolation } from '../../shared/fields.ts';
import { stringifyJson } from '../../shared/json.ts';
import { l10n } from '../../shared/l10n.ts';
import { nextFireTimes } from '../../shared/quartz/quartz.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { setSchedulePaused } from '../jobCommands.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import { runNow } from '../runNow.ts';
import type { CallContext, Given } from './toolCall.ts';

const maxJobs = 200;

export async function listJobs(
  _given: Given<'list_jobs'>,
  { connection, signal, nowMs }: CallContext,
): Promise<ToolOutcome> {
  const jobs = sortJobs(await connection.client.jobs.list({ signal }));
  return {
    content: stringifyJson({
      profile: connection.profile.name,
      count: jobs.length,
      jobs: jobs
        .slice(0, maxJobs)
        .map((job) => ({ job_id: job.job_id, name: jobName(job), ...scheduleOf(job, nowMs) })),
    }),
  };
}

function scheduleOf({ settings }: Job, nowMs: number): object {
  const schedule = settings?.schedule;
  if (!schedule) return {};
  const { quartz_cron_expression: expression, timezone_id: zone, pause_status: status } = schedule;
  if (status === 'PAUSED') return { schedule: 'paused' };
  try {
    const [next] = nextFireTimes(expression, zone, nowMs, 1);
    return {
      schedule: describeCron(expression, zone),
      ...(next !== undefined && { next_start: new Date(next).toISOString() }),
    };
  } catch {
    return { schedule: expression };
  }
}

export async function getJob({ job }: Given<'get_job'>, { connection, signal }: CallContext): Promise<ToolOutcome> {
  const found = await findJob(connection, job, signal);
  const { settings = {} } = await connection.client.jobs.get(found.job_id, { signal });
  const { toYaml } = await loadJobFileService();
  return {
    content: stringifyJson({
      profile: connection.profile.name,
      job_id: found.job_id,
      name: jobName(found),
      job_file: toYaml(settings),
    }),
  };
}

/** Finds a job by its id or name, ignoring case. */
export async function findJob({ client, profile }: Connection, given: string, signal: AbortSignal): Promise<Job> {
  const jobs = await client.jobs.list({ signal });
  const named = withoutIsolation(given);
  const exact = jobs.filter((job) => job.job_id === named || jobName(job) === named);
  const found = exact.length > 0 ? exact : jobs.filter((job) => jobName(job).toLowerCase() === named.toLowerCase());
  const [first] = found;
  if (first && found.length === 1) return first;
  if (first)
    throw new AppError(
      'invalid',
      l10n.t(
        'Several jobs on {1} are named "{0}": {2}.',
        named,
        profile.name,
        found.map(({ job_id: id }) => id).join(', '),
      ),
    );
  throw new AppError('notFound', l10n.t('There is no job "{0}" on {1}.', named, profile.name));
}

/** Runs a job. The user has confirmed this run; a production profile also asks, as for any run. */
export async function runJob(
  { job }: Given<'run_job'>,
  { services, connection, signal }: CallContext,
): Promise<ToolOutcome> {
  const found = await findJob(connection, job, signal);
  const profileId = connection.profile.id;
  const started = await runNow(services, { jobId: found.job_id, profileId });
  if (!started)
    return {
      content: stringifyJson({
        started: false,
        why: 'The user did not confirm it, or another run of this job was being started.',
      }),
    };
  const name = jobName(found);
  return {
    content: stringifyJson({ profile: connection.profile.name, job: name, run_id: started.run_id, started: true }),
    runs: [
      {
        profileId,
        runId: started.run_id,
        label: started.number_in_job === undefined ? name : `${isolated(name)} #${started.number_in_job}`,
      },
    ],
  };
}

/** Pauses or resumes the schedule of a job. The user has confirmed it; a production profile also asks. */
export async function setPaused(
  { job }: Given<'pause_job'>,
  { services, connection, signal }: CallContext,
  isPaused: boolean,
): Promise<ToolOutcome> {
  const found = await findJob(connection, job, signal);
  await setSchedulePaused(services, { jobId: found.job_id, profileId: connection.profile.id }, isPaused);
  const { settings } = await connection.client.jobs.get(found.job_id, { signal });
  const status = settings?.schedule?.pause_status ?? 'UNPAUSED';
  return {
    content: stringifyJson({
      profile: connection.profile.name,
      job: jobName(found),
      schedule_is_paused: status === 'PAUSED',
    }),
  };
}
