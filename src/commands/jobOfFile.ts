import type { Job } from '../api/schema/jobs/schemas.ts';
import type { Connection, Profile } from '../connection/connection.ts';
import { jobName } from '../runs/jobNames.ts';
import { AppError } from '../shared/errors.ts';
import { ifFound } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import type { DeployableFile } from './deployableFile.ts';
import type { CommandServices } from './services.ts';
import type { OpenFile, PickItem } from './ui.ts';

/** Why a file's job is needed; the prompt for choosing one of several mentions it. */
type Purpose = 'deploy' | 'compare' | 'pull';

function namesDiffer(job: Job, profile: Profile, name: string | undefined): string {
  return l10n.t(
    'Job {0} on {1} is named "{2}", but the file says "{3}".',
    job.job_id,
    profile.name,
    jobName(job),
    name ?? l10n.t('Untitled'),
  );
}

function isOnlyOfName(job: Job, profile: Profile, file: OpenFile): string {
  return l10n.t(
    '{0} already has a job named "{1}" ({2}), to which {3} was never deployed from here.',
    profile.name,
    jobName(job),
    job.job_id,
    file.name,
  );
}

/** The result of the search for a file's job. */
export interface FoundJob {
  /** `undefined` if there is none. */
  readonly job?: Job;
  /** The job that the file was previously deployed to, if it no longer exists. */
  readonly goneJobId?: string;
  /** Why another job may be meant: the job was found by its name, or has a different one. Confirm before changing it. */
  readonly doubt?: string;
}

/** Compares names without surrounding blanks, as services store them. */
function isSameName(one: string | undefined, other: string | undefined): boolean {
  return one?.trim() === other?.trim();
}

/**
 * Finds the job of the file: the one named in the file, stored from an earlier deploy, or the only one with the same name; if there are
 * several, the user picks one. Returns 'stop' if the user canceled.
 * @throws AppError `notFound` if the file names a job that does not exist
 */
export async function findJobOfFile(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  purpose: Purpose,
): Promise<FoundJob | 'stop'> {
  const { profile, client } = connection;
  const {
    file,
    jobId,
    settings: { name },
  } = deployable;
  // A server may be slow, so the request shows progress and can be canceled.
  const lookUp = <T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    services.ui.progress(l10n.t('Looking for the job of {0} on {1}', file.name, profile.name), task);
  const remembered = services.deployments.jobIdOf(profile.id, file.uri);
  if (jobId !== undefined) {
    const job = await lookUp((signal) => ifFound(connection.client.jobs.get(jobId, { signal })));
    if (!job) throw noSuchJob(file, jobId, profile, purpose);
    // The file does not name the profile of its job. On another profile, the ID is a different job: a deploy asks what to do.
    return { job };
  }
  if (remembered !== undefined) {
    const job = await lookUp((signal) => ifFound(connection.client.jobs.get(remembered, { signal })));
    // A different name may mean a different job: after a reset, the local service counts from 1 again.
    if (job) return isSameName(job.settings?.name, name) ? { job } : { job, doubt: namesDiffer(job, profile, name) };
  }
  // The stored job does not exist; it is forgotten once the file has another job.
  const gone: FoundJob = remembered === undefined ? {} : { goneJobId: remembered };
  if (name === undefined) return gone;
  const jobs = await lookUp((signal) => client.jobs.list({ signal }));
  const sameName = jobs.filter((job) => isSameName(job.settings?.name, name));
  const [only] = sameName;
  if (!only) return gone;
  if (sameName.length === 1) return { ...gone, job: only, doubt: isOnlyOfName(only, profile, file) };
  const chosen = await ask(
    services,
    purpose,
    l10n.t('{0} has {1} jobs named "{2}"', profile.name, sameName.length, name),
    sameName,
  );
  return chosen === 'stop' ? chosen : { ...gone, ...chosen };
}

function noSuchJob({ name }: OpenFile, jobId: string, profile: Profile, purpose: Purpose): AppError {
  const undone = {
    deploy: l10n.t('{0} was not deployed', name),
    compare: l10n.t('{0} was not compared', name),
    pull: l10n.t('Nothing was pulled into {0}', name),
  }[purpose];
  return new AppError(
    'notFound',
    l10n.t('{0}: its line job_id names job {1}, which does not exist on {2}.', undone, jobId, profile.name),
    {
      remedy: l10n.t(
        'Remove the line job_id and deploy the file to create a new job, or choose the profile with this job.',
      ),
    },
  );
}

async function ask(
  services: CommandServices,
  purpose: Purpose,
  title: string,
  jobs: readonly Job[],
): Promise<FoundJob | 'stop'> {
  const items: PickItem<FoundJob>[] = jobs.map((job) => ({
    label: labelOf(purpose, job.job_id),
    description: jobName(job),
    value: { job },
  }));
  if (purpose === 'deploy') items.push({ label: l10n.t('Create another job'), description: '', value: {} });
  const question = {
    deploy: l10n.t('Which job gets the settings of the file?'),
    compare: l10n.t('Compare the file with which job?'),
    pull: l10n.t('Which settings should the file get?'),
  }[purpose];
  return (await services.ui.pick(title, question, items)) ?? 'stop';
}

function labelOf(purpose: Purpose, jobId: string): string {
  if (purpose === 'compare') return l10n.t('Compare with job {0}', jobId);
  if (purpose === 'pull') return l10n.t('Pull job {0}', jobId);
  return l10n.t('Replace the settings of job {0}', jobId);
}
