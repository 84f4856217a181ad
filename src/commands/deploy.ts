import type { Job, JobSettings } from '../api/jobs/schemas.ts';
import type { Connection, Profile } from '../connection/connection.ts';
import { jobName } from '../runs/treeModel.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { refreshAfter } from './connectFor.ts';
import type { CommandServices } from './services.ts';
import type { Target } from './target.ts';
import type { OpenFile } from './ui.ts';

/** A file that can be deployed: its settings, and the job that it names itself. */
export interface DeployableFile {
  file: OpenFile;
  settings: JobSettings;
  jobId?: string;
}

/**
 * The job file's settings, or undefined after the user was shown why there are none.
 * A file with problems is never sent.
 */
export async function readJobFile(services: CommandServices, target: Target): Promise<DeployableFile | undefined> {
  const uri = target.uri ?? (await chooseJobFile(services));
  // Giving up the question is not a choice of the file that happens to be open.
  const file = uri === undefined ? undefined : await services.ui.file(uri);
  if (!file) return undefined;
  const { parseJobFile } = await import('../jobfile/parseJobFile.ts');
  const parsed = parseJobFile(file.text);
  const errors = parsed.problems.filter((problem) => problem.severity === 'error');
  const [first] = errors;
  if (first || !parsed.settings) {
    const count = errors.length;
    const show = l10n.t('Show Problem');
    const text = count === 1
      ? l10n.t('{0} has a problem and was not sent: {1}', file.name, first?.message ?? '')
      : l10n.t('{0} has {1} problems and was not sent. The first: {2}', file.name, count, first?.message ?? '');
    if ((await services.ui.warn(text, show)) === show) await services.ui.showProblem(file.uri, first?.start ?? 0);
    return undefined;
  }
  return { file, settings: parsed.settings, jobId: parsed.jobId };
}

async function chooseJobFile(services: CommandServices): Promise<string | undefined> {
  const active = await services.ui.file();
  if (active?.isJobFile) return active.uri;
  const files = await services.ui.jobFiles();
  if (files.length === 0) {
    throw new AppError('invalid', l10n.t('There is no job file in this workspace, so nothing was sent.'), { remedy: l10n.t('Create one with "Millrace: New Job File".') });
  }
  return services.ui.pick(l10n.t('Job file'), l10n.t('A job file of this workspace'), files.map((file) => ({ label: file.name, value: file.uri })));
}

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
 * @returns undefined when the user gave up
 */
export async function deployJobFile(services: CommandServices, connection: Connection, deployable: DeployableFile): Promise<Deployed | undefined> {
  const { underWay } = services;
  const turn = JSON.stringify([connection.profile.id, deployable.file.uri]);
  return underWay.join(taskName('deploy', connection, deployable), async () => {
    const deployed = await underWay.inTurn(turn, () => deploy(services, connection, deployable));
    if (deployed) await refreshAfter(services, connection);
    return deployed;
  });
}

/** What is done with the text of the file on the profile; the same click again has the same name. */
export function taskName(what: string, { profile }: Connection, { file }: DeployableFile): string {
  return JSON.stringify([what, profile.id, file.uri, file.text]);
}

async function deploy(services: CommandServices, connection: Connection, deployable: DeployableFile): Promise<Deployed | undefined> {
  const found = await findDeployedJob(services, connection, deployable, 'deploy');
  if (found === 'stop') return undefined;
  const { job: existing, goneJobId } = found;
  const name = deployable.settings.name ?? l10n.t('Untitled');
  const what = existing
    ? l10n.t('Replace the settings of job "{0}" ({1})', jobName(existing), existing.job_id)
    : l10n.t('Create job "{0}"', name);
  if (!(await services.connections.confirmMutation(what, connection))) return undefined;
  const jobId = await services.ui.progress(l10n.t('Deploying {0} to {1}', name, connection.profile.name), (signal) => send(connection, deployable.settings, existing?.job_id, signal));
  await services.deployments.set(connection.profile.id, deployable.file.uri, jobId);
  return { jobId, name, connection, created: existing === undefined, goneJobId };
}

async function send(connection: Connection, settings: JobSettings, jobId: string | undefined, signal: AbortSignal): Promise<string> {
  if (jobId === undefined) return (await connection.client.jobs.create(settings, { signal })).job_id;
  await connection.client.jobs.reset(jobId, settings, { signal });
  return jobId;
}

/** What the job of a file is looked for; the question about several names it. */
type Purpose = 'deploy' | 'compare';

function namesDiffer(job: Job, profile: Profile, name: string | undefined): string {
  return l10n.t('Job {0} of {1} is named "{2}", the file "{3}"', job.job_id, profile.name, jobName(job), name ?? l10n.t('Untitled'));
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
export async function findDeployedJob(services: CommandServices, connection: Connection, deployable: DeployableFile, purpose: Purpose): Promise<FoundJob | 'stop'> {
  const { profile, client } = connection;
  const { file, jobId, settings: { name } } = deployable;
  // A server may take its time, so that a look can be seen and given up.
  const look = <T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> => services.ui.progress(l10n.t('Looking for the job of {0} on {1}', file.name, profile.name), task);
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
  const chosen = await ask(services, purpose, l10n.t('{0} already has a job named "{1}"', profile.name, name), sameName);
  return chosen === 'stop' ? chosen : { ...gone, ...chosen };
}

function noSuchJob(file: OpenFile, jobId: string, profile: Profile, purpose: Purpose): AppError {
  const message = purpose === 'compare'
    ? l10n.t('{0} was not compared: its line job_id names job {1}, which does not exist on {2}.', file.name, jobId, profile.name)
    : l10n.t('{0} was not deployed: its line job_id names job {1}, which does not exist on {2}.', file.name, jobId, profile.name);
  return new AppError('notFound', message, { remedy: l10n.t('Remove the line job_id and deploy the file to create a new job, or choose the profile that has this job.') });
}

/** @param purpose `replace` where no other job can be meant, because the file names this one */
async function ask(services: CommandServices, purpose: Purpose | 'replace', title: string, jobs: readonly Job[]): Promise<FoundJob | 'stop'> {
  const items = jobs.map((job) => ({
    label: purpose === 'compare' ? l10n.t('Compare with job {0}', job.job_id) : l10n.t('Replace the settings of job {0}', job.job_id),
    description: jobName(job),
    value: { job } as FoundJob,
  }));
  if (purpose === 'deploy') items.push({ label: l10n.t('Create another job'), description: '', value: {} });
  const choice = await services.ui.pick(title, purpose === 'compare' ? l10n.t('What should the file be compared with?') : l10n.t('What should be deployed to?'), items);
  return choice ?? 'stop';
}

async function getIfThere(connection: Connection, jobId: string, signal: AbortSignal): Promise<Job | undefined> {
  try {
    return await connection.client.jobs.get(jobId, { signal });
  } catch (error) {
    const failure = toAppError(error);
    if (failure.kind === 'notFound' || failure.errorCode === 'RESOURCE_DOES_NOT_EXIST') return undefined;
    throw failure;
  }
}
