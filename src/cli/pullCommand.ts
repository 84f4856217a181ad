import { writeFile } from 'node:fs/promises';
import type { Job } from '../api/schema/jobs/schemas.ts';
import type { DeployMemory } from '../deployments/deployMemory.ts';
import { createJobFileService, type LastDeploy, type PullPlan } from '../jobfile/services/jobFileService.ts';
import { jobFileName } from '../runs/exportNames.ts';
import { jobName } from '../runs/jobNames.ts';
import { AppError } from '../shared/errors.ts';
import { ifFound } from '../shared/fields.ts';
import { stringifyJson } from '../shared/json.ts';
import { exitCodes, type Invocation, nextCommand, parseParameters, serviceOptions, usageError } from './commandLine.ts';
import { remember, unreadable } from './deployFile.ts';
import { openService, type OpenedService, type ServiceChoice } from './openService.ts';
import { byteOrderMark, confirmOnTerminal, output, plainLine, readMarkedText } from './print.ts';

const service = createJobFileService();

interface Pulled {
  readonly path: string;
  readonly action: 'create' | 'update' | 'none';
  readonly plan: PullPlan;
}

/** Writes a job's settings to a file, whose next deploy then updates the job. */
export async function pullCommand(invocation: Invocation): Promise<number> {
  const { values, positionals } = parseParameters(invocation.parameters, {
    ...serviceOptions,
    yes: { type: 'boolean' },
  });
  const [wanted, path] = positionals;
  if (wanted === undefined || wanted === '') throw usageError('pull needs the id or the name of a job');
  if (positionals.length > 2) throw usageError(`pull takes a job and a file, not ${positionals.length} names`);
  const opened = await openService(values, invocation, () => process.cwd());
  try {
    const job = await findJob(opened, wanted, invocation.signal);
    const pulled =
      path === undefined
        ? await pullIntoNew(job)
        : await pullInto(opened, job, path, { isSure: values.yes === true, signal: invocation.signal });
    const theirs = job.settings ?? {};
    const settings = service.settingsAfter(pulled.plan.sent, theirs, undefined);
    const { created_time: createdTime } = job;
    remember(opened, pulled.path, {
      jobId: job.job_id,
      sent: pulled.plan.sent,
      settings,
      ...(typeof createdTime === 'number' ? { createdTime } : {}),
    });
    output.write(values.json ? pulledJson(pulled, job, values) : `${pulledInWords(opened, pulled, job)}\n`);
    return exitCodes.ok;
  } finally {
    await opened.close();
  }
}

/**
 * Finds a job by id or name.
 * @throws AppError if there is none, or several have the name
 */
async function findJob({ client, name }: OpenedService, wanted: string, signal: AbortSignal): Promise<Job> {
  const byId = /^[0-9]{1,19}$/.test(wanted) ? await ifFound(client.jobs.get(wanted, { signal })) : undefined;
  if (byId) return byId;
  const sameName = (await client.jobs.list({ signal })).filter((job) => job.settings?.name?.trim() === wanted.trim());
  const [only] = sameName;
  if (only && sameName.length === 1) return client.jobs.get(only.job_id, { signal });
  if (!only) {
    throw new AppError('notFound', `${name} has no job "${wanted}"; nothing was written.`, {
      remedy: 'Give the id of a job, or its exact name.',
    });
  }
  throw new AppError(
    'invalid',
    `${name} has ${sameName.length} jobs named "${wanted}" (${sameName.map((job) => job.job_id).join(', ')}); nothing was written.`,
    { remedy: 'Give the id of the right one.' },
  );
}

/** Maximum number of names tried for a new file. */
const maxNames = 100;

async function pullIntoNew(job: Job): Promise<Pulled> {
  const plan = service.planPull('', job.settings ?? {});
  const name = jobFileName(job);
  for (let number = 1; number <= maxNames; number++) {
    const path = number === 1 ? name : name.replace(/\.job\.yml$/, `-${number}.job.yml`);
    try {
      await writeFile(path, service.toYaml(plan.sent), { flag: 'wx' });
      return { path, action: 'create', plan };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(path, error);
    }
  }
  throw unwritable(name, new Error(`there are already ${maxNames} files with this name`));
}

function unwritable(path: string, cause: unknown): AppError {
  return new AppError('unavailable', `${path} could not be written: ${(cause as Error).message}.`, {
    cause,
    remedy: 'Name a file that can be written.',
  });
}

interface PullOptions {
  readonly isSure: boolean;
  readonly signal: AbortSignal;
}

async function pullInto(
  { memory }: OpenedService,
  job: Job,
  path: string,
  { isSure, signal }: PullOptions,
): Promise<Pulled> {
  const marked = await textOf(path);
  const mark = marked?.startsWith(byteOrderMark) ? byteOrderMark : '';
  const text = marked?.slice(mark.length);
  if (text === undefined && !/\.ya?ml$/.test(path))
    throw usageError(`${path} would be a new file, and its name must end in .job.yml`);
  const last: LastDeploy | undefined = text === undefined ? undefined : lastOf(memory, path, job);
  const plan = service.planPull(text ?? '', job.settings ?? {}, last);
  if (text !== undefined && plan.changes.length === 0) return { path, action: 'none', plan };
  if (text?.trim() && plan.lost.length > 0 && !isSure) {
    output.say(`A pull would undo this in ${path}:\n${service.changesInWords(plan.lost, Infinity)}`);
    if (!(await confirmOnTerminal('Pull anyway?', signal)))
      throw new AppError(
        'rejected',
        `Nothing was pulled into ${path}, because it has changes that were not deployed.`,
        {
          remedy: 'Deploy them first, or pull with --yes.',
        },
      );
  }
  try {
    await writeFile(path, text === undefined ? service.toYaml(plan.sent) : mark + plan.text);
  } catch (error) {
    throw unwritable(path, error);
  }
  return { path, action: text === undefined ? 'create' : 'update', plan };
}

function lastOf(memory: DeployMemory, path: string, { job_id: jobId }: Job): LastDeploy | undefined {
  const remembered = memory.recall(path);
  return remembered?.jobId === jobId ? remembered : undefined;
}

/**
 * Reads the file.
 * @returns the text, or `undefined` if the file does not exist yet
 */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readMarkedText(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function pulledInWords({ name }: OpenedService, { path, action, plan }: Pulled, job: Job): string {
  const what = `job "${plainLine(jobName(job))}" (${job.job_id}) on ${name}`;
  if (action === 'none') return `${path} already matches ${what}.`;
  if (action === 'create') return `Wrote ${what} into ${path}.`;
  return `Pulled ${what} into ${path}:\n${service.changesInWords(plan.changes, Infinity)}`;
}

function pulledJson({ path, action, plan }: Pulled, { job_id: jobId }: Job, service: ServiceChoice): string {
  const changes = action === 'create' ? [] : plan.changes.map((change) => ({ path: change.path, kind: change.kind }));
  const next = nextCommand(['deploy', path, '--plan'], service);
  return `${stringifyJson({ file: path, job_id: BigInt(jobId), action, changes, next })}\n`;
}
