import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import type { Client } from '../../api/client/index.ts';
import { createJobFileService } from '../../jobfile/services/jobFileService.ts';
import type { AgentRead, AgentWindow } from '../../shared/agentWindow.ts';
import { AppError } from '../../shared/errors.ts';
import { readRunnable } from '../bundleJobFile.ts';
import { problemsOf } from '../check.ts';
import { formats } from '../checkFormats.ts';
import { type DeployTarget, type JobFile, type PlannedDeploy, readJobFile } from '../deployFile.ts';
import { plainLine, readText } from '../print.ts';
import { withoutSecrets } from './withoutSecrets.ts';

/** What the tools work on. */
export interface ToolContext {
  /** Folder of the agent's project; files outside of it are refused. */
  readonly root: string;
  /** Opens the local service at the first tool that needs it. */
  service(): Promise<DeployTarget>;
  /** The editor window that started the server, or `undefined` outside of an editor. */
  readonly window: AgentWindow | undefined;
  /** Plans that were made and not applied, by id. */
  readonly plans: Map<string, AgentPlan>;
  readonly signal: AbortSignal;
}

/** A deploy that an agent has planned. */
export interface AgentPlan {
  readonly path: string;
  /** SHA-256 of the job file's text. */
  readonly digest: string;
  /** The deploy to the local service, or the profile of another one. */
  readonly to: PlannedDeploy | { readonly profile: string };
}

export interface AgentTool<Input extends z.ZodObject = z.ZodObject> {
  readonly description: string;
  readonly input: Input;
  /** Whether it changes nothing. */
  readonly readOnly: boolean;
  /** @returns the text for the agent @throws AppError in words, which the agent gets too */
  call(given: z.output<Input>, context: ToolContext): Promise<string>;
}

export function tool<Input extends z.ZodObject>(definition: AgentTool<Input>): AgentTool {
  return { ...definition, call: (given, context) => definition.call(given as z.output<Input>, context) };
}

/** Fields of the tools' inputs. */
export const id = z.string().regex(/^[0-9]{1,19}$/);
export const path = z.string().min(1).max(1000).describe('Job file in the project');
export const offset = z.int().min(0).max(1_000_000).optional();
export const profile = z.string().min(1).max(200).optional().describe('Profile of the editor. Default: this machine');

export type ReadJobs = Pick<Client['jobs'], AgentRead>;

/** Returns what reads from the local service, or by the editor's window, and without secrets, from that of a profile. */
export async function jobsOf(context: ToolContext, given: string | undefined): Promise<ReadJobs> {
  const named = remoteOf(given);
  if (named === undefined) return (await context.service()).client.jobs;
  const window = requireWindow(context, named);
  // Before anything is cut: half a secret is not recognized.
  const read = async (operation: AgentRead, argument?: unknown): Promise<never> =>
    withoutSecrets(await window.read(named, operation, argument, context.signal)) as never;
  return {
    list: () => read('list'),
    get: (jobId) => read('get', jobId),
    listRuns: (request) => read('listRuns', request),
    getRun: (runId) => read('getRun', runId),
    getRunOutput: (runId) => read('getRunOutput', runId),
  };
}

/** Returns the name of a profile, or `undefined` for the local one. */
export function remoteOf(named: string | undefined): string | undefined {
  return named?.toLowerCase() === 'local' ? undefined : named;
}

/** @throws AppError if no editor window has started this server */
export function requireWindow({ window }: ToolContext, named: string): AgentWindow {
  if (window) return window;
  throw new AppError(
    'unavailable',
    `The profile ${plainLine(named)} is known to the editor only, and no editor window has started this server; nothing was done.`,
    { remedy: 'Leave out profile to use the local service, or use the server that the editor offers.' },
  );
}

/**
 * Returns the real path of a file of the project.
 * @throws AppError if it does not exist or lies outside, also by a link
 */
export async function inside(root: string, name: string): Promise<string> {
  const file = await realpath(resolve(root, name)).catch(() => undefined);
  if (file === undefined)
    throw new AppError('notFound', `${plainLine(name)} does not exist in ${root}; nothing was done.`);
  const isInside = `${file}${sep}`.startsWith(`${await realpath(root)}${sep}`);
  if (isInside) return file;
  throw new AppError('forbidden', `${plainLine(name)} is outside of ${root}; nothing was done.`, {
    remedy: 'Name a job file of the project.',
  });
}

/**
 * Reads a job file, or a job of a bundle's file, to run it on the local service.
 * @throws AppError with the problems if the file has an error
 */
export async function runnable(root: string, name: string, job?: string): Promise<JobFile> {
  const file = await withoutErrors(root, name);
  return readRunnable(file, { root: await realpath(root), job });
}

/** @throws AppError with the problems if the file has an error, or belongs to a bundle */
export async function deployable(root: string, name: string): Promise<JobFile & { digest: string }> {
  const file = await withoutErrors(root, name);
  const language = createJobFileService();
  if (language.isBundle(language.read(await readText(file))))
    throw new AppError('invalid', `${plainLine(name)} belongs to a bundle, whose own command line deploys it.`);
  const digest = createHash('sha256')
    .update(await readText(file))
    .digest('hex');
  return { ...(await readJobFile(file)), digest };
}

async function withoutErrors(root: string, name: string): Promise<string> {
  const file = await inside(root, name);
  if ((await problemsOf(file)).some(({ severity }) => severity === 'error'))
    throw new AppError('invalid', `${await problemsText(root, file)}\nNothing was run or deployed.`);
  return file;
}

export async function problemsText(root: string, file: string): Promise<string> {
  const shown = relative(await realpath(root), file);
  const found = (await problemsOf(file)).map((problem) => ({ ...problem, file: shown }));
  return formats.text(found, [shown]).trimEnd();
}
