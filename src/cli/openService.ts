import { createHash, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  type Auth,
  type Client,
  type ClientOptions,
  createClient,
  type RetryMode,
  type RetryWait,
  type WorkspaceClient,
} from '../api/client/index.ts';
import type { Run } from '../api/schema/jobs/schemas.ts';
import { localMemoryOf, memoryOf, stateFolder } from '../deployments/deployFolders.ts';
import { DeployMemory } from '../deployments/deployMemory.ts';
import { readActive } from '../runs/polling/readRuns.ts';
import { readServiceFile } from '../service/startup/serviceFile.ts';
import { delay } from '../shared/clock.ts';
import { AppError, describeError, toAppError } from '../shared/errors.ts';
import { makeFolder } from '../shared/node/makeFolder.ts';
import { type Invocation, usageCode, usageError } from './commandLine.ts';
import { output, plainLine } from './print.ts';

/** The service that a command uses. */
export interface OpenedService {
  readonly client: WorkspaceClient;
  /** Display name: its URL, or that it is the local one. */
  readonly name: string;
  /** Records of deploys to the service. */
  readonly memory: DeployMemory;
  /** Whether it was started for this command and stops with it, including its runs. */
  readonly isOwn: boolean;
  /** Whether it stops with a command, this one or another; runs started there are followed to their end. */
  readonly isTransient: boolean;
  /** Retry mode for following a run: a remote service may be down for a while, but nobody restarts the local one. */
  readonly follows: RetryMode;
  /** @param ownRunId the run started by this command, which is not waited for */
  close(ownRunId?: string): Promise<void>;
}

export interface ServiceChoice {
  readonly url?: string;
  readonly root?: string;
  readonly data?: string;
}

/**
 * Opens the service of `--url`, or the local one: the one running on the data folder, otherwise one started in this process.
 * @param rootOf returns the root of workspace paths if none is given
 */
export async function openService(
  { url, root, data }: ServiceChoice,
  { token, signal }: Invocation,
  rootOf: () => string,
): Promise<OpenedService> {
  if (url !== undefined) {
    if (root !== undefined || data !== undefined)
      throw usageError('--root and --data belong to the local service and cannot be combined with --url');
    return openRemote(url, token);
  }
  const dataFolder = resolve(data ?? (process.env['MILLRACE_DATA'] || join(stateFolder(), 'local', projectName())));
  const folder = resolve(root ?? (process.env['MILLRACE_ROOT'] || rootOf()));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`the folder ${folder} does not exist`);
  try {
    makeFolder(dataFolder, 0o700);
  } catch (error) {
    throw usageError(`the data folder ${dataFolder} could not be created: ${(error as Error).message}`, error);
  }
  return openLocal(folder, dataFolder, signal);
}

function openRemote(url: string, token: string | undefined): OpenedService {
  let client;
  try {
    const auth: Auth = token === undefined ? { kind: 'none' } : { kind: 'bearer', token };
    client = clientOf(url, auth, { retry: 'answered', onRetry: sayWait });
  } catch (error) {
    const { message, remedy } = toAppError(error);
    throw new AppError('invalid', message, { cause: error, errorCode: usageCode, remedy });
  }
  return {
    client,
    name: client.baseUrl,
    memory: new DeployMemory(memoryOf(client.baseUrl)),
    isOwn: false,
    isTransient: false,
    follows: 'wait',
    close: () => Promise.resolve(),
  };
}

function clientOf(
  baseUrl: string,
  auth: Auth,
  waiting: Pick<ClientOptions, 'retry' | 'onRetry'> = { retry: 'fail' },
): WorkspaceClient {
  return createClient({ baseUrl, auth, onSkipped: (text) => output.say(text), ...waiting });
}

function sayWait({ reason, waitUntil }: RetryWait): void {
  const seconds = Math.max(1, Math.ceil((waitUntil - Date.now()) / 1000));
  output.say(`${plainLine(reason.message)} Trying again in ${seconds} s; Ctrl+C stops trying.`);
}

/** Maximum attempts to connect: another command or the editor may be starting or stopping the service. */
const attempts = 50;
const attemptGapInMs = 200;

async function openLocal(root: string, dataFolder: string, signal: AbortSignal): Promise<OpenedService> {
  for (let attempt = 1; ; attempt++) {
    const running = await findRunning(dataFolder);
    if (running) return running;
    try {
      return await startOwn(root, dataFolder, signal);
    } catch (error) {
      const { isFolderInUse } = await import('../service/store/dataFolder.ts');
      if (!isFolderInUse(error) || attempt === attempts) throw error;
      await delay(attemptGapInMs, { signal });
    }
  }
}

async function findRunning(dataFolder: string): Promise<OpenedService | undefined> {
  const file = readServiceFile(dataFolder);
  if (!file) return undefined;
  const { isProcessAlive } = await import('../shared/node/isProcessAlive.ts');
  if (!isProcessAlive(file.pid)) return undefined;
  const client = clientOf(file.url, { kind: 'bearer', token: file.token });
  try {
    await client.localService.changes(undefined, { signal: AbortSignal.timeout(5000) });
  } catch {
    return undefined;
  }
  const { isTransient = false } = file;
  return { ...localNames(dataFolder), client, isOwn: false, isTransient, close: () => Promise.resolve() };
}

async function startOwn(root: string, dataFolder: string, signal: AbortSignal): Promise<OpenedService> {
  const [{ isBuiltin }, { keepFilesPrivate }, { createStderrLogger }] = await Promise.all([
    import('node:module'),
    import('../service/runners/taskUmask.ts'),
    import('../service/startup/stderrLogger.ts'),
  ]);
  if (!isBuiltin('node:sqlite')) {
    throw new AppError(
      'unavailable',
      `The local service needs Node 22.13 or newer, but this is Node ${process.versions.node}; nothing was started.`,
      { remedy: 'Use a newer Node, or name a service with --url.' },
    );
  }
  const token = randomBytes(32).toString('base64url');
  keepFilesPrivate();
  const { startService } = await import('../service/startup/service.ts');
  const service = await startService({
    root,
    dataFolder,
    token,
    logger: createStderrLogger('error', [token]),
    isTransient: true,
  });
  const client = clientOf(service.url, { kind: 'bearer', token });
  const close = async (ownRunId?: string): Promise<void> => {
    await waitForOtherRuns(client.jobs, { signal, ownRunId, say: output.say }).catch(() => undefined);
    await service.close().catch((error: unknown) => output.say(describeError(error)));
  };
  return { ...localNames(dataFolder), client, isOwn: true, isTransient: true, close };
}

function localNames(dataFolder: string): Pick<OpenedService, 'name' | 'memory' | 'follows'> {
  return { name: 'the local service', memory: new DeployMemory(localMemoryOf(dataFolder)), follows: 'fail' };
}

/** Returns the root of the current repository, otherwise the current folder, so that its service is the same from anywhere inside. */
export function projectFolder(from = process.cwd()): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return resolve(from);
  }
}

function projectName(): string {
  const folder = projectFolder();
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const name = basename(folder)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 40);
  return `${name || 'folder'}-${digest}`;
}

const gapInMs = 200;
/** How long commands may still read the result after a run has ended, in milliseconds. */
const graceInMs = 2000;

interface Waiting {
  readonly signal: AbortSignal;
  /** The run that this command started itself, which it does not wait for. */
  readonly ownRunId: string | undefined;
  say(text: string): void;
}

/** Waits for runs that other commands started on this service, since they would end with it. */
export async function waitForOtherRuns(jobs: Client['jobs'], { signal, ownRunId, say }: Waiting): Promise<void> {
  // Scheduled runs and retries belong to no command.
  const isOthers = (run: Run): boolean =>
    run.trigger === 'ONE_TIME' && run.original_attempt_run_id === run.run_id && run.run_id !== ownRunId;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const active = await readActive(jobs, { signal });
    if (!active.some(isOthers)) return isFirst ? undefined : delay(graceInMs, { signal });
    if (isFirst) say('Waiting for runs that other commands started here; Ctrl+C ends them.');
    await delay(gapInMs, { signal });
  }
}
