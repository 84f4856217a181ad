import * as z from 'zod';
import { isFields, type Fields } from '../../../shared/fields.ts';
import { withoutTopNulls } from '../../../shared/withoutNullFields.ts';
import { decidingText, field, int64, maybe, millis, openEnum } from '../field.ts';
import { clusterInstanceFields } from './cluster.ts';
import { withParamMaps } from './paramPairs.ts';
import type { jobSettingsShape } from './settings.ts';
import type { JobTask, RunParameters } from './tasks.ts';

/**
 * The service's responses. Reading is lenient: every field may be missing or null, unknown fields are kept, and unknown values of a list
 * are kept unchanged.
 */

export const lifeCycleStates = [
  'BLOCKED',
  'QUEUED',
  'PENDING',
  'RUNNING',
  'TERMINATING',
  'TERMINATED',
  'SKIPPED',
  'INTERNAL_ERROR',
] as const;
/** Results of a run; the last four are those of runs with several tasks and of their tasks (Jobs API 2.1). */
export const resultStates = [
  'SUCCESS',
  'FAILED',
  'TIMEDOUT',
  'CANCELED',
  'SUCCESS_WITH_FAILURES',
  'EXCLUDED',
  'UPSTREAM_FAILED',
  'UPSTREAM_CANCELED',
] as const;
export const triggerTypes = ['PERIODIC', 'ONE_TIME', 'RETRY'] as const;
export const runTypes = ['JOB_RUN', 'SUBMIT_RUN', 'WORKFLOW_RUN'] as const;
export type LifeCycleState = (typeof lifeCycleStates)[number];
export type ResultState = (typeof resultStates)[number];
export type TriggerType = (typeof triggerTypes)[number];

/** Jobs API 2.0, RunState. */
const runState = z.looseObject({
  life_cycle_state: decidingText(
    openEnum(lifeCycleStates, 'Where the run is in its life. Always present in the document.'),
  ),
  result_state: decidingText(
    openEnum(resultStates, 'Result of the run; omitted when unavailable. Once available it never changes.'),
  ),
  user_cancelled_or_timedout: maybe(
    field(z.boolean(), 'Whether the run was cancelled by a user, or by the scheduler because it timed out.'),
  ),
  state_message: maybe(field(z.string(), 'Descriptive message; unstructured, its format may change.')),
});

/** Jobs API 2.0, ClusterInstance. */
const clusterInstance = z.looseObject({
  cluster_id: maybe(clusterInstanceFields.cluster_id),
  spark_context_id: maybe(clusterInstanceFields.spark_context_id),
});

/**
 * Accepted settings that a server returns: any object, with its ids as text like every other id. Its type is that of the request, which is
 * not checked again: a rule added later must not hide an old job.
 */
const anyObject = () => z.record(z.string(), z.unknown());
const settingsAsRead = z.codec(z.looseObject({}), z.looseObject({}), {
  decode: (value) => withParamMaps(withTextIds(withoutTopNulls(value))),
  encode: withWireIds,
});
/** Parameters of a run, as read. */
const parametersAsRead = z.codec(anyObject(), anyObject(), { decode: withParamMaps, encode: (value) => value });
type SettingsAsRead = z.output<typeof jobSettingsShape>;
type ClusterSpec = Pick<SettingsAsRead, 'existing_cluster_id' | 'new_cluster' | 'libraries'>;

/** Fields of a task that are INT64 on the wire, by task. */
const taskIds = [
  ['run_job_task', 'job_id'],
  ['notebook_task', 'revision_timestamp'],
] as const;

function withTextIds(settings: Fields): Fields {
  return mapTaskIds(settings, (id) => (typeof id === 'number' || typeof id === 'bigint' ? String(id) : id));
}

function withWireIds(settings: Fields): Fields {
  return mapTaskIds(settings, (id) => (typeof id === 'string' && /^-?\d{1,19}$/.test(id) ? BigInt(id) : id));
}

function mapTaskIds(settings: Fields, map: (id: unknown) => unknown): Fields {
  let result = settings;
  const inside = (task: unknown): unknown => (isFields(task) ? mapTaskIds(task, map) : task);
  const { tasks, for_each_task: forEach } = settings;
  if (Array.isArray(tasks)) result = { ...result, tasks: tasks.map(inside) };
  if (isFields(forEach)) result = { ...result, for_each_task: { ...forEach, task: inside(forEach['task']) } };
  for (const [kind, name] of taskIds) {
    const task = settings[kind];
    if (!isFields(task)) continue;
    const before = task[name];
    const after = map(before);
    if (after !== before) result = { ...result, [kind]: { ...task, [name]: after } };
  }
  return result;
}

/** A schedule as read: its pause status may be a value that this version does not know. */
const scheduleAsRead = z.looseObject({
  quartz_cron_expression: maybe(z.string()),
  timezone_id: maybe(z.string()),
  pause_status: maybe(z.string()),
});

/** Jobs API 2.0, Job. */
export const job = z.looseObject({
  job_id: field(int64(), 'Canonical identifier of the job.'),
  creator_user_name: maybe(field(z.string(), 'User name of the creator. Omitted if that user was deleted.')),
  run_as: maybe(field(z.string(), 'User name the job runs as.')),
  settings: maybe(
    field(settingsAsRead as unknown as z.ZodType<SettingsAsRead>, 'Settings of the job and of all its runs.'),
  ),
  created_time: maybe(field(millis(), 'Creation time in epoch milliseconds (UTC).', { unit: 'ms' })),
  next_page_token: maybe(field(z.string(), 'Token of the next page of tasks. Version 2.2.')),
});

/** Jobs API 2.1, RunStatus. */
const runStatus = z.looseObject({
  state: maybe(openEnum(['BLOCKED', 'PENDING', 'QUEUED', 'RUNNING', 'TERMINATING', 'TERMINATED'], 'State of the run.')),
  termination_details: maybe(
    field(
      z.looseObject({ code: maybe(z.string()), type: maybe(z.string()), message: maybe(z.string()) }),
      'Why the run ended.',
    ),
  ),
});

/** A task of a run with several tasks. Not in Jobs API 2.0, which knows such runs but gives no fields; services of today send these. */
const runTask = z.looseObject({
  run_id: maybe(field(int64(), 'Identifier of the run of this task; its output is read by it.')),
  task_key: maybe(field(z.string(), 'Name of the task within its job.')),
  depends_on: maybe(
    field(
      z.array(z.looseObject({ task_key: maybe(z.string()), outcome: maybe(z.string()) })),
      'Tasks that must end before this one starts.',
    ),
  ),
  description: maybe(field(z.string(), 'Description of the task.')),
  run_if: maybe(
    field(z.string(), 'Which results of the tasks before it let this one start.', { default: 'ALL_SUCCESS' }),
  ),
  state: maybe(field(runState, 'Life-cycle and result state.')),
  status: maybe(field(runStatus, 'State and, when it has ended, why.')),
  run_page_url: maybe(field(z.string(), 'URL of the page of this task run.')),
  start_time: maybe(field(millis(), 'Start in epoch milliseconds.', { unit: 'ms' })),
  end_time: maybe(field(millis(), 'End in epoch milliseconds; 0 while the task is still going.', { unit: 'ms' })),
  execution_duration: maybe(field(millis(), 'Milliseconds the task executed.', { unit: 'ms' })),
  attempt_number: maybe(field(z.number(), 'Sequence number of this attempt; the initial attempt is 0.')),
});

/** Jobs API 2.1, RepairHistoryItem: the first attempt of a run, or one of its repairs. */
const repairHistoryItem = z.looseObject({
  id: maybe(field(int64(), 'Identifier of the repair; the original attempt has none.')),
  type: maybe(openEnum(['ORIGINAL', 'REPAIR'], 'Whether it is the original attempt or a repair.')),
  start_time: maybe(field(millis(), 'Start in epoch milliseconds.', { unit: 'ms' })),
  end_time: maybe(field(millis(), 'End in epoch milliseconds; 0 while it is still going.', { unit: 'ms' })),
  state: maybe(field(runState, 'Life-cycle and result state.')),
  task_run_ids: maybe(field(z.array(int64()), 'The runs of the tasks that ran in it.')),
});

/** Jobs API 2.1, RunParameter. */
const runParameter = z.looseObject({
  name: maybe(field(z.string(), 'Name of the job parameter.')),
  default: maybe(field(z.string(), 'Its default value in the job.')),
  value: maybe(field(z.string(), 'Its value in this run.')),
});

/** Jobs API 2.0, Run. */
export const run = z.looseObject({
  job_id: maybe(field(int64(), 'Job that contains the run.')),
  run_id: field(int64(), 'Identifier of the run; unique across all runs of all jobs.'),
  creator_user_name: maybe(field(z.string(), 'User name of the creator. Omitted if that user was deleted.')),
  number_in_job: maybe(field(int64(), 'Sequence number of the run among the runs of the job; starts at 1.')),
  original_attempt_run_id: maybe(
    field(int64(), 'For a retry, the run id of the original attempt; otherwise equal to run_id.'),
  ),
  state: maybe(field(runState, 'Life-cycle and result state.')),
  schedule: maybe(field(scheduleAsRead, 'The schedule that triggered the run, when triggered periodically.')),
  task: maybe(field(settingsAsRead as unknown as z.ZodType<Partial<JobTask>>, 'Task performed, if any.')),
  cluster_spec: maybe(
    field(
      anyObject() as unknown as z.ZodType<ClusterSpec>,
      "Snapshot of the job's cluster specification when the run was created.",
    ),
  ),
  cluster_instance: maybe(field(clusterInstance, 'Cluster used by the run.')),
  overriding_parameters: maybe(
    field(parametersAsRead as unknown as z.ZodType<RunParameters>, 'Parameters used for the run.'),
  ),
  start_time: maybe(field(millis(), 'Start in epoch milliseconds.', { unit: 'ms' })),
  end_time: maybe(field(millis(), 'End in epoch milliseconds; 0 while the run is still going.', { unit: 'ms' })),
  queue_duration: maybe(
    field(millis(), 'Milliseconds the run waited in the queue. Not in Jobs API 2.0; newer services send it.', {
      unit: 'ms',
    }),
  ),
  setup_duration: maybe(field(millis(), 'Milliseconds to set up the cluster; 0 for multi-task jobs.', { unit: 'ms' })),
  execution_duration: maybe(
    field(
      millis(),
      'Milliseconds the command ran until it completed, failed, timed out, was cancelled or met an unexpected error; 0 for multi-task jobs.',
      { unit: 'ms' },
    ),
  ),
  cleanup_duration: maybe(
    field(millis(), 'Milliseconds to terminate the cluster and clean up artifacts; 0 for multi-task jobs.', {
      unit: 'ms',
    }),
  ),
  run_duration: maybe(
    field(millis(), 'Milliseconds the job run and all its repairs took. Set only for multi-task job runs.', {
      unit: 'ms',
    }),
  ),
  trigger: maybe(openEnum(triggerTypes, 'What triggered the run.')),
  run_name: maybe(field(z.string(), 'Name of the run.', { default: 'Untitled' })),
  run_page_url: maybe(field(z.string(), 'URL of the run detail page.')),
  run_type: maybe(openEnum(runTypes, 'Type of the run.')),
  attempt_number: maybe(field(z.number(), 'Sequence number of this attempt; the initial attempt is 0.')),
  tasks: maybe(
    field(z.array(runTask), 'The tasks of a run with several tasks, each attempt with a run_id of its own.'),
  ),
  iterations: maybe(
    field(
      z.array(runTask),
      'For a run of a for-each task, the runs of its inputs, each attempt with a run_id of its own.',
    ),
  ),
  status: maybe(field(runStatus, 'State and, when it has ended, why. Version 2.2.')),
  job_run_id: maybe(field(int64(), 'For a run of a task, the run of its job. Version 2.1.')),
  job_parameters: maybe(field(z.array(runParameter), 'Parameters of the job and their values. Version 2.1.')),
  repair_history: maybe(field(z.array(repairHistoryItem), 'The original attempt and the repairs. Version 2.1.')),
  next_page_token: maybe(field(z.string(), 'Token of the next page of tasks. Version 2.2.')),
});

/** Jobs API 2.0, NotebookOutput. */
export const notebookOutput = z.looseObject({
  result: maybe(
    field(z.string(), 'Value given to the notebook exit function; first 1 MB only; absent if it was never called.'),
  ),
  truncated: maybe(field(z.boolean(), 'Whether the result was truncated.')),
});

const viewTypes = ['NOTEBOOK', 'DASHBOARD'] as const;
export const viewsToExport = ['CODE', 'DASHBOARDS', 'ALL'] as const;
export type ViewsToExport = (typeof viewsToExport)[number];

/** Jobs API 2.0, ViewItem. */
export const viewItem = z.looseObject({
  content: maybe(field(z.string(), 'Content of the view, HTML.')),
  name: maybe(field(z.string(), "Name of the view: the notebook's for the code view, the dashboard's for dashboards.")),
  type: maybe(openEnum(viewTypes, 'Type of the view.')),
});

export type RunState = z.output<typeof runState>;
export type Job = z.output<typeof job>;
export type Run = z.output<typeof run>;
export type RunTask = z.output<typeof runTask>;
export type ViewItem = z.output<typeof viewItem>;
