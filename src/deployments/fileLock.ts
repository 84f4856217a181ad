import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isProcessAlive } from '../shared/node/isProcessAlive.ts';
import { makeFolder } from '../shared/node/makeFolder.ts';

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
