import { AppError } from '../../shared/errors.ts';

/** The error code of a data folder that another process has; its own file, so that asking loads no database. */
export const folderInUse = 'FOLDER_IN_USE';

/** Told apart from other failures, since a second launcher then attaches to the first one's service. */
export function isFolderInUse(error: unknown): boolean {
  return error instanceof AppError && error.errorCode === folderInUse;
}
