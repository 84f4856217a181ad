import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../shared/errors.ts';
import { silentLogger, type Logger } from '../../shared/log.ts';
import { damageOf, isDamage, isEmptied, lackOf, setAside, setAsideJobs } from './damage.ts';
import { databaseFileName } from './databaseFileName.ts';
import { prepareDataFolder } from './dataFolder.ts';
import { isDiskFull } from './diskFull.ts';
import { folderInUse } from './folderInUse.ts';
import { migrate } from './migrations.ts';
import { makeDatabase } from './newDatabase.ts';

/** Runs `body` in one transaction: all of it is stored, or none. Nested calls join the outer one. */
export interface Database {
  readonly connection: DatabaseSync;
  transaction<T>(body: () => T): T;
  close(): void;
}

/** Waits for nobody: a second service of the folder is told at once. `synchronous` FULL is what makes an answer a promise. */
const settings = `
  PRAGMA busy_timeout = 0;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -16000;
  PRAGMA journal_size_limit = 67108864;
`;

/**
 * Opens the data folder's database and keeps it locked until it is closed or the process ends, however it ends: this
 * is what makes one process own a data folder. What a transaction stored is on the disk when it returns. A database that
 * is damaged is set aside.
 *
 * @throws AppError `unavailable`, with the error code FOLDER_IN_USE if another process owns the folder
 */
export function openDatabase(dataFolder: string, logger: Logger = silentLogger): Database {
  prepareDataFolder(dataFolder, logger);
  const path = join(dataFolder, databaseFileName);
  let connection: DatabaseSync | undefined;
  let damage: string | undefined;
  try {
    makeDatabase(path);
    if (isEmptied(path)) throw setAside(path, 'the file has 0 bytes');
    connection = new DatabaseSync(path);
    connection.exec(`${settings} BEGIN IMMEDIATE; COMMIT;`);
    damage = damageOf(connection);
    if (damage === undefined) {
      migrate(connection);
      damage = lackOf(connection);
    }
    if (damage === undefined) {
      setAsideJobs(connection, dataFolder, logger);
      return database(connection);
    }
  } catch (error) {
    if (!isDamage(error)) {
      if (connection?.isOpen) connection.close();
      throw openingProblem(error, path);
    }
    damage = (error as Error).message;
  }
  if (connection?.isOpen) connection.close();
  throw setAside(path, damage);
}

function openingProblem(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  const code = (error as { errcode?: number }).errcode;
  if (code !== undefined && (code & 0xff) === 5) {
    return new AppError(
      'unavailable',
      `The data folder of ${path} is in use by another local service; this one was not started.`,
      {
        cause: error,
        errorCode: folderInUse,
        remedy: 'Use that service, stop it, or give another folder with --data.',
      },
    );
  }
  const remedy = isDiskFull(error)
    ? 'Make room on its disk and start again.'
    : 'Make the file and its folder writable, or give another folder with --data, and start again.';
  return new AppError(
    'unavailable',
    `The database ${path} cannot be opened: ${(error as Error).message}. Nothing in it was changed.`,
    { cause: error, remedy },
  );
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
