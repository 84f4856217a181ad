import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import { type TaskKind, taskKindOf } from '../../api/schema/jobs/taskKinds.ts';
import { isTime } from '../../shared/dateTimeFormat.ts';
import { l10n } from '../../shared/l10n.ts';
import { formatDuration } from '../../shared/text.ts';
import { type RowClock, triggerWords } from '../rowWords.ts';
import { runDurationInMs, type RunStatus, shownStatus, stateMessage } from '../runState.ts';
import { tasksOf } from '../runTasks.ts';
import type { ScheduleTimes } from '../scheduleTimes.ts';
import { daysUntilRemoval, formatTime } from '../timeTexts.ts';

/** Lines of a tooltip, each a name and a value. */
export type TreeDetails = readonly (readonly [name: string, value: string])[];

/** @param lastRun the last run in words */
export function jobDetails(
  job: Job,
  lastRun: string,
  { nowMs, times, changedMs }: { nowMs: number; times: ScheduleTimes | undefined; changedMs?: number },
): TreeDetails {
  const schedule = job.settings?.schedule;
  const isPaused = schedule?.pause_status === 'PAUSED';
  const next = schedule && !isPaused ? times?.next(schedule) : undefined;
  return rowsOf([
    [l10n.t('Job'), job.job_id],
    [l10n.t('Task'), jobTaskWords(job)],
    [l10n.t('Last run'), lastRun],
    [l10n.t('Schedule'), schedule && (times?.words(schedule) ?? schedule.quartz_cron_expression)],
    [
      l10n.t('Next run'),
      isPaused ? l10n.t('none: the schedule is paused') : next === undefined ? undefined : formatTime(next, nowMs),
    ],
    [
      l10n.t('Changed elsewhere'),
      changedMs === undefined
        ? undefined
        : l10n.t('since the last deploy of its file from here; seen {0}', formatTime(changedMs, nowMs)),
    ],
    [l10n.t('Creator'), job.creator_user_name],
    [l10n.t('Created'), job.created_time ? formatTime(job.created_time, nowMs) : undefined],
  ]);
}

export function runDetails(run: Run, status: RunStatus, nowMs: number): TreeDetails {
  const isWaiting = status.phase === 'queued' || status.phase === 'pending';
  return rowsOf([
    [l10n.t('Run'), run.run_id],
    [l10n.t('State'), status.label],
    [l10n.t('Message'), stateMessage(run)],
    [l10n.t('Attempt'), run.attempt_number ? String(run.attempt_number + 1) : undefined],
    [l10n.t('Started by'), triggerWords(run.trigger)],
    [l10n.t('Started'), run.start_time ? formatTime(run.start_time, nowMs, '2-digit') : undefined],
    [l10n.t('Ended'), run.end_time ? formatTime(run.end_time, nowMs, '2-digit') : undefined],
    [l10n.t('Queue'), duration(run.queue_duration)],
    [l10n.t('Set-up'), duration(run.setup_duration)],
    [l10n.t('Execution'), duration(isWaiting ? undefined : runDurationInMs(run, nowMs))],
    [l10n.t('Clean-up'), duration(run.cleanup_duration)],
    [l10n.t('Cluster'), run.cluster_instance?.cluster_id],
    [l10n.t('Creator'), run.creator_user_name],
    [
      l10n.t('Kept for'),
      status.terminal && run.end_time && isTime(run.end_time)
        ? daysWords(daysUntilRemoval(run.end_time, nowMs))
        : undefined,
    ],
  ]);
}

/** Returns the rows that have a value. */
export function rowsOf(rows: readonly (readonly [string, string | undefined])[]): TreeDetails {
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '');
}

/** Returns `undefined` for a run that should already have been removed: nobody knows how much longer it stays. */
function daysWords(days: number): string | undefined {
  if (days === 0) return undefined;
  return days === 1 ? l10n.t('1 more day') : l10n.t('{0} more days', days);
}

function duration(durationInMs: number | undefined): string | undefined {
  return durationInMs ? formatDuration(durationInMs) : undefined;
}

/** Describes the task of a job, or its tasks. Lists leave several tasks out. */
export function jobTaskWords({ settings }: Job): string {
  const kind = taskKindOf(settings);
  if (kind) return taskWords()[kind].label;
  const count = settings?.tasks?.length ?? 0;
  if (count > 1) return l10n.t('{0} tasks', count);
  return count === 1
    ? l10n.t('1 task')
    : settings?.['format'] === 'MULTI_TASK'
      ? l10n.t('several tasks')
      : l10n.t('other task');
}

/** Returns the label of each kind of task. */
export const taskWords = (): Readonly<Record<TaskKind, { readonly label: string }>> => ({
  notebook_task: { label: l10n.t('notebook') },
  spark_jar_task: { label: l10n.t('Spark JAR') },
  spark_python_task: { label: l10n.t('Python file') },
  spark_submit_task: { label: l10n.t('spark-submit') },
  pipeline_task: { label: l10n.t('pipeline') },
  run_job_task: { label: l10n.t('run job') },
});

/** Returns the tooltip of the row of a task. */
export function taskDetails(run: Run, taskKey: string, { nowMs, isCurrent }: RowClock): TreeDetails {
  const task = tasksOf(run).find(({ task_key: key }) => key === taskKey);
  return task ? runDetails(task, shownStatus(task, isCurrent), nowMs) : [];
}
