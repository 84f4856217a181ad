import { type Fields, fieldsOf } from '../../shared/fields.ts';
import { parseJson, stringifyJson } from '../../shared/json.ts';
import { substitute } from '../runners/taskParameters.ts';
import { isTerminal, type RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun } from './activeRun.ts';

/** Values that a run can refer to. */
export interface References {
  /** Values of `{{name}}`. */
  readonly values: Record<string, string>;
  /** Values that tasks of the same run have set, by task and key. */
  readonly taskValues: Record<string, Record<string, unknown>>;
  /** Parameters of the job with their values in this run. */
  readonly jobParameters: Record<string, string>;
}

/** Returns what a run can refer to (Jobs API 2.0, RunParameters: dynamic value references; 2.1 adds those of tasks and jobs). */
export function referencesOf(run: ActiveRun, store: Pick<Store, 'runs' | 'runParts'>): References {
  const { record, settings } = run;
  const whole = jobRunOf(record, store);
  const values = ownValues(record, whole, settings.name ?? record.runName);
  const taskValues: Record<string, Record<string, unknown>> = {};
  const jobParameters: Record<string, string> = {};
  // Only the runs of tasks have the rest.
  if (whole !== record) {
    for (const task of store.runs.tasksOf(whole.runId)) {
      if (!isTerminal(task)) continue;
      const key = task.taskKey ?? '';
      values[`tasks.${key}.run_id`] = task.runId;
      values[`tasks.${key}.result_state`] = (task.result ?? task.lifeCycle).toLowerCase();
      taskValues[key] = store.runParts.outcome(task.runId)?.taskValues ?? {};
      for (const [name, value] of Object.entries(taskValues[key]))
        values[`tasks.${key}.values.${name}`] = asText(value);
    }
    addParameters(fieldsOf(parseJson(run.plan.parameters)) ?? {}, values, jobParameters);
  }
  return { values, taskValues, jobParameters };
}

/** Adds the parameters of the job, and the input of a for-each task. */
function addParameters(
  parameters: Fields,
  values: Record<string, string>,
  jobParameters: Record<string, string>,
): void {
  for (const [name, value] of Object.entries(fieldsOf(parameters['job_parameters']) ?? {})) {
    jobParameters[name] = substitute(asText(value), values);
    values[`job.parameters.${name}`] = jobParameters[name];
  }
  if ('input' in parameters) {
    values['input'] = asText(parameters['input']);
    for (const [name, value] of Object.entries(fieldsOf(parameters['input']) ?? {}))
      values[`input.${name}`] = asText(value);
  }
}

/** A text as it is, anything else as JSON. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** Returns the run whose graph the run is in, or the run itself. A for-each task's inputs are in the graph of that task. */
function jobRunOf(record: RunRecord, store: Pick<Store, 'runs'>): RunRecord {
  let found = record;
  while (found.taskKey !== undefined && found.parentRunId !== undefined) {
    const parent = store.runs.get(found.parentRunId);
    if (!parent) break;
    found = parent;
  }
  return found;
}

function ownValues(record: RunRecord, whole: RunRecord, jobName: string): Record<string, string> {
  const start = new Date(whole.createdAt).toISOString();
  const key = record.taskKey ?? record.runName;
  const values: Record<string, string> = {
    run_id: record.runId,
    parent_run_id: record.parentRunId ?? record.runId,
    start_date: start.slice(0, 10),
    start_time: String(whole.createdAt),
    task_retry_count: String(record.attemptNumber),
    task_key: key,
    'run.id': record.runId,
    'task.name': key,
    'task.run_id': record.runId,
    'task.execution_count': String(record.attemptNumber + 1),
    'job.run_id': whole.runId,
    'job.start_time.iso_date': start.slice(0, 10),
    'job.start_time.iso_datetime': start,
    'job.start_time.timestamp_ms': String(whole.createdAt),
    'job.trigger.type': whole.trigger.toLowerCase(),
    'job.name': record === whole ? jobName : whole.runName,
  };
  const jobId = record.jobId ?? record.oneTimeJobId;
  if (jobId !== undefined) {
    values['job_id'] = jobId;
    values['job.id'] = jobId;
  }
  return values;
}
