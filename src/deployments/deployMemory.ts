import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { LastDeploy } from '../jobfile/services/jobFileService.ts';
import { delay } from '../shared/clock.ts';
import { isFields } from '../shared/fields.ts';
import { parseJson, stringifyJson } from '../shared/json.ts';
import { isProcessAlive } from '../shared/node/isProcessAlive.ts';
import { makeFolder } from '../shared/node/makeFolder.ts';

/** The stored last deploy of a file to a service from this machine. */
export interface Remembered extends Required<LastDeploy> {
  readonly jobId: string;
  /** The job's own `created_time`, if the service returns it; distinguishes the job from another one with the same ID. */
  readonly createdTime?: number;
}

/** A deploy as stored: with the file's path and the time of writing in epoch milliseconds, or 0 if an earlier version wrote it. */
export interface KeptDeploy extends Remembered {
  readonly file: string;
  readonly at: number;
}

/**
 * The last deploys of files to one service, shared by the editor and the command line: one JSON file for each job file, in a folder of the
 * service. Each is replaced atomically, so that the later of two writers wins and a reader always sees a complete file. The files contain
 * no tokens and no addresses; since they contain the settings of the job file, only the owner can read them.
 */
export class DeployMemory {
  readonly folder: string;
  readonly #known = new Map<string, { readonly stamp: string; readonly deploy: KeptDeploy | undefined }>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Returns the last deploy of a file.
   * @returns the same object until the file is deployed again, or `undefined` if there is none or it cannot be read
   */
  recall(file: string): KeptDeploy | undefined {
    try {
      return this.#read(nameOf(file));
    } catch {
      return undefined;
    }
  }

  /**
   * Stores a deploy.
   * @returns the stored deploy
   * @throws an error if it could not be stored: the deploy itself succeeded, and the next one asks more questions
   */
  remember(file: string, deploy: Remembered): KeptDeploy {
    const { file: path = resolve(file), at: before = 0 } = this.recall(file) ?? {};
    // A clock that was set back must not make older data seem newer.
    const kept = { ...deploy, file: path, at: Math.max(Date.now(), before + 1) };
    const place = join(this.folder, nameOf(file));
    const draft = `${place}.${process.pid}`;
    makeFolder(this.folder, 0o700);
    try {
      // Settings may be private.
      writeFileSync(draft, stringifyJson(kept), { mode: 0o600 });
      renameSync(draft, place);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    return kept;
  }

  /** Runs one deploy of a file at a time on this machine: two that find no job would create two. */
  async inTurn<T>(file: string, onWait: () => void, signal: AbortSignal, deploy: () => Promise<T>): Promise<T> {
    const lock = new FileLock(join(this.folder, nameOf(file).replace(/json$/, 'lock')));
    for (let isFirst = true; !lock.take(); isFirst = false) {
      if (isFirst) onWait();
      await delay(lockGapInMs, { signal });
    }
    try {
      return await deploy();
    } finally {
      lock.giveBack();
    }
  }

  all(): KeptDeploy[] {
    try {
      const names = readdirSync(this.folder).filter((name) => name.endsWith('.json'));
      return names.map((name) => this.#read(name)).filter((deploy) => deploy !== undefined);
    } catch {
      return [];
    }
  }

  #read(name: string): KeptDeploy | undefined {
    const place = join(this.folder, name);
    const { ino, mtimeMs, size } = statSync(place, { throwIfNoEntry: false }) ?? {};
    if (ino === undefined) return undefined;
    const stamp = `${ino} ${mtimeMs} ${size}`;
    const known = this.#known.get(name);
    if (known?.stamp === stamp) return known.deploy;
    const deploy = parsed(place);
    this.#known.set(name, { stamp, deploy });
    return deploy;
  }
}

const lockGapInMs = 100;
function parsed(place: string): KeptDeploy | undefined {
  try {
    const { file, at, jobId, sent, settings, createdTime } = parseJson(
      readFileSync(place, 'utf8'),
    ) as Partial<KeptDeploy>;
    if (typeof jobId !== 'string' || !/^[0-9]{1,19}$/.test(jobId) || !isFields(sent) || !isFields(settings))
      return undefined;
    return {
      file: typeof file === 'string' ? file : '',
      at: typeof at === 'number' ? at : 0,
      jobId,
      sent,
      settings,
      ...(typeof createdTime === 'number' ? { createdTime } : {}),
    };
  } catch {
    return undefined;
  }
}

/** Returns the same key for one file however its path is written: through links, or in different case on a case-insensitive file system. */
function nameOf(file: string): string {
  // FILE#KEY is one of several jobs in a file.
  const [, path = file, key = ''] = existsSync(file) ? [] : (/^(.+)(#[^#]*)$/.exec(file) ?? []);
  return `${createHash('sha256')
    .update(`${realpathSync.native(path)}${key}`)
    .digest('hex')
    .slice(0, 32)}.json`;
}

/** How often the holder renews the lock; a lock that was not renewed for long is free, even if its process ID is in use again. */
const beatInMs = 2000;
const silentForMs = 10_000;

/** A file lock held by one process at a time; the lock of an exited process is taken over. */
export class FileLock {
  readonly #place: string;
  readonly #mine = `${process.pid} ${randomUUID()}`;
  #beat: ReturnType<typeof setInterval> | undefined;
  /** The lock content of other processes when last changed, and when that was seen, by this process's own clock. */
  #heard = '';
  #heardAtMs = 0;

  constructor(place: string) {
    this.#place = place;
  }

  /**
   * Takes the lock.
   * @returns false if another process holds it; if a lock cannot be created, true, so that nobody waits
   */
  take(): boolean {
    try {
      makeFolder(dirname(this.#place), 0o700);
    } catch {
      return true;
    }
    try {
      writeFileSync(this.#place, this.#mine, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
      this.#removeLeft();
      return false;
    }
    this.#beat = setInterval(() => this.#say(), beatInMs).unref();
    return true;
  }

  giveBack(): void {
    clearInterval(this.#beat);
    if (this.#beat && contentOf(this.#place) === this.#mine) rmSync(this.#place, { force: true });
  }

  #say(): void {
    try {
      utimesSync(this.#place, new Date(), new Date());
    } catch {
      // The lock was taken over, or the disk failed: the deploy continues regardless.
    }
  }

  #removeLeft(): void {
    const owner = contentOf(this.#place);
    const said = `${owner} ${statSync(this.#place, { throwIfNoEntry: false })?.mtimeMs}`;
    if (said !== this.#heard) [this.#heard, this.#heardAtMs] = [said, performance.now()];
    const hasEnded = owner !== undefined && owner !== '' && !isProcessAlive(Number.parseInt(owner, 10));
    if (owner === undefined || (!hasEnded && performance.now() - this.#heardAtMs < silentForMs)) return;
    // Two processes may find the same stale lock: if the file moved aside is the other's new lock, it is put back.
    const aside = `${this.#place}.${randomUUID()}`;
    try {
      renameSync(this.#place, aside);
      if (contentOf(aside) !== owner) linkSync(aside, this.#place);
    } catch {
      // The lock was just released or taken.
    }
    rmSync(aside, { force: true });
  }
}

/** Returns the content, or `undefined` if the file does not exist or cannot be read. */
function contentOf(place: string): string | undefined {
  try {
    return readFileSync(place, 'utf8');
  } catch {
    return undefined;
  }
}
