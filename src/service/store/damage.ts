import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import { migrate } from './migrations.ts';

/**
 * Databases up to this size are checked completely at each start, which takes about 0.1 s. In larger ones only the small tables are, which
 * hold the jobs.
 */
const wholeCheckBytes = 64 * 1024 * 1024;
const smallTables = ['sqlite_schema', 'jobs', 'facts', 'plans', 'processes', 'outbox', 'tokens'];

/** SQLite's "malformed" and "not a database". */
const damageCodes = new Set([11, 26]);

export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' && damageCodes.has(code & 0xff);
}

/** Returns whether the file lost all its content. Call it before opening the file, which would make it a new database. */
export function isEmptied(path: string): boolean {
  return statSync(path).size === 0 && !existsSync(`${path}-wal`);
}

/** Returns the damage of the database in SQLite's words, or `undefined` if none is found. */
export function damageOf(connection: DatabaseSync): string | undefined {
  const { page_count: pages } = connection.prepare('PRAGMA page_count').get() as { page_count: number };
  const { page_size: pageBytes } = connection.prepare('PRAGMA page_size').get() as { page_size: number };
  const isSmall = pages * pageBytes <= wholeCheckBytes;
  const known = new Set(
    (connection.prepare('SELECT name FROM sqlite_schema').all() as { name: string }[]).map(({ name }) => name),
  );
  const checks = isSmall
    ? ['PRAGMA quick_check(1)']
    : smallTables
        .filter((table) => table === 'sqlite_schema' || known.has(table))
        .map((table) => `PRAGMA quick_check('${table}')`);
  for (const check of checks) {
    const { quick_check: answer } = connection.prepare(check).get() as { quick_check: string };
    if (answer !== 'ok') return answer;
  }
  return undefined;
}

/** Returns a column that a new database has and this one lacks: its name may be garbled, which SQLite's checks do not notice. */
export function lackOf(connection: DatabaseSync): string | undefined {
  const model = new DatabaseSync(':memory:');
  migrate(model);
  const present = new Set(columnsOf(connection));
  const missing = columnsOf(model).find((column) => !present.has(column));
  model.close();
  return missing && `no column ${missing}`;
}

function columnsOf(connection: DatabaseSync): string[] {
  const columns = connection.prepare(
    "SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'",
  );
  return (columns.all() as { name: string }[]).map(({ name }) => name);
}

/** Renames a damaged database, so that it does not block the next start. @returns the error to report */
export function setAside(path: string, damageInSqliteWords: string): AppError {
  // It quotes whatever it found.
  const damage = damageInSqliteWords.replaceAll(/[\s\p{C}\ufffd]+/gu, ' ');
  const name = `${path}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    for (const suffix of ['-wal', '']) if (existsSync(path + suffix)) renameSync(path + suffix, name + suffix);
  } catch (error) {
    return new AppError(
      'unavailable',
      `The database ${path} is damaged (${damage}) and could not be renamed: ${(error as Error).message}. Nothing was started.`,
      {
        cause: error,
        remedy: 'Move it away, then start again with an empty workspace.',
      },
    );
  }
  return new AppError(
    'unavailable',
    `The database ${path} is damaged (${damage}). It was renamed to ${basename(name)}; nothing else was changed, and nothing was started.`,
    {
      remedy:
        'Start again for an empty workspace, or put a copy from a backup in its place first. "sqlite3 ' +
        `${basename(name)} .recover" may save much of what is in it.`,
    },
  );
}

/**
 * Removes jobs whose settings are no longer JSON: one of them would break the list of all. Their texts are kept.
 * @throws if that cannot be written
 */
export function setAsideJobs(connection: DatabaseSync, dataFolder: string, logger: Logger): void {
  const broken = connection
    .prepare(`
    SELECT CAST(job_id AS TEXT) AS jobId, settings FROM jobs WHERE CASE WHEN json_valid(settings) THEN json_type(settings) <> 'object' ELSE 1 END
  `)
    .all() as { jobId: string; settings: string }[];
  for (const { jobId, settings } of broken) {
    const file = join(dataFolder, `damaged-job-${jobId}.txt`);
    writeFileSync(file, settings, { mode: 0o600, flush: true });
    connection.prepare('DELETE FROM jobs WHERE job_id = ?').run(BigInt(jobId));
    logger.error(
      `The settings of job ${jobId} are damaged, so the job was removed. Its text is in ${file}: correct it and create the job again.`,
    );
  }
}
