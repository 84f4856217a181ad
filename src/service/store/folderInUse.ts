import { AppError } from '../../shared/errors.ts';
import { causesOf } from '../../shared/http/causes.ts';

/** The error code of a data folder that another process has; its own file, so that asking loads no database. */
export const folderInUse = 'FOLDER_IN_USE';

/** Told apart from other failures, since a second launcher then attaches to the first one's service. */
export function isFolderInUse(error: unknown): boolean {
  return error instanceof AppError && error.errorCode === folderInUse;
}

/** The database in the data folder; its own file, so that looking for it loads no database. */
export const databaseFileName = 'millrace.db';

/** SQLite's "database or disk is full". */
const sqliteFull = 13;

/** Whether the disk, or the user's part of it, has no room. Looks at the causes too. */
export function isDiskFull(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, errcode }) =>
      code === 'ENOSPC' || code === 'EDQUOT' || (typeof errcode === 'number' && (errcode & 0xff) === sqliteFull),
  );
}
