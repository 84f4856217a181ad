import type { Job, JobSettings } from '../api/schema/jobs/schemas.ts';
import type { Connection, Profile } from '../connection/connection.ts';
import { jobName } from '../runs/jobOrder.ts';
import { AppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { refreshAfter } from './connectFor.ts';
import { getIfThere } from './getIfThere.ts';
import type { DeployableFile } from './readJobFile.ts';
import type { CommandServices } from './services.ts';
import type { OpenFile } from './ui.ts';

/** What a deploy did. */
export interface Deployed {
  jobId: string;
  name: string;
  /** Where the job is; what follows the deploy belongs there. */
  connection: Connection;
  /** False where the job was there and got new settings. */
  created: boolean;
  /** The job that the file was deployed to before, where the service does not have it any more. */
  goneJobId?: string;
}

/**
 * Creates the file's job, or replaces the settings of the job it was deployed to before (jobs/create, jobs/reset). The service
 * would create a job for each request, so that one file is deployed once at a time: the same text is one deploy, however often
 * it is asked for meanwhile, and a changed one follows when the first is through.
 * @param isPreviewed for the deploy itself, not for one on the way to a run
 * @returns undefined when the user gave up
 */
export async function deployJobFile(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  isPreviewed = false,
): Promise<Deployed | undefined> {
  const { underWay } = services;
  const turn = JSON.stringify([connection.profile.id, deployable.file.uri]);
  return underWay.join(taskName('deploy', connection, deployable), async () => {
    const deployed = await underWay.inTurn(turn, () => deploy(services, connection, deployable, isPreviewed));
    if (deployed) await refreshAfter(services, connection);
    return deployed;
  });
}

/** What is done with the text of the file on the profile; the same click again has the same name. */
export function taskName(what: string, { profile }: Connection, { file }: DeployableFile): string {
  return JSON.stringify([what, profile.id, file.uri, file.text]);
}

async function deploy(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  isPreviewed: boolean,
): Promise<Deployed | undefined> {
  const found = await findDeployedJob(services, connection, deployable, 'deploy');
  if (found === 'stop') return undefined;
  const { job: existing, goneJobId } = found;
  const name = deployable.settings.name ?? l10n.t('Untitled');
  const jobId = existing
    ? await replace(services, connection, deployable, existing, isPreviewed)
    : await create(services, connection, deployable, name);
  if (jobId === undefined) return undefined;
  const sent = deployable.settings;
  await services.deployments.set(connection.profile.id, deployable.file.uri, jobId, {
    sent,
    settings: await settingsNow(connection, jobId, sent, existing),
  });
  return { jobId, name, connection, created: existing === undefined, goneJobId };
}

async function create(
  services: CommandServices,
  connection: Connection,
  { settings }: DeployableFile,
  name: string,
): Promise<string | undefined> {
  if (!(await services.connections.confirmMutation(l10n.t('Create job "{0}"', name), connection))) return undefined;
  const title = l10n.t('Deploying {0} to {1}', name, connection.profile.name);
  const created = await services.ui.progress(title, (signal) => connection.client.jobs.create(settings, { signal }));
  return created.job_id;
}

async function replace(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  job: Job,
  isPreviewed: boolean,
): Promise<string | undefined> {
  const { replaceSettings } = await import('./replaceSettings.ts');
  return (await replaceSettings(services, connection, deployable, job, isPreviewed)) ? job.job_id : undefined;
}

/** Longer than a service that has just answered takes; the deploy is done, and nobody is to wait for what follows it. */
const longestLookInMs = 5000;

/** What the job has after the deploy, with what the service added by itself; where it cannot be read, what was sent. */
async function settingsNow(
  connection: Connection,
  jobId: string,
  sent: JobSettings,
  before: Job | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const job = await getIfThere(connection, jobId, AbortSignal.timeout(longestLookInMs));
    const { createJobFileService } = await import('../jobfile/services/jobFileService.ts');
    return createJobFileService().settingsAfter(sent, job?.settings ?? {}, before && (before.settings ?? {}));
  } catch {
    // The next deploy then asks about what the service added, which is better than calling this one a failure.
    return sent;
  }
}

/** What the job of a file is looked for; the question about several names it. */
type Purpose = 'deploy' | 'compare';

function namesDiffer(job: Job, profile: Profile, name: string | undefined): string {
  return l10n.t(
    'Job {0} of {1} is named "{2}", the file "{3}"',
    job.job_id,
    profile.name,
    jobName(job),
    name ?? l10n.t('Untitled'),
  );
}

/** What was found of the job that a file belongs to. */
export interface FoundJob {
  /** Undefined where there is none. */
  job?: Job;
  /** The job that the file was deployed to before, where the service does not have it any more. */
  goneJobId?: string;
}

/**
 * The job that the file belongs to: named by the file itself, remembered from an earlier deploy, or, after a
 * question, one of the same name. 'stop' when the user gave up.
 * @throws AppError `notFound` where the file names a job that is not there
 */
export async function findDeployedJob(
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
  // A server may take its time, so that a look can be seen and given up.
  const look = <T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    services.ui.progress(l10n.t('Looking for the job of {0} on {1}', file.name, profile.name), task);
  const remembered = services.deployments.jobIdOf(profile.id, file.uri);
  if (jobId !== undefined) {
    const job = await look((signal) => getIfThere(connection, jobId, signal));
    if (!job) throw noSuchJob(file, jobId, profile, purpose);
    // The file does not say on which profile this is its job: elsewhere the id is another job's.
    if (purpose === 'compare' || remembered === jobId || job.settings?.name === name) return { job };
    return ask(services, 'replace', namesDiffer(job, profile, name), [job]);
  }
  if (remembered !== undefined) {
    const job = await look((signal) => getIfThere(connection, remembered, signal));
    // Another name may mean another job: the local service counts from 1 again after a reset.
    if (job && (purpose === 'compare' || job.settings?.name === name)) return { job };
    if (job) return ask(services, purpose, namesDiffer(job, profile, name), [job]);
  }
  // What was remembered is not there; it is forgotten once the file has another job.
  const gone: FoundJob = remembered === undefined ? {} : { goneJobId: remembered };
  if (name === undefined) return gone;
  const jobs = await look((signal) => client.jobs.list({ signal }));
  const sameName = jobs.filter((job) => job.settings?.name === name);
  if (sameName.length === 0) return gone;
  const chosen = await ask(
    services,
    purpose,
    l10n.t('{0} already has a job named "{1}"', profile.name, name),
    sameName,
  );
  return chosen === 'stop' ? chosen : { ...gone, ...chosen };
}

function noSuchJob(file: OpenFile, jobId: string, profile: Profile, purpose: Purpose): AppError {
  const message =
    purpose === 'compare'
      ? l10n.t(
          '{0} was not compared: its line job_id names job {1}, which does not exist on {2}.',
          file.name,
          jobId,
          profile.name,
        )
      : l10n.t(
          '{0} was not deployed: its line job_id names job {1}, which does not exist on {2}.',
          file.name,
          jobId,
          profile.name,
        );
  return new AppError('notFound', message, {
    remedy: l10n.t(
      'Remove the line job_id and deploy the file to create a new job, or choose the profile that has this job.',
    ),
  });
}

/** @param purpose `replace` where no other job can be meant, because the file names this one */
async function ask(
  services: CommandServices,
  purpose: Purpose | 'replace',
  title: string,
  jobs: readonly Job[],
): Promise<FoundJob | 'stop'> {
  const items = jobs.map((job) => ({
    label:
      purpose === 'compare'
        ? l10n.t('Compare with job {0}', job.job_id)
        : l10n.t('Replace the settings of job {0}', job.job_id),
    description: jobName(job),
    value: { job } as FoundJob,
  }));
  if (purpose === 'deploy') items.push({ label: l10n.t('Create another job'), description: '', value: {} });
  const choice = await services.ui.pick(
    title,
    purpose === 'compare' ? l10n.t('What should the file be compared with?') : l10n.t('What should be deployed to?'),
    items,
  );
  return choice ?? 'stop';
}
