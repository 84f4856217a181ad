import type { SQLInputValue } from 'node:sqlite';
import type { RunOutcome } from '../runners/runner.ts';
import type { Changes } from './changes.ts';
import type { Database } from './database.ts';
import { isTerminal, type NewRun, type RunPlan, type RunRecord } from './runRecord.ts';

export interface RunFilter {
  jobId?: string;
  /** Of a one-time run. */
  oneTimeJobId?: string;
  active?: boolean;
  runType?: string;
}

interface LastRunsOfJobs {
  /** One for each job that has any; where that one was skipped, the last one of the newest hundred that was not, too. */
  readonly runIds: readonly string[];
  /** Where to go on; absent at the end. */
  readonly nextAfterJobId?: string;
}

/** What a run left besides its state. */
export type StoredOutcome = Pick<RunOutcome, 'error' | 'errorTrace' | 'notebookResult'>;

/** Nothing if the task left nothing but its state. */
export function storedPart({ error, errorTrace, notebookResult }: RunOutcome): StoredOutcome | undefined {
  return error === undefined && errorTrace === undefined && notebookResult === undefined
    ? undefined
    : { error, errorTrace, notebookResult };
}

export interface RunTable {
  insert(run: NewRun, plan: RunPlan | undefined): RunRecord;
  /** Stores all that may change. A run that is over and waits for no retry loses its plan. */
  update(run: RunRecord): void;
  get(runId: string): RunRecord | undefined;
  /** The ids of runs, the most recent first. A run may be large: each is read when it is needed. */
  list(filter: RunFilter, offset: number, limit: number): string[];
  active(): RunRecord[];
  /** The ids of the last runs of jobs, by the jobs' ids from the one after the given one on; at most one more than `maxRuns`. */
  lastOfJobs(afterJobId: string, limits: { maxRuns: number; maxJobs: number }): LastRunsOfJobs;
  delete(runId: string): void;
  /** Deletes the job's terminal runs and hides the others. @returns the ids of what was deleted */
  deleteOfJob(jobId: string): string[];
  plan(runId: string): RunPlan | undefined;
  setPlanSettings(runId: string, settings: string): void;
  outcome(runId: string): StoredOutcome | undefined;
  setOutcome(runId: string, outcome: StoredOutcome): void;
  earliestRetry(): number | undefined;
  dueRetries(now: number, limit: number): RunRecord[];
  waitingRetries(jobId: string): RunRecord[];
  /** Terminal runs that ended before the moment, the oldest first. */
  endedBefore(moment: number, limit: number): string[];
}

const nullable = [
  'jobId',
  'oneTimeJobId',
  'originalRunId',
  'parentRunId',
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

export function createRunTable({ connection }: Database, changes: Changes): RunTable {
  const insert = connection.prepare(`
    INSERT INTO runs (job_id, number_in_job, original_run_id, parent_run_id, attempt_number, run_type, trigger_type, run_name,
      creator, detail, active, life_cycle, result, message, created_at, ended_at, one_time_job_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING CAST(run_id AS TEXT) AS runId`);
  const update = connection.prepare(`
    UPDATE runs SET active = ?, life_cycle = ?, result = ?, message = ?, stopping = ?, dispatched_at = ?, running_at = ?,
      terminating_at = ?, ended_at = ?, cluster_id = ?, spark_context_id = ?, retry_at = ? WHERE run_id = ?`);
  const get = connection.prepare(`SELECT ${columns} FROM runs WHERE run_id = ?`);
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
  const removals = ['runs', 'plans', 'outputs', 'processes'].map((table) =>
    connection.prepare(`DELETE FROM ${table} WHERE run_id = ?`),
  );
  const terminalOfJob = connection.prepare(
    'SELECT CAST(run_id AS TEXT) AS runId FROM runs WHERE job_id = ? AND active = 0',
  );
  const hide = connection.prepare('UPDATE runs SET hidden = 1 WHERE job_id = ?');
  const insertPlan = connection.prepare('INSERT OR REPLACE INTO plans (run_id, settings, parameters) VALUES (?, ?, ?)');
  const removePlan = connection.prepare('DELETE FROM plans WHERE run_id = ?');
  const getPlan = connection.prepare('SELECT settings, parameters FROM plans WHERE run_id = ?');
  const setPlanSettings = connection.prepare('UPDATE plans SET settings = ? WHERE run_id = ?');
  const getOutcome = connection.prepare('SELECT outcome FROM outputs WHERE run_id = ?');
  const setOutcome = connection.prepare('INSERT OR REPLACE INTO outputs (run_id, outcome) VALUES (?, ?)');
  const earliestRetry = connection.prepare('SELECT min(retry_at) AS at FROM runs WHERE retry_at IS NOT NULL');
  const dueRetries = connection.prepare(`SELECT ${columns} FROM runs WHERE retry_at <= ? ORDER BY retry_at LIMIT ?`);
  const waitingRetries = connection.prepare(`SELECT ${columns} FROM runs WHERE retry_at IS NOT NULL AND job_id = ?`);
  const ended = connection.prepare(
    'SELECT CAST(run_id AS TEXT) AS runId FROM runs WHERE ended_at < ? ORDER BY ended_at LIMIT ?',
  );
  const lists = new Map<string, ReturnType<typeof connection.prepare>>();

  function remove(runId: string): void {
    changes.add('runs');
    for (const statement of removals) statement.run(BigInt(runId));
  }

  return {
    insert(run, plan) {
      changes.add('runs');
      const { runId } = insert.get(
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
      ) as { runId: string };
      if (plan) insertPlan.run(BigInt(runId), plan.settings, plan.parameters);
      return { ...run, runId, hidden: false };
    },
    update(run) {
      changes.add('runs');
      const over = isTerminal(run);
      update.run(
        over ? 0 : 1,
        run.lifeCycle,
        run.result ?? null,
        run.message,
        run.stopping ?? null,
        run.dispatchedAt ?? null,
        run.runningAt ?? null,
        run.terminatingAt ?? null,
        run.endedAt ?? null,
        run.clusterId ?? null,
        run.sparkContextId ?? null,
        run.retryAt ?? null,
        BigInt(run.runId),
      );
      if (!over) return;
      if (run.retryAt === undefined) removePlan.run(BigInt(run.runId));
      removals[3]!.run(BigInt(run.runId));
    },
    get(runId) {
      const row = get.get(BigInt(runId));
      return row && toRecord(row);
    },
    list(filter, offset, limit) {
      const conditions = ['hidden = 0'];
      const values: SQLInputValue[] = [];
      if (filter.jobId !== undefined) {
        conditions.push('job_id = ?');
        values.push(BigInt(filter.jobId));
      }
      if (filter.oneTimeJobId !== undefined) {
        conditions.push('one_time_job_id = ?');
        values.push(BigInt(filter.oneTimeJobId));
      }
      if (filter.active !== undefined) conditions.push(filter.active ? 'active = 1' : 'active = 0');
      if (filter.runType !== undefined) {
        conditions.push('run_type = ?');
        values.push(filter.runType);
      }
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
    delete: remove,
    deleteOfJob(jobId) {
      changes.add('runs');
      const ids = (terminalOfJob.all(BigInt(jobId)) as { runId: string }[]).map((row) => row.runId);
      ids.forEach(remove);
      hide.run(BigInt(jobId));
      return ids;
    },
    plan: (runId) => getPlan.get(BigInt(runId)) as RunPlan | undefined,
    setPlanSettings: (runId, settings) => void setPlanSettings.run(settings, BigInt(runId)),
    outcome(runId) {
      const row = getOutcome.get(BigInt(runId)) as { outcome: string } | undefined;
      return row && (JSON.parse(row.outcome) as StoredOutcome);
    },
    setOutcome: (runId, outcome) => void setOutcome.run(BigInt(runId), JSON.stringify(outcome)),
    earliestRetry: () => (earliestRetry.get() as { at: number | null }).at ?? undefined,
    dueRetries: (now, limit) => dueRetries.all(now, limit).map(toRecord),
    waitingRetries: (jobId) => waitingRetries.all(BigInt(jobId)).map(toRecord),
    endedBefore: (moment, limit) => (ended.all(moment, limit) as { runId: string }[]).map((row) => row.runId),
  };
}
