import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, as `mkdir` with `recursive` does. That one tries for ever, and keeps a processor busy, if a file
 * system makes no folders and says only that there is none, such as `/proc`: folders that somebody names are made with this.
 *
 * @param mode of the folders that are made
 * @throws Error of `mkdir` if it cannot be made
 */
export function makeFolder(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
    const parent = dirname(folder);
    if (code !== 'ENOENT' || parent === folder || existsSync(parent)) throw error;
    makeFolder(parent, mode);
    makeFolder(folder, mode);
  }
}
