import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Changes } from './changes.ts';
import type { Database } from './database.ts';
import type { RunParts } from './runParts.ts';
import { hasTasks, isTerminal, type NewRun, type RunPlan, type RunRecord } from './runRecord.ts';

export interface RunFilter {
  readonly jobId?: string;
  /** For a one-time run. */
  readonly oneTimeJobId?: string;
  readonly active?: boolean;
  readonly runType?: string;
  /** Only runs that are older than this one. */
  readonly beforeRunId?: string;
  /** Only runs that started between these times, in epoch milliseconds. */
  readonly startedFrom?: number;
  readonly startedTo?: number;
}

interface LastRunsOfJobs {
  /** One for each job that has runs; if that one was skipped, also the last of the newest hundred that was not. */
  readonly runIds: readonly string[];
  /** Where to continue; absent at the end. */
  readonly nextAfterJobId?: string;
}

/** The rows of the runs. */
interface RunRows {
  insert(run: NewRun, plan: RunPlan | undefined): RunRecord;
  /** Stores everything that may change. A finished run without a pending retry loses its plan. */
  update(run: RunRecord): void;
  get(runId: string): RunRecord | undefined;
  /** Deletes the run and the runs of its tasks. */
  /** Deletes the run and those of its tasks. @returns the IDs of the deleted runs */
  delete(runId: string): string[];
  /** Deletes the job's finished runs and hides the others. @returns the IDs of the deleted runs */
  deleteOfJob(jobId: string): string[];
  /** Returns the runs of the run's tasks, all attempts, in the order of their creation. */
  tasksOf(runId: string): RunRecord[];
  /** Like `tasksOf`, with only what a graph needs at each step. */
  taskStatesOf(runId: string): TaskState[];
}

export type TaskState = Pick<RunRecord, 'runId' | 'taskKey' | 'lifeCycle' | 'result' | 'retryAt'>;

interface RunLists {
  /** Returns the IDs of runs, newest first. A run may be large, so each is read when needed. */
  list(filter: RunFilter, offset: number, limit: number): string[];
  active(): RunRecord[];
  /** Returns the IDs of the last runs of jobs, by job ID after the given one; at most one more than `maxRuns`. */
  lastOfJobs(afterJobId: string, limits: { maxRuns: number; maxJobs: number }): LastRunsOfJobs;
  /** Returns finished runs that ended before the given time, oldest first, without those of tasks, which live as long as their run. */
  endedBefore(moment: number, limit: number): string[];
}

/** Failed runs that are to be retried. */
interface RunRetries {
  earliestRetry(): number | undefined;
  dueRetries(now: number, limit: number): RunRecord[];
  /** Returns the job's failed runs that wait for their retry, without those of tasks. */
  waitingRetries(jobId: string): RunRecord[];
}

export interface RunTable extends RunRows, RunLists, RunRetries {}

export function createRunTable({ connection }: Database, changes: Changes, parts: RunParts): RunTable {
  return {
    ...createRunRows(connection, changes, parts),
    ...createRunLists(connection),
    ...createRunRetries(connection),
  };
}

const nullable = [
  'jobId',
  'oneTimeJobId',
  'originalRunId',
  'parentRunId',
  'taskKey',
  'repairId',
  'result',
  'stopping',
  'dispatchedAt',
  'runningAt',
  'terminatingAt',
  'endedAt',
  'clusterId',
  'sparkContextId',
  'retryAt',
] as const;

const columns = `
  CAST(run_id AS TEXT) AS runId, CAST(job_id AS TEXT) AS jobId, CAST(one_time_job_id AS TEXT) AS oneTimeJobId, number_in_job AS numberInJob,
  CAST(original_run_id AS TEXT) AS originalRunId, CAST(parent_run_id AS TEXT) AS parentRunId,
  task_key AS taskKey, CAST(repair_id AS TEXT) AS repairId,
  attempt_number AS attemptNumber, run_type AS runType, trigger_type AS trigger, run_name AS runName, creator, detail,
  hidden, life_cycle AS lifeCycle, result, message, stopping, created_at AS createdAt, dispatched_at AS dispatchedAt,
  running_at AS runningAt, terminating_at AS terminatingAt, ended_at AS endedAt, cluster_id AS clusterId,
  spark_context_id AS sparkContextId, retry_at AS retryAt`;

function toRecord(row: Record<string, unknown>): RunRecord {
  for (const name of nullable) if (row[name] === null) delete row[name];
  row['hidden'] = row['hidden'] === 1;
  return row as unknown as RunRecord;
}

const id = (text: string | undefined): bigint | null => (text === undefined ? null : BigInt(text));

function createRunRows(connection: DatabaseSync, changes: Changes, parts: RunParts): RunRows {
  const insert = connection.prepare(`
    INSERT INTO runs (job_id, number_in_job, original_run_id, parent_run_id, attempt_number, run_type, trigger_type, run_name,
      creator, detail, active, life_cycle, result, message, created_at, ended_at, one_time_job_id, hidden, task_key, repair_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING CAST(run_id AS TEXT) AS runId`);
  const update = connection.prepare(`
    UPDATE runs SET detail = ?, active = ?, life_cycle = ?, result = ?, message = ?, stopping = ?, created_at = ?, dispatched_at = ?, running_at = ?,
      terminating_at = ?, ended_at = ?, cluster_id = ?, spark_context_id = ?, retry_at = ? WHERE run_id = ?`);
  const get = connection.prepare(`SELECT ${columns} FROM runs WHERE run_id = ?`);
  const remove = connection.prepare('DELETE FROM runs WHERE run_id = ?');
  const terminalOfJob = connection.prepare(
    'SELECT CAST(run_id AS TEXT) AS runId FROM runs WHERE job_id = ? AND active = 0',
  );
  const hide = connection.prepare('UPDATE runs SET hidden = 1 WHERE job_id = ?');
  const repairs = connection.prepare('DELETE FROM repairs WHERE run_id = ?');
  const tasks = connection.prepare(
    `SELECT ${columns} FROM runs WHERE parent_run_id = ? AND task_key IS NOT NULL ORDER BY run_id`,
  );

  const taskStates = connection.prepare(`
    SELECT CAST(run_id AS TEXT) AS runId, task_key AS taskKey, life_cycle AS lifeCycle, result, retry_at AS retryAt
    FROM runs WHERE parent_run_id = ? AND task_key IS NOT NULL ORDER BY run_id`);

  function deleteRun(runId: string): string[] {
    changes.add('runs');
    const ofTasks = tasks.all(BigInt(runId)).flatMap((row) => deleteRun(toRecord(row).runId));
    repairs.run(BigInt(runId));
    remove.run(BigInt(runId));
    parts.delete(runId);
    return [runId, ...ofTasks];
  }

  return {
    insert(run, plan) {
      changes.add('runs');
      const { runId } = insert.get(...insertedValues(run)) as { runId: string };
      if (plan) parts.setPlan(runId, plan);
      return { ...run, runId, hidden: false };
    },
    update(run) {
      changes.add('runs');
      update.run(...updatedValues(run), BigInt(run.runId));
      if (isTerminal(run)) parts.end(run.runId, run.retryAt !== undefined || hasTasks(run));
    },
    get(runId) {
      const row = get.get(BigInt(runId));
      return row && toRecord(row);
    },
    delete: deleteRun,
    deleteOfJob(jobId) {
      changes.add('runs');
      const runIds = (terminalOfJob.all(BigInt(jobId)) as { runId: string }[]).map(({ runId }) => runId);
      runIds.forEach(deleteRun);
      hide.run(BigInt(jobId));
      return runIds;
    },
    tasksOf: (runId) => tasks.all(BigInt(runId)).map(toRecord),
    taskStatesOf: (runId) =>
      taskStates.all(BigInt(runId)).map((row) => {
        for (const name of ['result', 'retryAt']) if (row[name] === null) delete row[name];
        return row as unknown as TaskState;
      }),
  };
}

/** In the order of the statement's columns. */
function insertedValues(run: NewRun): SQLInputValue[] {
  return [
    id(run.jobId),
    run.numberInJob,
    id(run.originalRunId),
    id(run.parentRunId),
    run.attemptNumber,
    run.runType,
    run.trigger,
    run.runName,
    run.creator,
    run.detail,
    isTerminal(run) ? 0 : 1,
    run.lifeCycle,
    run.result ?? null,
    run.message,
    run.createdAt,
    run.endedAt ?? null,
    id(run.oneTimeJobId),
    run.taskKey === undefined ? 0 : 2,
    run.taskKey ?? null,
    id(run.repairId),
  ];
}

/** In the order of the statement's columns. */
function updatedValues(run: RunRecord): SQLInputValue[] {
  return [
    run.detail,
    isTerminal(run) ? 0 : 1,
    run.lifeCycle,
    run.result ?? null,
    run.message,
    run.stopping ?? null,
    run.createdAt,
    run.dispatchedAt ?? null,
    run.runningAt ?? null,
    run.terminatingAt ?? null,
    run.endedAt ?? null,
    run.clusterId ?? null,
    run.sparkContextId ?? null,
    run.retryAt ?? null,
  ];
}

function createRunLists(connection: DatabaseSync): RunLists {
  const active = connection.prepare(`SELECT ${columns} FROM runs WHERE active = 1 ORDER BY run_id`);
  const lastOfJobs = connection.prepare(`
    SELECT CAST(jobs.job_id AS TEXT) AS jobId, CAST(last.run_id AS TEXT) AS runId, last.life_cycle AS lifeCycle
    FROM jobs LEFT JOIN runs AS last ON last.run_id = (
      SELECT run_id FROM runs WHERE runs.job_id = jobs.job_id AND hidden = 0 ORDER BY run_id DESC LIMIT 1
    ) WHERE jobs.job_id > ? ORDER BY jobs.job_id LIMIT ?`);
  const lastBegun = connection.prepare(`
    SELECT CAST(run_id AS TEXT) AS runId FROM (
      SELECT run_id, life_cycle FROM runs WHERE job_id = ? AND hidden = 0 ORDER BY run_id DESC LIMIT 100
    ) WHERE life_cycle <> 'SKIPPED' ORDER BY run_id DESC LIMIT 1`);
  const ended = connection.prepare(
    'SELECT CAST(run_id AS TEXT) AS runId FROM runs WHERE ended_at < ? AND task_key IS NULL ORDER BY ended_at LIMIT ?',
  );
  const lists = new Map<string, StatementSync>();

  return {
    list(filter, offset, limit) {
      const conditions = ['hidden = 0'];
      const values: SQLInputValue[] = [];
      const add = (condition: string, value: SQLInputValue | undefined): void => {
        if (value === undefined || value === null) return;
        conditions.push(condition);
        values.push(value);
      };
      add('job_id = ?', id(filter.jobId));
      add('one_time_job_id = ?', id(filter.oneTimeJobId));
      if (filter.active !== undefined) conditions.push(filter.active ? 'active = 1' : 'active = 0');
      add('run_type = ?', filter.runType);
      add('run_id < ?', id(filter.beforeRunId));
      add('created_at >= ?', filter.startedFrom);
      add('created_at <= ?', filter.startedTo);
      const sql = `SELECT CAST(run_id AS TEXT) AS runId FROM runs WHERE ${conditions.join(' AND ')} ORDER BY runs.run_id DESC LIMIT ? OFFSET ?`;
      const statement = lists.get(sql) ?? connection.prepare(sql);
      lists.set(sql, statement);
      return (statement.all(...values, limit, offset) as { runId: string }[]).map(({ runId }) => runId);
    },
    active: () => active.all().map(toRecord),
    lastOfJobs(afterJobId, { maxRuns, maxJobs }) {
      const runIds: string[] = [];
      let seen = 0;
      for (const { jobId, runId, lifeCycle } of lastOfJobs.iterate(BigInt(afterJobId), maxJobs) as Iterable<{
        jobId: string;
        runId: string | null;
        lifeCycle: string | null;
      }>) {
        seen += 1;
        if (runId !== null) runIds.push(runId);
        const begun =
          lifeCycle === 'SKIPPED' ? (lastBegun.get(BigInt(jobId)) as { runId: string } | undefined) : undefined;
        if (begun) runIds.push(begun.runId);
        if (runIds.length >= maxRuns || seen === maxJobs) return { runIds, nextAfterJobId: jobId };
      }
      return { runIds };
    },
    endedBefore: (moment, limit) => (ended.all(moment, limit) as { runId: string }[]).map(({ runId }) => runId),
  };
}

function createRunRetries(connection: DatabaseSync): RunRetries {
  const earliest = connection.prepare('SELECT min(retry_at) AS at FROM runs WHERE retry_at IS NOT NULL');
  const due = connection.prepare(`SELECT ${columns} FROM runs WHERE retry_at <= ? ORDER BY retry_at LIMIT ?`);
  const waiting = connection.prepare(
    `SELECT ${columns} FROM runs WHERE retry_at IS NOT NULL AND job_id = ? AND task_key IS NULL`,
  );
  return {
    earliestRetry: () => (earliest.get() as { at: number | null }).at ?? undefined,
    dueRetries: (now, limit) => due.all(now, limit).map(toRecord),
    waitingRetries: (jobId) => waiting.all(BigInt(jobId)).map(toRecord),
  };
}
