import { chmodSync, existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError, describeError } from '../../shared/errors.ts';
import { type Logger, silentLogger } from '../../shared/log.ts';
import { isProcessAlive } from '../../shared/node/isProcessAlive.ts';
import { makeFolder } from '../../shared/node/makeFolder.ts';
import { damageOf, isDamage, isEmptied, lackOf, setAside, setAsideJobs } from './damage.ts';
import { databaseFileName, folderInUse, isDiskFull } from './dataFolder.ts';
import { migrate } from './migrations.ts';

/** Runs `body` in one transaction: all of it is stored, or nothing. Nested calls join the outer one. */
export interface Database {
  readonly connection: DatabaseSync;
  transaction<T>(body: () => T): T;
  /** Whether the files were moved, deleted or replaced: what is stored now would be lost at the next start. */
  isGone(): boolean;
  close(): void;
}

/** Does not wait: a second service in the folder fails at once. `synchronous` FULL is what makes a response a promise. */
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
 * Opens the data folder's database and keeps it locked until it is closed or the process ends in any way: one process owns a data folder. A
 * transaction is on disk when it returns. A damaged database is set aside.
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
      return database(connection, path);
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
        remedy: 'Use that service, stop it, or use another folder with --data.',
      },
    );
  }
  const remedy = isDiskFull(error)
    ? 'Free some disk space and start again.'
    : 'Make the file and its folder writable, or use another folder with --data, and start again.';
  return new AppError(
    'unavailable',
    `The database ${path} cannot be opened: ${(error as Error).message}. Nothing in it was changed.`,
    { cause: error, remedy },
  );
}

function database(connection: DatabaseSync, path: string): Database {
  let depth = 0;
  const own = fileIdentity(path);
  let log: string | undefined;
  function isGone(): boolean {
    // SQLite creates the log at the first write and keeps it.
    const now = fileIdentity(`${path}-wal`);
    log ??= now;
    return fileIdentity(path) !== own || now !== log;
  }
  return {
    connection,
    isGone,
    transaction(body) {
      if (depth > 0) return body();
      connection.exec('BEGIN IMMEDIATE');
      depth = 1;
      try {
        const result = body();
        if (isGone()) throw gone(path);
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

/** Returns an identity that a later file at the same path does not have, or `undefined` if there is no file. */
function fileIdentity(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function gone(path: string): AppError {
  return new AppError(
    'unavailable',
    `The data folder ${dirname(path)} was moved, deleted or replaced while the service was running; nothing was stored.`,
    { status: 500, errorCode: 'STORAGE_FAILED', remedy: 'Put it back, or stop the service and start it again.' },
  );
}

/**
 * Creates the database if there is none. It is renamed only when it is complete, so that an empty file under that name is damaged, never
 * new.
 */
function makeDatabase(path: string): void {
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

/** A link never replaces what another service has created; some file systems have no links. */
function name(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch {
    if (!existsSync(path)) renameSync(draft, path);
  }
}

/** A service that was killed in the middle left it. */
function removeOldDrafts(path: string): void {
  const folder = dirname(path);
  for (const file of readdirSync(folder)) {
    const pid = file.startsWith(`${basename(path)}.new-`)
      ? Number.parseInt(file.slice(basename(path).length + 5), 10)
      : Number.NaN;
    if (Number.isInteger(pid) && !isProcessAlive(pid)) rmSync(join(folder, file), { force: true });
  }
}

/** Set on folders where many users create files, such as /tmp. */
const stickyBit = 0o1000;

/**
 * Creates the folder, readable by its owner only. An existing folder of the same user gets that mode too; a shared one, such as /tmp, keeps
 * its mode, which is logged.
 *
 * @throws AppError `unavailable` if it cannot be created
 */
function prepareDataFolder(dataFolder: string, logger: Logger): void {
  try {
    makeFolder(dataFolder, 0o700);
  } catch (error) {
    throw new AppError(
      'unavailable',
      `The data folder ${dataFolder} cannot be created: ${(error as Error).message}. Nothing was started.`,
      {
        cause: error,
        remedy: 'Use --data with a writable folder on a disk with free space.',
      },
    );
  }
  if (process.platform !== 'win32') closeToOthers(dataFolder, logger);
}

function closeToOthers(dataFolder: string, logger: Logger): void {
  const mode = statSync(dataFolder).mode & 0o7777;
  if ((mode & 0o077) === 0) return;
  const was = `The data folder ${dataFolder} could be read by other users of this machine (mode ${mode.toString(8)})`;
  try {
    const names = readdirSync(dataFolder);
    const isShared = (mode & stickyBit) !== 0 || (names.length > 0 && !names.includes(databaseFileName));
    if (isShared) {
      logger.warn(
        `${was} and is shared or holds other files, so its mode was not changed. New files of the service are readable only by you. A separate folder is better.`,
      );
      return;
    }
    chmodSync(dataFolder, 0o700);
    logger.warn(`${was}. It is now readable only by you (mode 700).`);
  } catch (error) {
    logger.warn(`${was}, which could not be changed: ${describeError(error)} Run: chmod 700 ${dataFolder}`);
  }
}
