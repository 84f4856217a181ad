import { AppError } from '../../shared/errors.ts';
import { causesOf } from '../../shared/http/causes.ts';

// The data folder in a file of its own, so that checking it loads no database.

/** Error code of a data folder that another process uses. */
export const folderInUse = 'FOLDER_IN_USE';

/** Returns whether another process uses the folder: a second launcher then attaches to its service. */
export function isFolderInUse(error: unknown): boolean {
  return error instanceof AppError && error.errorCode === folderInUse;
}

/** File name of the database in the data folder. */
export const databaseFileName = 'millrace.db';

/** SQLite's "database or disk is full". */
const sqliteFull = 13;

/** Returns whether the disk, or the user's quota, is full. It checks the causes too. */
export function isDiskFull(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, errcode }) =>
      code === 'ENOSPC' || code === 'EDQUOT' || (typeof errcode === 'number' && (errcode & 0xff) === sqliteFull),
  );
}
