import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../shared/errors.ts';

/** Each entry migrates the database to the next version. Released entries never change. */
const migrations: readonly string[] = [
  `
  CREATE TABLE jobs (
    job_id INTEGER PRIMARY KEY AUTOINCREMENT,
    settings TEXT NOT NULL,
    creator TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_number INTEGER NOT NULL DEFAULT 0,
    next_fire_at INTEGER
  ) STRICT;
  CREATE INDEX jobs_due ON jobs(next_fire_at) WHERE next_fire_at IS NOT NULL;

  CREATE TABLE runs (
    run_id INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id INTEGER,
    number_in_job INTEGER NOT NULL,
    original_run_id INTEGER,
    parent_run_id INTEGER,
    attempt_number INTEGER NOT NULL,
    run_type TEXT NOT NULL,
    trigger_type TEXT NOT NULL,
    run_name TEXT NOT NULL,
    creator TEXT NOT NULL,
    detail TEXT NOT NULL,
    active INTEGER NOT NULL,
    hidden INTEGER NOT NULL DEFAULT 0,
    life_cycle TEXT NOT NULL,
    result TEXT,
    message TEXT NOT NULL,
    stopping TEXT,
    created_at INTEGER NOT NULL,
    dispatched_at INTEGER,
    running_at INTEGER,
    terminating_at INTEGER,
    ended_at INTEGER,
    cluster_id TEXT,
    spark_context_id TEXT,
    retry_at INTEGER
  ) STRICT;
  -- Each covers what runs/list filters by, so that an offset skips within the index.
  CREATE INDEX runs_visible ON runs(hidden, run_id);
  CREATE INDEX runs_of_job ON runs(job_id, hidden, run_id);
  CREATE INDEX runs_of_type ON runs(run_type, hidden, run_id);
  CREATE INDEX runs_listed ON runs(active, hidden, run_id);
  CREATE INDEX runs_retry ON runs(retry_at) WHERE retry_at IS NOT NULL;
  CREATE INDEX runs_ended ON runs(ended_at) WHERE ended_at IS NOT NULL;

  -- What the engine needs while a run is active or waits for its retry.
  CREATE TABLE plans (run_id INTEGER PRIMARY KEY, settings TEXT NOT NULL, parameters TEXT NOT NULL) STRICT;
  CREATE TABLE outputs (run_id INTEGER PRIMARY KEY, outcome TEXT NOT NULL) STRICT;
  CREATE TABLE processes (run_id INTEGER NOT NULL, pid INTEGER NOT NULL, start_time TEXT NOT NULL) STRICT;
  CREATE INDEX processes_of_run ON processes(run_id);
  -- Tokens outlive their runs, so that a repeated request never starts a second one.
  CREATE TABLE tokens (token TEXT PRIMARY KEY, run_id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE creations (created_at INTEGER NOT NULL) STRICT;
  CREATE INDEX creations_at ON creations(created_at);
  CREATE TABLE outbox (
    message_id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX outbox_due ON outbox(due_at);
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `,
  `
  -- Where there is no job: the id that a one-time run is known by all the same.
  ALTER TABLE runs ADD COLUMN one_time_job_id INTEGER;
  CREATE INDEX runs_of_one_time_job ON runs(one_time_job_id) WHERE one_time_job_id IS NOT NULL;
  `,
  `
  -- Set for the run of a task. Its column hidden is 2: no list has it, but it is found by its id.
  ALTER TABLE runs ADD COLUMN task_key TEXT;
  -- The repair that the run of a task belongs to.
  ALTER TABLE runs ADD COLUMN repair_id INTEGER;
  CREATE INDEX runs_of_parent ON runs(parent_run_id) WHERE task_key IS NOT NULL;
  -- Each repair holds the run as it was before, as JSON.
  CREATE TABLE repairs (
    repair_id INTEGER PRIMARY KEY AUTOINCREMENT, run_id INTEGER NOT NULL, started_at INTEGER NOT NULL, before TEXT NOT NULL
  ) STRICT;
  CREATE INDEX repairs_of_run ON repairs(run_id);
  `,
];

/** @throws AppError if the database has a later version than this program */
export function migrate(connection: DatabaseSync): void {
  const { user_version: version } = connection.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length) {
    throw new AppError(
      'unavailable',
      `The data folder was written by a later version of Millrace (${version}); it was not opened.`,
      { remedy: 'Update Millrace, or use another folder with --data.' },
    );
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    connection.exec(`BEGIN IMMEDIATE; ${migration} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
