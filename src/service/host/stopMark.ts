import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';

/**
 * A file in the data folder with the time (epoch milliseconds) at which the user stopped the service, so that no window restarts it
 * automatically. Starting the service removes it.
 */
export class StopMark {
  readonly #dataFolder: string;
  readonly #log: Logger;

  constructor(dataFolder: string, log: Logger) {
    this.#dataFolder = dataFolder;
    this.#log = log;
  }

  get #path(): string {
    return join(this.#dataFolder, 'stopped');
  }

  /** @param createdAt when the asking window was opened, epoch milliseconds: a later window starts afresh */
  isSetSince(createdAt: number): boolean {
    try {
      return Number(readFileSync(this.#path, 'utf8')) >= createdAt;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#log.debug(describeError(error));
      return false;
    }
  }

  set(): void {
    // A service that was never used has no folder, and nothing starts it automatically.
    if (!existsSync(this.#dataFolder)) return;
    this.#change('written, so the service may be started again by itself', () =>
      writeFileSync(this.#path, String(Date.now()), { mode: 0o600 }),
    );
  }

  remove(): void {
    this.#change('removed', () => rmSync(this.#path, { force: true }));
  }

  /** A full disk must not prevent stopping or starting the service. */
  #change(what: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#log.warn(`${this.#path} could not be ${what}: ${describeError(error)}`);
    }
  }
}
