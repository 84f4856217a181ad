import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Intent, IntentStore } from '../../api/intents.ts';
import { silentLogger, type Logger } from '../../shared/log.ts';

/**
 * Intents as one small file each. A file is complete or not there: it is written beside its place, forced to the disk
 * and then renamed, and the folder is forced to the disk after it.
 */
export class FileIntentStore implements IntentStore {
  readonly #folder: string;
  readonly #logger: Logger;

  constructor(folder: string, logger: Logger = silentLogger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  async save(intent: Intent): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const target = this.#fileOf(intent.token);
    const draft = `${target}.${process.pid}.draft`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(intent));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
    await syncFolder(this.#folder);
  }

  async settle(token: string): Promise<void> {
    await rm(this.#fileOf(token), { force: true });
  }

  async list(): Promise<readonly Intent[]> {
    const intents: Intent[] = [];
    for (const name of await namesIn(this.#folder)) {
      if (!name.endsWith('.json')) continue;
      const intent = readIntent(await readFile(path.join(this.#folder, name), 'utf8').catch(() => ''));
      if (intent) intents.push(intent);
      else this.#logger.warn(`The record ${name} of an interrupted run could not be read and is left alone.`);
    }
    return intents.sort((left, right) => left.createdAt - right.createdAt);
  }

  /** Tokens may hold any character, so a file is named by the token's hash. */
  #fileOf(token: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(token).digest('hex').slice(0, 32)}.json`);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and keeps renames in its journal.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function readIntent(text: string): Intent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { token, operation, body, profile, createdAt } = value as Record<string, unknown>;
  if (typeof token !== 'string' || typeof body !== 'string' || typeof profile !== 'string' || typeof createdAt !== 'number') return undefined;
  if (operation !== 'jobs/run-now' && operation !== 'jobs/runs/submit') return undefined;
  return { token, operation, body, profile, createdAt };
}
