import { substitute } from '../runners/taskParameters.ts';
import { joinMembers, rawMembers } from '../store/rawJson.ts';
import { isTerminal, type RunRecord } from '../store/runRecord.ts';
import type { Store } from '../store/store.ts';
import type { ActiveRun } from './activeRuns.ts';

/** Values that a run can refer to. */
export interface References {
  /** Values of `{{name}}`. */
  readonly values: Record<string, string>;
  /** Values that tasks of the same run have set, by task and key, as JSON text. */
  readonly taskValues: string;
  /** Parameters of the job with their values in this run. */
  readonly jobParameters: Record<string, string>;
}

/** Returns what a run can refer to (Jobs API 2.0, RunParameters: dynamic value references; 2.1 adds those of tasks and jobs). */
export function referencesOf(run: ActiveRun, store: Pick<Store, 'runs' | 'runParts'>): References {
  const { record, settings } = run;
  const whole = jobRunOf(record, store);
  const values = ownValues(record, whole, settings.name ?? record.runName);
  const taskValues = new Map<string, string>();
  // Without a prototype, a parameter can have any name.
  const jobParameters = Object.create(null) as Record<string, string>;
  // Only the runs of tasks have the rest.
  if (whole !== record) {
    // Of several attempts, the last counts.
    const ended = store.runs.taskStatesOf(whole.runId).filter(isTerminal);
    for (const [key = '', [task, ...before]] of Map.groupBy(ended.toReversed(), ({ taskKey }) => taskKey)) {
      if (!task) continue;
      values[`tasks.${key}.run_id`] = task.runId;
      values[`tasks.${key}.execution_count`] = String(before.length + 1);
      values[`tasks.${key}.result_state`] = (task.result ?? task.lifeCycle).toLowerCase();
      const set = store.runParts.outcome(task.runId)?.taskValues ?? '{}';
      taskValues.set(key, set);
      for (const [name, value] of rawMembers(set)) values[`tasks.${key}.values.${name}`] = asText(value);
    }
    addParameters(rawMembers(run.plan.parameters), values, jobParameters);
  }
  return { values, taskValues: joinMembers(taskValues), jobParameters };
}

/** Adds the parameters of the job, and the input of a for-each task. */
function addParameters(
  parameters: Map<string, string>,
  values: Record<string, string>,
  jobParameters: Record<string, string>,
): void {
  for (const [name, value] of rawMembers(parameters.get('job_parameters') ?? '{}')) {
    jobParameters[name] = substitute(asText(value), values);
    values[`job.parameters.${name}`] = jobParameters[name];
  }
  const input = parameters.get('input');
  if (input === undefined) return;
  values['input'] = asText(input);
  if (input.startsWith('{')) for (const [name, value] of rawMembers(input)) values[`input.${name}`] = asText(value);
}

/** Returns a JSON text's value if it is a text, otherwise the JSON as it is. */
function asText(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
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
  const key = record.taskKey ?? record.runName;
  const values: Record<string, string> = {
    run_id: record.runId,
    parent_run_id: record.parentRunId ?? record.runId,
    start_date: new Date(whole.createdAt).toISOString().slice(0, 10),
    start_time: String(whole.createdAt),
    task_retry_count: String(record.attemptNumber),
    task_key: key,
    'run.id': record.runId,
    'task.name': key,
    'task.run_id': record.runId,
    'task.execution_count': String(record.attemptNumber + 1),
    'job.run_id': whole.runId,
    ...partsOfTime('job.start_time', whole.createdAt),
    ...partsOfTime('job.trigger.time', whole.createdAt),
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

/** Returns the parts of a time that have names, in UTC. */
function partsOfTime(name: string, timeInMs: number): Record<string, string> {
  const time = new Date(timeInMs);
  const weekday = time.getUTCDay() || 7;
  const parts = {
    timestamp_ms: timeInMs,
    iso_date: time.toISOString().slice(0, 10),
    iso_datetime: time.toISOString(),
    iso_weekday: weekday,
    is_weekday: weekday < 6,
    year: time.getUTCFullYear(),
    month: time.getUTCMonth() + 1,
    day: time.getUTCDate(),
    hour: time.getUTCHours(),
    minute: time.getUTCMinutes(),
    second: time.getUTCSeconds(),
  };
  return Object.fromEntries(Object.entries(parts).map(([part, value]) => [`${name}.${part}`, String(value)]));
}
