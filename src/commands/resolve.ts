import type { Job, Run } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { jobName, sortJobs } from '../runs/jobNames.ts';
import { runLabel, runTitle } from '../runs/rowWords.ts';
import { runStatus } from '../runs/runState.ts';
import { type NamedTask, taskToShow } from '../runs/runTasks.ts';
import { formatTime } from '../runs/timeTexts.ts';
import { l10n } from '../shared/l10n.ts';
import { connectFor, storeOf } from './connectFor.ts';
import { newJobFile } from './newJobFile.ts';
import { offer } from './offer.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { PickItem } from './ui.ts';

/** Returns the job of the target, or one that the user picks, or `undefined` if the user canceled. */
export async function resolveJob(
  services: CommandServices,
  connection: Connection,
  target: Target,
  title: string,
): Promise<Job | undefined> {
  const { jobId } = target;
  if (jobId !== undefined) {
    const read = (signal: AbortSignal): Promise<Job> => connection.client.jobs.get(jobId, { signal });
    return storeOf(services, connection)?.job(jobId) ?? loading(services, l10n.t('job {0}', jobId), read);
  }
  const jobs = await services.ui.progress(l10n.t('Loading the jobs of {0}', connection.profile.name), (signal) =>
    connection.client.jobs.list({ signal }),
  );
  if (jobs.length === 0) {
    offer(
      services.ui,
      l10n.t('{0} has no jobs yet. Deploy a job file first.', connection.profile.name),
      l10n.t('New Job File'),
      () => newJobFile(services),
    );
    return undefined;
  }
  const items = sortJobs(jobs).map((job): PickItem<Job> => ({
    label: jobName(job),
    description: job.job_id,
    value: job,
  }));
  return services.ui.pick(title, l10n.t('A job of {0}', connection.profile.name), items);
}

/** Returns the command's connection and its run, as found by `resolveRun`, or `undefined` if the user canceled. */
export async function connectToRun(
  services: CommandServices,
  target: Target,
  title: string,
  filter: (run: Run) => boolean = () => true,
): Promise<{ connection: Connection; run: Run; name: string } | undefined> {
  const connection = await connectFor(services, target);
  const run = await resolveRun(services, connection, target, title, filter);
  return run && { connection, run, name: runName(services, connection, run) };
}

/** Returns the run of the target, or one that the user picks from the filtered runs. */
export async function resolveRun(
  services: CommandServices,
  connection: Connection,
  target: Target,
  title: string,
  filter: (run: Run) => boolean,
): Promise<Run | undefined> {
  const { runId } = target;
  if (runId !== undefined) {
    const read = (signal: AbortSignal): Promise<Run> => connection.client.jobs.getRun(runId, { signal });
    return storeOf(services, connection)?.run(runId) ?? loading(services, l10n.t('run {0}', runId), read);
  }
  const { runs } = await services.ui.progress(l10n.t('Loading the runs of {0}', connection.profile.name), (signal) =>
    connection.client.jobs.listRuns(
      { limit: 100, ...(target.jobId === undefined ? {} : { job_id: target.jobId }) },
      { signal },
    ),
  );
  const fitting = runs.filter(filter);
  if (fitting.length === 0) {
    await services.ui.info(l10n.t('{0} has no suitable run.', connection.profile.name));
    return undefined;
  }
  const now = Date.now();
  const items = fitting.map((run): PickItem<Run> => ({
    label: runName(services, connection, run),
    description: runStatus(run).label,
    detail: run.start_time ? formatTime(run.start_time, now) : undefined,
    value: run,
  }));
  return services.ui.pick(title, l10n.t('A run of {0}', connection.profile.name), items);
}

/**
 * Returns the task of a run that a command is about: the target's, or the one that explains the run. Returns `undefined` for a run without
 * several tasks, which is itself meant.
 */
export async function resolveTask(
  services: CommandServices,
  { client }: Connection,
  run: Run,
  target: Target,
): Promise<NamedTask | undefined> {
  if (run.task) return undefined;
  const read = (signal: AbortSignal): Promise<Run> => client.jobs.getRun(run.run_id, { signal });
  const whole = run.tasks ? run : await loading(services, l10n.t('run {0}', run.run_id), read);
  return taskToShow(whole, target.taskKey);
}

/** Reads with progress that can be canceled, because a service may be slow. */
function loading<T>({ ui }: CommandServices, what: string, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return ui.progress(l10n.t('Loading {0}', what), read);
}

/** Returns a run's display name: its job's name and number. */
export function runName(services: CommandServices, connection: Connection, run: Run): string {
  const job = run.job_id === undefined ? undefined : storeOf(services, connection)?.job(run.job_id);
  return job ? runLabel(run, job) : (run.run_name ?? runTitle(run));
}
