import type { Job, Run } from '../api/schema/jobs/schemas.ts';
import { isolated } from '../shared/fields.ts';
import { l10n } from '../shared/l10n.ts';
import { formatDuration } from '../shared/text.ts';
import { jobName } from './jobNames.ts';
import { isOneTime, type KnownLastRun } from './runOrder.ts';
import { runDurationInMs, type RunStatus } from './runState.ts';
import type { ScheduleTimes } from './scheduleTimes.ts';
import { formatNext, formatShortAge, formatTime, formatTinyAge, formatTinyDuration } from './timeTexts.ts';

/** What the words of a row depend on besides the run. */
export interface RowClock {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** End of the counted time of active runs: now, or when they were last seen. */
  readonly seenMs: number;
  /** Whether the state is current. Outdated rows show times, which stay true, instead of ages. */
  readonly isCurrent: boolean;
}

/** Returns a run's title below its job; a one-time run has its own name. */
export function runTitle(run: Run): string {
  if (isOneTime(run)) return run.run_name && run.run_name.trim() !== '' ? run.run_name : l10n.t('Untitled');
  return run.number_in_job === undefined ? l10n.t('Run {0}', run.run_id) : `#${run.number_in_job}`;
}

/** Returns a run's title elsewhere: its job's name and its number. */
export function runLabel(run: Run, job: Job | undefined): string {
  return job && !isOneTime(run) ? `${isolated(jobName(job))} ${runTitle(run)}` : isolated(runTitle(run));
}

/** Describes a run in a few words, most important first, because a narrow view cuts the rest: "Failed 2 min ago · attempt 2 · 14 s". */
export function runWords(run: Run, status: RunStatus, clock: RowClock): string {
  const duration = runDurationInMs(run, clock.seenMs);
  return [
    stateWords(run, status, clock),
    run.attempt_number ? l10n.t('attempt {0}', run.attempt_number + 1) : undefined,
    duration ? formatDuration(duration) : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** Returns a run's state and age in as few letters as possible: "Failed 6m", "Running 12s". */
export function leadWords(run: Run, status: RunStatus, { nowMs, seenMs, isCurrent }: RowClock): string {
  if (!status.terminal) {
    const duration = runDurationInMs(run, seenMs);
    return duration === undefined ? status.label : `${status.label} ${formatTinyDuration(duration)}`;
  }
  const atMs = run.end_time || run.start_time;
  if (!atMs) return status.label;
  return `${status.label} ${isCurrent ? formatTinyAge(atMs, nowMs) : formatTime(atMs, nowMs)}`;
}

/** Returns what a row shows of a run after its state: "attempt 2 · 14 s". */
export function moreWords(run: Run, status: RunStatus, { seenMs }: RowClock): string | undefined {
  const duration = status.terminal ? runDurationInMs(run, seenMs) : undefined;
  const words = [
    run.attempt_number ? l10n.t('attempt {0}', run.attempt_number + 1) : undefined,
    duration ? formatDuration(duration) : undefined,
  ].filter((part) => part !== undefined);
  return words.length === 0 ? undefined : words.join(' · ');
}

/** Describes a job's last run: "Failed 2 min ago · 14 s · newer run skipped". */
export function lastRunWords({ run, isSkippedSince }: KnownLastRun, status: RunStatus, clock: RowClock): string {
  const words = runWords(run, status, clock);
  return isSkippedSince ? `${words} · ${skippedSinceWords()}` : words;
}

/** Returns the note for a job whose newest run was skipped. */
export function skippedSinceWords(): string {
  return l10n.t('newer run skipped');
}

function stateWords(run: Run, status: RunStatus, { nowMs, isCurrent }: RowClock): string {
  if (!status.terminal) return status.label;
  const atMs = run.end_time || run.start_time;
  if (!atMs) return status.label;
  return `${status.label} ${isCurrent ? formatShortAge(atMs, nowMs) : formatTime(atMs, nowMs)}`;
}

/** Describes a job's schedule for its row: the next run, or that it is paused. */
export function nextRunWords(job: Job, times: ScheduleTimes | undefined, nowMs: number): string | undefined {
  const schedule = job.settings?.schedule;
  if (!schedule) return undefined;
  if (schedule.pause_status === 'PAUSED') return l10n.t('schedule paused');
  const next = times?.next(schedule);
  return next === undefined ? l10n.t('scheduled') : l10n.t('next {0}', formatNext(next, nowMs));
}

/** Describes what started a run; an unknown value is shown as it came (Jobs API 2.0, TriggerType). */
export function triggerWords(trigger: string | undefined): string | undefined {
  switch (trigger) {
    case 'PERIODIC':
      return l10n.t('schedule');
    case 'ONE_TIME':
      return l10n.t('manual or API');
    case 'RETRY':
      return l10n.t('retry of a failed attempt');
    default:
      return trigger;
  }
}
