import { basename } from 'node:path';
import type { Client } from '../api/client/index.ts';
import type { Job, JobSettings } from '../api/schema/jobs/schemas.ts';
import type { Remembered } from '../deployments/deployMemory.ts';
import {
  createJobFileService,
  type DeployPlan,
  type JobDocument,
  type LastDeploy,
  type Problem,
} from '../jobfile/services/jobFileService.ts';
import { jobName } from '../runs/jobNames.ts';
import { AppError } from '../shared/errors.ts';
import { ifFound } from '../shared/fields.ts';
import { positioned } from './check.ts';
import { formats } from './checkFormats.ts';
import type { OpenedService } from './openService.ts';
import { output, plainLine, readText } from './print.ts';

const service = createJobFileService();

/** A job file without errors. */
export interface JobFile {
  /** For a job of a bundle, `FILE#KEY`. */
  readonly path: string;
  /** Key of the job in the file of a bundle. */
  readonly key?: string;
  readonly settings: JobSettings;
  readonly jobId?: string;
  readonly document: JobDocument;
}

/**
 * Reads a job file and prints its problems to standard error.
 * @throws AppError if it cannot be read or has an error
 */
export async function readJobFile(path: string): Promise<JobFile> {
  const text = await readJobText(path);
  const { document, problems, settings, jobId } = service.parse(text, path);
  if (!settings) throw refused(path, text, problems);
  return { path, settings, document, ...(jobId === undefined ? {} : { jobId }) };
}

/** @throws AppError if the file cannot be read */
export async function readJobText(path: string): Promise<string> {
  try {
    return await readText(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Prints the errors among the problems to standard error. @returns the error that ends the command */
export function refused(path: string, text: string, problems: readonly Problem[]): AppError {
  const errors = problems.filter(({ severity }) => severity === 'error');
  output.say(formats.text(positioned(path, text, errors), [path]).trimEnd());
  return new AppError('invalid', `${path} has an error; nothing was sent.`, { remedy: 'Correct it, then try again.' });
}

/** Returns the error for an unreadable file; `check` reports it as a problem of the file, too. */
export function unreadable(path: string, cause: unknown): AppError {
  return new AppError('invalid', `${path} could not be read: ${(cause as Error).message}; nothing was done.`, {
    cause,
    remedy: 'Name a job file that can be read.',
  });
}

/** What a plan needs of a service. */
export interface PlanTarget extends Pick<OpenedService, 'memory' | 'name'> {
  readonly client: { readonly jobs: Pick<Client['jobs'], 'list' | 'get'> };
}

/** What a deploy needs of a service. */
export interface DeployTarget extends PlanTarget {
  readonly client: { readonly jobs: Client['jobs'] };
}

export interface PlannedDeploy {
  readonly file: JobFile;
  readonly job?: Job;
  readonly plan: DeployPlan;
  /** The previous deploy to this job. */
  readonly last?: LastDeploy;
}

/** Returns what a deploy of the file to the service would do. */
export async function planFile(opened: PlanTarget, file: JobFile, signal: AbortSignal): Promise<PlannedDeploy> {
  const remembered = opened.memory.recall(file.path);
  const job = await findJob(opened, file, remembered, signal);
  const last = job !== undefined && remembered?.jobId === job.job_id ? remembered : undefined;
  const plan = service.planDeploy(file.settings, job && (job.settings ?? {}), last);
  return { file, plan, ...(job ? { job } : {}), ...(last ? { last } : {}) };
}

/** Runs a deploy while no other deploy of the same file is running on this machine. */
export function inTurn<T>(
  { memory }: Pick<OpenedService, 'memory'>,
  { path }: JobFile,
  signal: AbortSignal,
  deploy: () => Promise<T>,
): Promise<T> {
  const onWait = (): void => output.say(`Another program is deploying ${path}; waiting for it.`);
  return memory.inTurn(path, onWait, signal, deploy);
}

/** Finds the job that the file names, otherwise the one it was deployed to from here, otherwise the only one with its name. */
async function findJob(
  { client, name, memory }: PlanTarget,
  { jobId, settings, path, key }: JobFile,
  remembered: Remembered | undefined,
  signal: AbortSignal,
): Promise<Job | undefined> {
  if (jobId !== undefined) {
    const job = await ifFound(client.jobs.get(jobId, { signal }));
    if (job) return job;
    throw new AppError('notFound', `${path} names job ${jobId}, which does not exist on ${name}; nothing was done.`, {
      remedy: 'Remove the line job_id to create a new job, or name the service that has this job.',
    });
  }
  if (remembered) {
    const job = await ifFound(client.jobs.get(remembered.jobId, { signal }));
    const isOther =
      job?.created_time !== undefined && (remembered.createdTime ?? job.created_time) !== job.created_time;
    if (job && !isOther) return job;
  }
  if (settings.name === undefined) return undefined;
  // Jobs of several bundles often have one name: that of another file is another job.
  const taken = new Set(key !== undefined ? memory.all().map((each) => each.jobId) : []);
  const sameName = (await client.jobs.list({ signal })).filter(
    (job) => job.settings?.name?.trim() === settings.name?.trim() && !taken.has(job.job_id),
  );
  if (sameName.length < 2) return sameName[0];
  throw new AppError(
    'invalid',
    `${name} has ${sameName.length} jobs named "${plainLine(settings.name)}" (${sameName.map((job) => job.job_id).join(', ')}); nothing was done.`,
    { remedy: `Set job_id in ${basename(path)} to the right one.` },
  );
}

/**
 * Executes a plan. @returns the id of the job
 * @throws AppError if the job has changed since the plan was made
 */
export async function deployPlanned(
  opened: DeployTarget,
  { file, job, plan, last }: PlannedDeploy,
  signal: AbortSignal,
): Promise<string> {
  const { jobs } = opened.client;
  const { settings: sent } = file;
  let jobId: string;
  if (!job) {
    jobId = (await jobs.create(sent, { signal })).job_id;
  } else {
    jobId = job.job_id;
    const now = await jobs.get(jobId, { signal });
    if (service.differences(now.settings ?? {}, job.settings ?? {}).length > 0)
      throw new AppError('rejected', `Somebody else has just changed job ${jobId}; nothing was deployed.`, {
        remedy: 'Check the plan again, then deploy.',
      });
    if (isSent(plan)) await jobs.reset(jobId, sent, { signal });
  }
  // The deploy has succeeded; failing to read it back must not undo that.
  const after = await jobs.get(jobId, { signal }).catch(() => undefined);
  const settings = after ? service.settingsAfter(sent, after.settings ?? {}, job && (job.settings ?? {}), last) : sent;
  const createdTime = after?.created_time;
  const kept = { jobId, sent, settings, ...(typeof createdTime === 'number' ? { createdTime } : {}) };
  // If nothing was written or moved and there are no differences, the record is still correct.
  if (!job || plan.action !== 'none' || plan.moved.length > 0 || !plan.isLastDeployKnown)
    remember(opened, file.path, kept);
  const others = after && (!job || isSent(plan)) ? service.rewritten(sent, after.settings ?? {}, last) : [];
  if (others.length > 0) output.say(`The service stored different values:\n${service.movesInWords(others)}`);
  return jobId;
}

/** Returns whether the settings are sent. Secrets that cannot be compared are sent, since the service's values may be outdated. */
export function isSent({ action, mayDifferInSecrets }: DeployPlan): boolean {
  return action !== 'none' || mayDifferInSecrets;
}

/** Records a deploy. A failure is only reported: the deploy has succeeded, and the next one asks more questions. */
export function remember({ memory }: Pick<OpenedService, 'memory'>, path: string, deploy: Remembered): void {
  try {
    memory.remember(path, deploy);
  } catch (error) {
    output.say(`This deploy could not be recorded in ${memory.folder}: ${(error as Error).message}.`);
  }
}

/** Describes the plan. */
export function planInWords({ name }: Pick<OpenedService, 'name'>, { file, job, plan }: PlannedDeploy): string {
  const title = plainLine(file.settings.name ?? 'Untitled');
  if (!job) return `Job "${title}" would be created on ${name}.`;
  const what = `job "${plainLine(jobName(job))}" (${job.job_id}) on ${name}`;
  const parts = [
    plan.changes.length === 0
      ? `A deploy would not change ${what}${plan.mayDifferInSecrets ? ', but would send the values that the service hides again' : ''}.`
      : `A deploy would change ${what}:\n${service.changesInWords(plan.changes, Infinity)}`,
  ];
  if (plan.moved.length > 0)
    parts.push(`Since the last deploy from here somebody else changed:\n${service.movesInWords(plan.moved, Infinity)}`);
  return parts.join('\n');
}
