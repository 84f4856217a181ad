import { randomUUID } from 'node:crypto';
import { mkdirSync, watch, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import type { HistoryStorage } from '../history.ts';

/** Stores the history files in a folder of their own, outside any workspace. */
export class FileStorage implements HistoryStorage {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list(): Promise<{ name: string; modifiedAtMs: number }[]> {
    await mkdir(this.#folder, { recursive: true });
    const names = (await readdir(this.#folder, { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
    const found = await Promise.all(
      names.map(async (name) => {
        const state = await stat(path.join(this.#folder, name)).catch((error: NodeJS.ErrnoException) => {
          // The draft has become empty, or another window has deleted the file.
          if (error.code === 'ENOENT') return undefined;
          throw error;
        });
        return state && { name, modifiedAtMs: state.mtimeMs };
      }),
    );
    return found.filter((file) => file !== undefined);
  }

  read(name: string): Promise<string> {
    return readFile(this.#path(name), 'utf8');
  }

  async append(name: string, text: string): Promise<void> {
    const file = this.#path(name);
    await mkdir(this.#folder, { recursive: true });
    const handle = await open(file, 'a', 0o600);
    try {
      await handle.appendFile(text, 'utf8');
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  note(name: string, text: string, isFirst: boolean): void {
    writeFileSync(this.#path(name), text, { flag: isFirst ? 'w' : 'a', mode: 0o600 });
  }

  async replace(name: string, text: string): Promise<void> {
    const file = this.#path(name);
    await mkdir(this.#folder, { recursive: true });
    const next = `${file}.${randomUUID()}`;
    try {
      const handle = await open(next, 'w', 0o600);
      try {
        await handle.writeFile(text, 'utf8');
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await rename(next, file);
    } catch (error) {
      await rm(next, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async rename(from: string, to: string): Promise<void> {
    const target = this.#path(to);
    await rename(this.#path(from), target);
    // The day within which a deletion can be undone starts now.
    const now = new Date();
    await utimes(target, now, now);
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  watch(onChange: (name: string) => void): () => void {
    try {
      mkdirSync(this.#folder, { recursive: true });
      const watcher = watch(this.#folder, { persistent: false }, (_kind, name) => name !== null && onChange(name));
      // If a folder can no longer be watched, for example because its disk was removed, it is only read.
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      // Watching also fails if the system's limit is reached or on some network shares; changes by other windows are then not followed.
      return () => undefined;
    }
  }

  #path(name: string): string {
    if (!/^[A-Za-z0-9_-]{1,100}\.jsonl(\.deleted)?$|^[A-Za-z0-9_-]{1,100}\.(?:draft\.json|tail|unread)$/.test(name)) {
      throw new AppError(
        'invalid',
        l10n.t('"{0}" is not the file name of a conversation, so nothing was read or written.', name),
      );
    }
    return path.join(this.#folder, name);
  }
}
