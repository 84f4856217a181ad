import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentsFolder, readyFile } from './libraries.ts';

/** Libraries that no run has used for this long are installed again when needed. */
const unusedInMs = 30 * 24 * 60 * 60 * 1000;
const restPrefix = 'removed-';

/**
 * Sets aside the environments of libraries that no run has used for 30 days, and equally old remains of aborted builds. Call it before the
 * first run: a run that needs such an environment builds it again.
 *
 * @param nowInMs epoch milliseconds of the machine's own clock, which the files' times come from
 * @returns how many were set aside
 */
export async function setAsideEnvironments(dataFolder: string, nowInMs: number): Promise<number> {
  const parent = environmentsFolder(dataFolder);
  let count = 0;
  for (const name of await namesIn(parent)) {
    if (name.startsWith(restPrefix)) continue;
    const folder = join(parent, name);
    const { mtimeMs } = await stat(join(folder, readyFile)).catch(() => stat(folder));
    if (nowInMs - mtimeMs < unusedInMs) continue;
    await rename(folder, join(parent, restPrefix + name));
    count += 1;
  }
  return count;
}

/** Removes what was set aside, now or by an earlier service that did not get to it. */
export async function removeSetAsideEnvironments(dataFolder: string): Promise<void> {
  const parent = environmentsFolder(dataFolder);
  for (const name of await namesIn(parent)) {
    if (name.startsWith(restPrefix)) await rm(join(parent, name), { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
