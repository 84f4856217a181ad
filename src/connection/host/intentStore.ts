import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Intent, IntentStore } from '../../api/client/intents.ts';
import { type Clock, delay, systemClock } from '../../shared/clock.ts';
import { isFields } from '../../shared/fields.ts';
import { silentLogger, type Logger } from '../../shared/log.ts';

export interface IntentStoreOptions {
  readonly processId?: number;
  /** Set if several windows, each with its own process, store their intents in the folder. */
  readonly isAlive?: (processId: number) => boolean;
  readonly clock?: Clock;
}

/** An intent with the process that carries it out; older records do not name one. */
interface Owned {
  readonly intent: Intent;
  readonly owner: number | undefined;
}

/** When a window closes or its editor is killed, its process lives for a few more seconds. */
const ownerLimitInMs = 15_000;
const ownerLookInMs = 1000;

/**
 * Stores each intent as a small file. Files are written atomically: to a temporary file that is flushed and renamed, after which the folder
 * is flushed. In a shared folder, `list` leaves out intents that a live process is still carrying out.
 */
export class FileIntentStore implements IntentStore {
  readonly #folder: string;
  readonly #logger: Logger;

  readonly #options: IntentStoreOptions & Required<Pick<IntentStoreOptions, 'processId' | 'clock'>>;

  constructor(folder: string, logger: Logger = silentLogger, options: IntentStoreOptions = {}) {
    this.#folder = folder;
    this.#logger = logger;
    this.#options = { processId: process.pid, clock: systemClock, ...options };
  }

  async save(intent: Intent): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const target = this.#fileOf(intent.token);
    const draft = `${target}.${process.pid}.draft`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify({ ...intent, owner: this.#options.processId }));
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

  /** Lists the intents. In a shared folder, it first waits a few seconds for processes that are about to exit. */
  async list(): Promise<readonly Intent[]> {
    let found = await this.#read();
    const { isAlive, clock } = this.#options;
    const isOthers = (each: Owned): boolean => isAlive !== undefined && this.#isCarriedOutElsewhere(each, isAlive);
    for (let waitedInMs = 0; waitedInMs < ownerLimitInMs && found.some(isOthers); waitedInMs += ownerLookInMs) {
      await delay(ownerLookInMs, { clock });
      found = await this.#read();
    }
    return found
      .filter((each) => !isOthers(each))
      .map(({ intent }) => intent)
      .sort((left, right) => left.createdAt - right.createdAt);
  }

  #isCarriedOutElsewhere({ intent, owner }: Owned, isAlive: (processId: number) => boolean): boolean {
    const { processId, clock } = this.#options;
    if (owner === undefined || owner === processId) return false;
    // Created before the machine started: another process has this ID now.
    if (intent.createdAt < clock.now() - os.uptime() * 1000) return false;
    return isAlive(owner);
  }

  async #read(): Promise<Owned[]> {
    const found: Owned[] = [];
    for (const name of await namesIn(this.#folder)) {
      if (!name.endsWith('.json')) continue;
      const text = await readFile(path.join(this.#folder, name), 'utf8').catch((error: NodeJS.ErrnoException) =>
        error.code === 'ENOENT' ? undefined : '',
      );
      // Its outcome has become known since.
      if (text === undefined) continue;
      const record = readRecord(text);
      if (record) found.push(record);
      else this.#logger.warn(`The record ${name} of an interrupted run could not be read and is left alone.`);
    }
    return found;
  }

  /** Returns the file of a token, named by its hash because tokens may contain any character. */
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
  // Windows cannot open folders; it journals renames.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function readRecord(text: string): Owned | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isFields(value)) return undefined;
  const { token, operation, body, profile, createdAt, owner } = value;
  if (
    typeof token !== 'string' ||
    typeof body !== 'string' ||
    typeof profile !== 'string' ||
    typeof createdAt !== 'number'
  )
    return undefined;
  if (operation !== 'jobs/run-now' && operation !== 'jobs/runs/submit') return undefined;
  return {
    intent: { token, operation, body, profile, createdAt },
    owner: typeof owner === 'number' && Number.isInteger(owner) && owner > 0 ? owner : undefined,
  };
}
