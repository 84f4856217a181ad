import { existsSync, linkSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isProcessAlive } from '../../shared/node/isProcessAlive.ts';
import { migrate } from './migrations.ts';

/**
 * Makes the database if there is none. It gets its name only once it is whole, so that a file of 0 bytes under that
 * name is one that was damaged, never one that is new.
 */
export function makeDatabase(path: string): void {
  if (existsSync(path)) return;
  removeOldDrafts(path);
  const draft = `${path}.new-${process.pid}`;
  try {
    const connection = new DatabaseSync(draft);
    try {
      connection.exec('PRAGMA synchronous = FULL');
      migrate(connection);
    } finally {
      connection.close();
    }
    name(draft, path);
  } finally {
    rmSync(draft, { force: true });
    rmSync(`${draft}-journal`, { force: true });
  }
}

/** A link never replaces what another service made meanwhile; some file systems know none. */
function name(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch {
    if (!existsSync(path)) renameSync(draft, path);
  }
}

/** Left by a service that was killed in the middle of this. */
function removeOldDrafts(path: string): void {
  const folder = dirname(path);
  for (const file of readdirSync(folder)) {
    const pid = file.startsWith(`${basename(path)}.new-`)
      ? Number.parseInt(file.slice(basename(path).length + 5), 10)
      : Number.NaN;
    if (Number.isInteger(pid) && !isProcessAlive(pid)) rmSync(join(folder, file), { force: true });
  }
}
