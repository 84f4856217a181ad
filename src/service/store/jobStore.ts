import type { Changes } from './changes.ts';
import type { Database } from './database.ts';

export interface StoredJob {
  readonly jobId: string;
  /** The settings as the client's own JSON text. */
  readonly settings: string;
  readonly creator: string;
  readonly createdAt: number;
}

export interface JobPage {
  /** Only jobs that are older than this one. */
  readonly beforeJobId?: string;
  /** Only jobs with this name, whatever its case. */
  readonly name?: string;
  readonly offset: number;
  readonly limit: number;
}

export interface JobStore {
  /** @returns the new job's ID */
  insert(job: Omit<StoredJob, 'jobId'>, nextFireAt: number | undefined): string;
  get(jobId: string): StoredJob | undefined;
  exists(jobId: string): boolean;
  /**
   * Yields the jobs as JSON (Jobs API 2.0, Job), separated by commas, newest first, in UTF-8 chunks. Each chunk is read on demand, so that
   * a long list is never read at once or made into a string.
   */
  list(): Generator<Uint8Array>;
  /** Returns jobs, newest first. */
  page(page: JobPage): StoredJob[];
  count(): number;
  replaceSettings(jobId: string, settings: string, nextFireAt: number | undefined): void;
  delete(jobId: string): void;
  /** Takes an ID of the same sequence that no job has. */
  takeId(): string;
  /** Increments the job's run count and returns it. */
  nextNumber(jobId: string): number;
  setNextFire(jobId: string, nextFireAt: number | undefined): void;
  earliestFire(): number | undefined;
  dueJobs(now: number, limit: number): { jobId: string; fireAt: number }[];
  hasSchedules(): boolean;
}

/** No job has a higher ID. */
const lastJobId = '9223372036854775807';

const columns = 'CAST(job_id AS TEXT) AS jobId, settings, creator, created_at AS createdAt';

const jobJson = `'{"job_id":' || job_id || ',"creator_user_name":' || json_quote(creator) || ',"run_as":' || json_quote(creator)
  || ',"settings":' || settings || ',"created_time":' || created_at || '}'`;

/** A chunk of the list is read and written in two milliseconds. */
const pieceBytes = 256 * 1024;

export function createJobStore({ connection }: Database, changes: Changes): JobStore {
  const insert = connection.prepare(
    'INSERT INTO jobs (settings, creator, created_at, next_fire_at) VALUES (?, ?, ?, ?) RETURNING CAST(job_id AS TEXT) AS jobId',
  );
  const get = connection.prepare(`SELECT ${columns} FROM jobs WHERE job_id = ?`);
  const exists = connection.prepare('SELECT 1 FROM jobs WHERE job_id = ?');
  const sizes = connection.prepare(
    'SELECT CAST(job_id AS TEXT) AS jobId, octet_length(settings) AS bytes FROM jobs ORDER BY job_id DESC',
  );
  const list = connection.prepare(`
    SELECT CAST(? || group_concat(job, ',') AS BLOB) AS jobs
    FROM (SELECT ${jobJson} AS job FROM jobs WHERE job_id BETWEEN ? AND ? ORDER BY job_id DESC)`);
  const page = connection.prepare(`
    SELECT ${columns} FROM jobs WHERE job_id < ?1 AND (?2 IS NULL OR lower(json_extract(settings, '$.name')) = lower(?2))
    ORDER BY job_id DESC LIMIT ?3 OFFSET ?4`);
  const count = connection.prepare('SELECT count(*) AS count FROM jobs');
  const replace = connection.prepare('UPDATE jobs SET settings = ?, next_fire_at = ? WHERE job_id = ?');
  const remove = connection.prepare('DELETE FROM jobs WHERE job_id = ?');
  const nextNumber = connection.prepare(
    'UPDATE jobs SET last_number = last_number + 1 WHERE job_id = ? RETURNING last_number AS number',
  );
  const beginSequence = connection.prepare(
    "INSERT INTO sqlite_sequence (name, seq) SELECT 'jobs', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'jobs')",
  );
  const takeId = connection.prepare(
    "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'jobs' RETURNING CAST(seq AS TEXT) AS jobId",
  );
  const setNextFire = connection.prepare('UPDATE jobs SET next_fire_at = ? WHERE job_id = ?');
  const earliest = connection.prepare('SELECT min(next_fire_at) AS at FROM jobs WHERE next_fire_at IS NOT NULL');
  const due = connection.prepare(
    'SELECT CAST(job_id AS TEXT) AS jobId, next_fire_at AS fireAt FROM jobs WHERE next_fire_at <= ? ORDER BY next_fire_at LIMIT ?',
  );

  return {
    insert(job, nextFireAt) {
      changes.add('jobs');
      return (insert.get(job.settings, job.creator, job.createdAt, nextFireAt ?? null) as { jobId: string }).jobId;
    },
    get: (jobId) => get.get(BigInt(jobId)) as StoredJob | undefined,
    exists: (jobId) => exists.get(BigInt(jobId)) !== undefined,
    *list() {
      const all = sizes.all() as { jobId: string; bytes: number }[];
      let comma = '';
      let newest: string | undefined;
      let total = 0;
      for (const [index, { jobId, bytes }] of all.entries()) {
        newest ??= jobId;
        total += bytes;
        if (total <= pieceBytes && index < all.length - 1) continue;
        const { jobs } = list.get(comma, BigInt(jobId), BigInt(newest)) as { jobs: Uint8Array | null };
        // They may have been deleted since the list began.
        if (jobs) {
          yield jobs;
          comma = ',';
        }
        [newest, total] = [undefined, 0];
      }
    },
    page: ({ beforeJobId, name, offset, limit }) =>
      page.all(BigInt(beforeJobId ?? lastJobId), name ?? null, limit, offset) as unknown as StoredJob[],
    count: () => (count.get() as { count: number }).count,
    replaceSettings(jobId, settings, nextFireAt) {
      changes.add('jobs');
      replace.run(settings, nextFireAt ?? null, BigInt(jobId));
    },
    delete(jobId) {
      changes.add('jobs');
      remove.run(BigInt(jobId));
    },
    takeId() {
      beginSequence.run();
      return (takeId.get() as { jobId: string }).jobId;
    },
    nextNumber: (jobId) => (nextNumber.get(BigInt(jobId)) as { number: number } | undefined)?.number ?? 1,
    setNextFire: (jobId, nextFireAt) => void setNextFire.run(nextFireAt ?? null, BigInt(jobId)),
    earliestFire: () => (earliest.get() as { at: number | null }).at ?? undefined,
    dueJobs: (now, limit) => due.all(now, limit) as unknown as { jobId: string; fireAt: number }[],
    hasSchedules: () => (earliest.get() as { at: number | null }).at !== null,
  };
}
