import { createHash, randomUUID } from 'node:crypto';
import {
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

/** What is remembered of the last deploy of a file to a service from here. */
export interface Remembered extends Required<LastDeploy> {
  readonly jobId: string;
  /** The job's own `created_time`, which tells it from another one of the same id, if the service gives one. */
  readonly createdTime?: number;
}

/** As it is kept: with the file's path, and when it was written, in epoch milliseconds; 0 if an earlier version wrote it. */
export interface KeptDeploy extends Remembered {
  readonly file: string;
  readonly at: number;
}

/**
 * The last deploys of files to one service, shared by the editor and the command line: a file of JSON for each job file in a folder of
 * the service's own. Each is written whole and put in its place at once, so that two writers leave the later one's and a reader finds
 * either. There are no tokens and no addresses in it; what a job file says itself is for its owner's eyes only.
 */
export class DeployMemory {
  readonly folder: string;
  readonly #known = new Map<string, { readonly stamp: string; readonly deploy: KeptDeploy | undefined }>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** @returns the same object while nobody has deployed the file; undefined if there was none, or it cannot be read */
  recall(file: string): KeptDeploy | undefined {
    try {
      return this.#read(nameOf(file));
    } catch {
      return undefined;
    }
  }

  /** @returns as kept. @throws if it could not be: the deploy is done all the same, and the next one asks more */
  remember(file: string, deploy: Remembered): KeptDeploy {
    const { file: path = resolve(file), at: before = 0 } = this.recall(file) ?? {};
    // A clock that was put back must not let what is older seem newer.
    const kept = { ...deploy, file: path, at: Math.max(Date.now(), before + 1) };
    const place = join(this.folder, nameOf(file));
    const draft = `${place}.${process.pid}`;
    makeFolder(this.folder, 0o700);
    try {
      // Settings may hold what is nobody else's.
      writeFileSync(draft, stringifyJson(kept), { mode: 0o600 });
      renameSync(draft, place);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
    return kept;
  }

  /** One deploy of a file at a time on this machine: two that find no job would create two. */
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

/** The same key for one file, however its path is written: through links, or in other upper and lower case where that makes no difference. */
function nameOf(file: string): string {
  return `${createHash('sha256').update(realpathSync.native(file)).digest('hex').slice(0, 32)}.json`;
}

/** The holder renews the lock this often; a lock that was not renewed for long is free, even if its process id is in use again. */
const beatInMs = 2000;
const silentForMs = 10_000;

/** A file that one process at a time has; that of a process which has ended is taken over. */
export class FileLock {
  readonly #place: string;
  readonly #mine = `${process.pid} ${randomUUID()}`;
  #beat: ReturnType<typeof setInterval> | undefined;
  /** What others were last heard to say, and when that was, by this process's own clock. */
  #heard = '';
  #heardAtMs = 0;

  constructor(place: string) {
    this.#place = place;
  }

  /** @returns false if another process has it; if there can be none, nobody waits */
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
      // It was taken away, or the disk: the deploy goes on all the same.
    }
  }

  #removeLeft(): void {
    const owner = contentOf(this.#place);
    const said = `${owner} ${statSync(this.#place, { throwIfNoEntry: false })?.mtimeMs}`;
    if (said !== this.#heard) [this.#heard, this.#heardAtMs] = [said, performance.now()];
    const hasEnded = owner !== undefined && owner !== '' && !isProcessAlive(Number.parseInt(owner, 10));
    if (owner === undefined || (!hasEnded && performance.now() - this.#heardAtMs < silentForMs)) return;
    // Two may find the same one left: what is moved away by then may be the other's, and is put back.
    const aside = `${this.#place}.${randomUUID()}`;
    try {
      renameSync(this.#place, aside);
      if (contentOf(aside) !== owner) linkSync(aside, this.#place);
    } catch {
      // It has just been given back, or taken.
    }
    rmSync(aside, { force: true });
  }
}

/** Undefined if the file is not there, or cannot be read. */
function contentOf(place: string): string | undefined {
  try {
    return readFileSync(place, 'utf8');
  } catch {
    return undefined;
  }
}
