import { databaseFileName } from './databaseFileName.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../shared/errors.ts';
import { folderInUse } from './folderInUse.ts';
import { migrate } from './migrations.ts';

/** Runs `body` in one transaction: all of it is stored, or none. Nested calls join the outer one. */
export interface Database {
  readonly connection: DatabaseSync;
  transaction<T>(body: () => T): T;
  close(): void;
}

/**
 * Opens the data folder's database and keeps it locked until it is closed or the process ends, however it ends: this
 * is what makes one process own a data folder. What a transaction stored is on the disk when it returns.
 *
 * @throws AppError `unavailable`, with the error code FOLDER_IN_USE where another process owns the folder
 */
export function openDatabase(dataFolder: string): Database {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new AppError('unavailable', `The data folder ${dataFolder} cannot be made: ${(error as Error).message}. Nothing was started.`, {
      cause: error, remedy: 'Give a folder that can be written, on a disk with room, with --data.',
    });
  }
  const path = join(dataFolder, databaseFileName);
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path);
    connection.exec(`
      PRAGMA busy_timeout = 0;
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -16000;
      PRAGMA journal_size_limit = 67108864;
      BEGIN IMMEDIATE;
      COMMIT;
    `);
    migrate(connection);
  } catch (error) {
    if (connection?.isOpen) connection.close();
    throw openingProblem(error, path);
  }
  return database(connection);
}

function openingProblem(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  const code = (error as { errcode?: number }).errcode;
  if (code !== undefined && (code & 0xff) === 5) {
    return new AppError('unavailable', `The data folder of ${path} is in use by another local service; this one was not started.`, {
      cause: error, errorCode: folderInUse, remedy: 'Use that service, stop it, or give another folder with --data.',
    });
  }
  return new AppError('unavailable', `The database ${path} cannot be opened: ${(error as Error).message}. Nothing in it was changed.`, {
    cause: error, remedy: 'Make the folder writable and the disk roomy; if the file is damaged, move it away and start again.',
  });
}

function database(connection: DatabaseSync): Database {
  let depth = 0;
  return {
    connection,
    transaction(body) {
      if (depth > 0) return body();
      connection.exec('BEGIN IMMEDIATE');
      depth = 1;
      try {
        const result = body();
        connection.exec('COMMIT');
        return result;
      } catch (error) {
        if (connection.isTransaction) connection.exec('ROLLBACK');
        throw error;
      } finally {
        depth = 0;
      }
    },
    close() {
      connection.close();
    },
  };
}
