import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import { parameterKindOfTask, taskKindOf, type TaskKind } from '../../api/schema/jobs/taskKinds.ts';
import { isTime } from '../../shared/dateTimeFormat.ts';
import type { Fields } from '../../shared/fields.ts';
import { l10n } from '../../shared/l10n.ts';
import { describeCron } from '../../shared/quartz/quartzWords.ts';
import { shortened } from '../../shared/text.ts';
import { jobName } from '../jobNames.ts';
import { isOneTime } from '../runOrder.ts';
import { runStatus } from '../runState.ts';
import { daysUntilRemoval, formatTimeAndZone, removalDay } from '../timeTexts.ts';
import type { PageFact, PageLink, RunView } from './pageProtocol.ts';

type Parameters = NonNullable<RunView['parameters']>;

/**
 * Returns the facts about a run besides its result; what the service does not report is left out.
 * @param first the first attempt, if the run is a later one
 */
export function runFacts(
  run: Run,
  job: Job | undefined,
  nowMs: number,
  { isGone = false, first }: { isGone?: boolean | undefined; first?: Run | undefined } = {},
): PageFact[] {
  const { terminal } = runStatus(run);
  const end = run.end_time ?? 0;
  return [
    fact(
      l10n.t('Job'),
      run.job_id !== undefined && !isOneTime(run)
        ? [
            { label: job ? jobName(job) : run.job_id, jobId: run.job_id },
            { label: l10n.t('as job file'), action: 'jobFile' },
          ]
        : undefined,
    ),
    fact(l10n.t('Task'), plainLinks(taskInWords(run.task))),
    fact(l10n.t('Cluster'), plainLinks(clusterWords(run.cluster_spec, run))),
    fact(l10n.t('Libraries'), librariesOf(run.cluster_spec ?? job?.settings)),
    fact(l10n.t('Trigger'), plainLinks(triggerWords(run, first))),
    fact(l10n.t('Creator'), plainLinks(run.creator_user_name)),
    fact(l10n.t('Started'), plainLinks(run.start_time ? formatTimeAndZone(run.start_time, nowMs) : undefined)),
    fact(l10n.t('Ended'), plainLinks(end > 0 ? formatTimeAndZone(end, nowMs) : undefined)),
    { name: l10n.t('Run ID'), values: [{ label: run.run_id }], copies: run.run_id },
    fact(l10n.t('Kept'), plainLinks(terminal && !isGone && end > 0 && isTime(end) ? keptWords(end, nowMs) : undefined)),
  ].filter((each) => each !== undefined);
}

/** Returns `undefined` if there is nothing to show. */
export function fact(name: string, values: PageLink[] | undefined): PageFact | undefined {
  return values && values.length > 0 ? { name, values } : undefined;
}

export function plainLinks(text: string | undefined): PageLink[] | undefined {
  return text ? [{ label: text }] : undefined;
}

/** Maximum number of tasks that are named. */
const maxNamed = 10;

function tasksInWords(tasks: readonly Fields[]): string {
  const keys = tasks.slice(0, maxNamed).map(({ task_key: key }) => (typeof key === 'string' ? key : '?'));
  const more = tasks.length - keys.length;
  return [...keys, ...(more > 0 ? [l10n.t('and {0} more', more)] : [])].join(', ');
}

/** Returns `undefined` for a run that should already have been removed: nobody knows how much longer it stays. */
function keptWords(endMs: number, nowMs: number): string | undefined {
  const days = daysUntilRemoval(endMs, nowMs);
  if (days === 0) return undefined;
  const until = removalDay(endMs);
  return days === 1 ? l10n.t('1 more day, until {0}', until) : l10n.t('{0} more days, until {1}', days, until);
}

/** Describes a task and its file; a kind that this version does not know is shown by the server's name. */
export function taskInWords(settings: object | undefined): string | undefined {
  const fields = (settings ?? {}) as Fields;
  const kind = taskKindOf(fields as Partial<Record<TaskKind, unknown>>);
  const task = kind === undefined ? {} : ((fields[kind] ?? {}) as Fields);
  const named = (name: string): string => (typeof task[name] === 'string' ? task[name] : '');
  switch (kind) {
    case 'notebook_task':
      return l10n.t('Notebook {0}', named('notebook_path'));
    case 'spark_python_task':
      return l10n.t('Python file {0}', named('python_file'));
    case 'spark_jar_task':
      return l10n.t('JAR, class {0}', named('main_class_name'));
    case 'spark_submit_task':
      return 'spark-submit';
    case 'pipeline_task':
      return l10n.t('Pipeline {0}', named('pipeline_id'));
    case 'run_job_task':
      return l10n.t('Job {0}', String(task['job_id'] ?? ''));
    case undefined:
      if (Array.isArray(fields['tasks'])) return tasksInWords(fields['tasks'] as readonly Fields[]);
      return Object.keys(fields).find((name) => name.endsWith('_task'));
  }
}

/** Returns where a job or run executes. */
export function clusterWords(settings: object | undefined, run?: Run): string | undefined {
  const fields = (settings ?? {}) as Fields;
  const existing = fields['existing_cluster_id'];
  if (typeof existing === 'string') return l10n.t('{0}, existing', existing);
  const cluster = fields['new_cluster'] as Fields | null | undefined;
  if (cluster) {
    const workers = cluster['num_workers'];
    const parts = [cluster['spark_version'], cluster['node_type_id']].filter((part) => typeof part === 'string');
    if (typeof workers === 'number') parts.push(workers === 1 ? l10n.t('1 worker') : l10n.t('{0} workers', workers));
    return [l10n.t('new'), ...parts].join(', ');
  }
  return run?.cluster_instance?.cluster_id;
}

const librariesShown = 12;

/** Returns the libraries of a job or run, by installer. */
export function librariesOf(settings: object | undefined): PageLink[] | undefined {
  const all = ((settings ?? {}) as Fields)['libraries'];
  if (!Array.isArray(all)) return undefined;
  const names = all.map(libraryName).filter((name) => name !== '');
  const shown = names.slice(0, librariesShown).join(', ');
  const more = names.length - librariesShown;
  return plainLinks(more > 0 ? l10n.t('{0} and {1} more', shown, more) : shown);
}

function libraryName(library: unknown): string {
  if (typeof library !== 'object' || library === null) return '';
  const [kind, value] = Object.entries(library)[0] ?? [];
  if (typeof value === 'string') return value.split('/').at(-1) ?? value;
  const fields = (value ?? {}) as Fields;
  const name = fields['package'] ?? fields['coordinates'];
  return typeof name === 'string' ? name : (kind ?? '');
}

function triggerWords(run: Run, first: Run | undefined): string | undefined {
  switch (run.trigger) {
    case undefined:
      return undefined;
    case 'PERIODIC': {
      const words = scheduleWords(run.schedule);
      return words === undefined ? l10n.t('Schedule') : l10n.t('Schedule: {0}', words);
    }
    case 'ONE_TIME':
      return l10n.t('Manual or API');
    case 'RETRY':
      return first?.trigger === undefined || first.trigger === 'RETRY'
        ? l10n.t('Retry of an earlier attempt')
        : l10n.t('Retry. First attempt: {0}', triggerWords(first, undefined) ?? '');
    default:
      return run.trigger;
  }
}

/** Describes a schedule in words, or returns it as it came if it cannot be parsed. */
export function scheduleWords(schedule: Run['schedule']): string | undefined {
  if (!schedule?.quartz_cron_expression) return undefined;
  const [expression, zone] = [schedule.quartz_cron_expression, schedule.timezone_id ?? 'UTC'];
  try {
    return describeCron(expression, zone);
  } catch {
    return `${expression} (${zone})`;
  }
}

/** Returns the parameters that the run was started with, besides the job's current ones, which may have changed since. */
export function parametersShown(run: Run, job: Job | undefined): Parameters | undefined {
  if (run.job_parameters?.length) return jobParametersShown(run.job_parameters, job);
  const kind = taskKindOf(run.task);
  const parameterKind = kind && parameterKindOfTask[kind];
  if (!kind || !parameterKind) return undefined;
  const name = kind === 'notebook_task' ? 'base_parameters' : 'parameters';
  const valuesOf = kind === 'notebook_task' ? namedValues : listedValues;
  const own = valuesOf(((run.task?.[kind] ?? {}) as Fields)[name]);
  const inJob = job && valuesOf((((job.settings as Fields | undefined)?.[kind] ?? {}) as Fields)[name]);
  const overriding = run.overriding_parameters?.[parameterKind];
  const given = valuesOf(overriding);
  // Named parameters are added to those of the job; a list replaces the job's.
  const isList = Array.isArray(overriding);
  const sent = isList ? given : new Map([...own, ...given]);
  const rows = [...sent].map(([each, value]) => ({
    name: each,
    sent: value,
    inJob: inJob?.get(each) ?? '',
    isOverridden: given.has(each) && !(isList && own.get(each) === value),
  }));
  if (rows.length === 0) return undefined;
  const changed = rows.filter(({ isOverridden }) => isOverridden).length;
  const isShorter = isList && given.size < own.size;
  const note =
    changed > 0 || isShorter
      ? l10n.t('{0} of {1} set for this run', isShorter ? rows.length : changed, rows.length)
      : jobNote(sent, inJob);
  return { note, isList: kind !== 'notebook_task', isJobKnown: inJob !== undefined, rows };
}

/** Returns the parameters of a job with its value in the run. */
function jobParametersShown(given: NonNullable<Run['job_parameters']>, job: Job | undefined): Parameters {
  const inJob = job && new Map(job.settings?.parameters?.map(({ name, default: value }) => [name, value]));
  const rows = given.map(({ name = '', value, default: usual = '' }) => ({
    name,
    sent: value ?? usual,
    inJob: inJob?.get(name) ?? '',
    isOverridden: value !== undefined && value !== usual,
  }));
  const changed = rows.filter(({ isOverridden }) => isOverridden).length;
  const sent = new Map(rows.map((row) => [row.name, row.sent]));
  const note = changed > 0 ? l10n.t('{0} of {1} set for this run', changed, rows.length) : jobNote(sent, inJob);
  return { note, isList: false, isJobKnown: inJob !== undefined, rows };
}

/** Returns a note if the job would now send other values. */
function jobNote(sent: ReadonlyMap<string, string>, inJob: ReadonlyMap<string, string> | undefined): string {
  if (!inJob) return '';
  const isSame = inJob.size === sent.size && [...sent].every(([name, value]) => inJob.get(name) === value);
  return isSame ? l10n.t('as in the job') : l10n.t('the job has others now');
}

function namedValues(value: unknown): Map<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value as Fields) : [];
  return new Map(entries.map(([name, each]) => [name, written(each)]));
}

function listedValues(value: unknown): Map<string, string> {
  const all = Array.isArray(value) ? (value as unknown[]) : [];
  return new Map(all.map((each, index) => [String(index + 1), written(each)]));
}

/** Maximum length of the parameters of one run (Jobs API 2.0, run-now). */
const longest = 10_000;

function written(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return shortened(text, longest);
}
