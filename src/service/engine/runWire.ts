import { joinMembers, rawMembers } from '../store/rawJson.ts';
import { hasTasks, isTerminal, type RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import { writtenTasks } from './taskPlans.ts';
import { isCancelledOrTimedOut } from './transition.ts';

export interface RunForm {
  readonly pageUrl: (runId: string) => string;
  /** Whether runs have `status` beside `state`, as in version 2.1 and later. */
  readonly hasStatus?: boolean;
}

/** Writes a run as JSON text (Jobs API 2.0, Run). IDs keep every digit. */
export function runToJson(run: RunRecord, form: RunForm): string {
  const isMultiTask = hasTasks(run);
  const { queue, setup, execution, cleanup } = isMultiTask ? noDurations : durations(run);
  // Jobs API 2.0, Run: set for runs of several tasks only.
  const whole = isMultiTask && run.endedAt !== undefined ? `"run_duration":${run.endedAt - run.createdAt},` : '';
  const task =
    run.taskKey === undefined ? '' : `"task_key":${JSON.stringify(run.taskKey)},"job_run_id":${run.parentRunId},`;
  const cluster = clusterInstance(run);
  // Runs that an earlier version stored may lack it.
  const jobId = run.jobId ?? run.oneTimeJobId;
  return [
    jobId === undefined ? '{' : `{"job_id":${jobId},`,
    `"run_id":${run.runId},"creator_user_name":${JSON.stringify(run.creator)},"number_in_job":${run.numberInJob},`,
    `"original_attempt_run_id":${run.originalRunId ?? run.runId},"state":${stateToJson(run)},${statusToJson(run, form)}${run.detail},`,
    cluster,
    whole,
    task,
    `"start_time":${run.createdAt},"queue_duration":${queue},"setup_duration":${setup},"execution_duration":${execution},"cleanup_duration":${cleanup},`,
    `"end_time":${run.endedAt ?? 0},"trigger":"${run.trigger}","run_name":${JSON.stringify(run.runName)},`,
    `"run_page_url":${JSON.stringify(form.pageUrl(run.runId))},"run_type":"${run.runType}","attempt_number":${run.attemptNumber}}`,
  ].join('');
}

const noDurations = { queue: 0, setup: 0, execution: 0, cleanup: 0 };

/** Writes a run with the runs of its tasks: all attempts, in the order of the tasks (Jobs API 2.1, Run and RunTask). */
export function runWithTasksToJson(
  run: RunRecord,
  store: Pick<Store, 'runs' | 'runParts' | 'repairs'>,
  form: RunForm,
  { withHistory = false } = {},
): string {
  const text = runToJson(run, form);
  const tasks = store.runs.tasksOf(run.runId);
  if (tasks.length === 0) return text;
  const settings = (hasTasks(run) ? store.runParts.plan(run.runId)?.settings : undefined) ?? '{}';
  const written = writtenTasks(settings);
  const list = tasks.map((task) => taskToJson(task, written.get(task.taskKey ?? ''), form));
  const history = withHistory
    ? `,"repair_history":[${[...store.repairs.ofRun(run.runId).map(({ before }) => before), historyItem(run, store)].join(',')}]`
    : '';
  const shared = [...rawMembers(settings)]
    .filter(([name]) => sharedLists.includes(name))
    .map(([name, value]) => `,"${name}":${value}`);
  return `${text.slice(0, -1)}${shared.join('')},"${hasTasks(run) ? 'tasks' : 'iterations'}":[${list.join(',')}]${history}}`;
}

/** What the tasks of a run refer to. */
const sharedLists: readonly string[] = ['job_clusters', 'environments'];

/** Writes the latest repair of a run, or its original attempt (Jobs API 2.1, RepairHistoryItem). */
export function historyItem(run: RunRecord, store: Pick<Store, 'runs' | 'repairs'>): string {
  const repair = store.repairs.ofRun(run.runId).at(-1);
  const runIds = store.runs
    .tasksOf(run.runId)
    .filter(({ repairId }) => repairId === repair?.repairId)
    .map(({ runId }) => runId);
  const kind = repair ? `"type":"REPAIR","id":${repair.repairId}` : '"type":"ORIGINAL"';
  return `{${kind},"start_time":${repair?.startedAt ?? run.createdAt},"end_time":${run.endedAt ?? 0},"state":${stateToJson(run)},"task_run_ids":[${runIds.join(',')}]}`;
}

/** @param written the task's entry in the settings */
function taskToJson(task: RunRecord, written: string | undefined, form: RunForm): string {
  const { setup, execution, cleanup } = durations(task);
  const members = rawMembers(written ?? `{"task_key":${JSON.stringify(task.taskKey)}}`);
  const own = rawMembers(
    [
      `{"run_id":${task.runId},"state":${stateToJson(task)},${statusToJson(task, form)}${clusterInstance(task)}`,
      `"start_time":${task.createdAt},"setup_duration":${setup},"execution_duration":${execution},"cleanup_duration":${cleanup},`,
      `"end_time":${task.endedAt ?? 0},"run_page_url":${JSON.stringify(form.pageUrl(task.runId))},"attempt_number":${task.attemptNumber}}`,
    ].join(''),
  );
  return joinMembers([...members, ...own]);
}

/** Returns the parts of runs/get-output besides the output (Jobs API 2.0, runs/get-output). */
export function outcomeParts(
  run: RunRecord,
  outcome: { error?: string; errorTrace?: string; notebookResult?: object } | undefined,
): { notebook_output?: object; error?: string; error_trace?: string } {
  const error = outcome?.error ?? (run.result === undefined && run.endedAt !== undefined ? run.message : undefined);
  const isNotebook = run.detail.includes('"task":{"notebook_task"') && outcome?.notebookResult !== undefined;
  return {
    ...(isNotebook ? { notebook_output: outcome.notebookResult } : {}),
    ...(error === undefined ? {} : { error }),
    ...(outcome?.errorTrace === undefined ? {} : { error_trace: outcome.errorTrace }),
  };
}

function stateToJson(run: RunRecord): string {
  const result = run.result === undefined ? '' : `"result_state":"${run.result}",`;
  const message = JSON.stringify(run.message);
  const isEnded = isCancelledOrTimedOut(run);
  return `{"life_cycle_state":"${run.lifeCycle}",${result}"state_message":${message},"user_cancelled_or_timedout":${isEnded}}`;
}

/** Writes why a run ended in one code (Jobs API 2.1, RunStatus). */
function statusToJson(run: RunRecord, { hasStatus = false }: RunForm): string {
  if (!hasStatus) return '';
  const { lifeCycle, message } = run;
  const result = run.result ?? lifeCycle;
  const code = codes[result] ?? result;
  const type = failureTypes[code] ?? (code === 'RUN_EXECUTION_ERROR' ? 'CLIENT_ERROR' : 'SUCCESS');
  const details = isTerminal(run) ? { termination_details: { code, type, message } } : {};
  return `"status":${JSON.stringify({ state: isTerminal(run) ? 'TERMINATED' : lifeCycle, ...details })},`;
}

/** Results whose code of termination has another name. */
const codes: Readonly<Record<string, string>> = {
  FAILED: 'RUN_EXECUTION_ERROR',
  TIMEDOUT: 'RUN_EXECUTION_ERROR',
  CANCELED: 'USER_CANCELED',
};

const failureTypes: Readonly<Record<string, string>> = {
  INTERNAL_ERROR: 'INTERNAL_ERROR',
  SKIPPED: 'CLIENT_ERROR',
  UPSTREAM_FAILED: 'CLIENT_ERROR',
};

function clusterInstance(run: RunRecord): string {
  if (run.clusterId === undefined) return '';
  const context = run.sparkContextId === undefined ? '' : `,"spark_context_id":${JSON.stringify(run.sparkContextId)}`;
  return `"cluster_instance":{"cluster_id":${JSON.stringify(run.clusterId)}${context}},`;
}

/**
 * Returns the durations of the run's parts in milliseconds. They add up to the time from its start to its end. A part that has not ended
 * is 0.
 */
export function durations(run: RunRecord): { queue: number; setup: number; execution: number; cleanup: number } {
  const { createdAt, dispatchedAt, runningAt, terminatingAt, endedAt } = run;
  const setupEnd = runningAt ?? terminatingAt ?? endedAt;
  const begun = dispatchedAt ?? (runningAt === undefined ? setupEnd : createdAt);
  const executionEnd = runningAt === undefined ? undefined : (terminatingAt ?? endedAt);
  return {
    queue: (begun ?? createdAt) - createdAt,
    setup: begun === undefined || setupEnd === undefined ? 0 : setupEnd - begun,
    execution: runningAt === undefined || executionEnd === undefined ? 0 : executionEnd - runningAt,
    cleanup: terminatingAt === undefined || endedAt === undefined || !isTerminal(run) ? 0 : endedAt - terminatingAt,
  };
}
