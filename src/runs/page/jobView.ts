import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import { dateTimeFormat } from '../../shared/dateTimeFormat.ts';
import { l10n } from '../../shared/l10n.ts';
import { nextFireTimes } from '../../shared/quartz/quartz.ts';
import { formatDuration } from '../../shared/text.ts';
import { jobName } from '../jobNames.ts';
import { lastRunWords, runTitle, type RowClock } from '../rowWords.ts';
import type { LastRun } from '../runOrder.ts';
import { failedPhases, shownStatus, type RunStatus } from '../runState.ts';
import { formatTime } from '../timeTexts.ts';
import { jobFacts } from './jobFacts.ts';
import { jobFileView, type FileOfJob } from './jobFileView.ts';
import type { PageProfile } from './pagePorts.ts';
import { noState, type JobView, type PageAction, type PageLink, type PageNotice } from './pageProtocol.ts';
import { runStrip } from './runStrip.ts';
import { headActions, stateOf } from './runView.ts';

/** Everything known about a job when its page is drawn. */
export interface JobKnowledge {
  readonly job: Job;
  readonly lastRun: LastRun;
  /** Whether any of its runs is active, not only the last one. */
  readonly isActive: boolean;
  /** Newest first; `undefined` while they are being requested. */
  readonly runs?: { readonly runs: readonly Run[]; readonly hasMore: boolean };
  readonly profile: PageProfile;
  /** When the service last reported this, in epoch milliseconds, if it is not current. */
  readonly lastSeenMs?: number;
  /** Where the task's file is in the workspace. */
  readonly taskPlace?: PageLink['place'];
  /** Job files of this workspace that were deployed to this job. */
  readonly files: readonly FileOfJob[];
  readonly notice?: PageNotice;
  readonly nowMs: number;
}

const nextShown = 5;

/** Builds the page of a job. */
export function jobView(known: JobKnowledge): JobView {
  const { job, lastRun, profile, nowMs, runs } = known;
  const isCurrent = known.lastSeenMs === undefined;
  const clock: RowClock = { nowMs, seenMs: known.lastSeenMs ?? nowMs, isCurrent };
  const status = lastRun.kind === 'run' ? shownStatus(lastRun.run, isCurrent) : undefined;
  const hasNoRuns = runs?.runs.length === 0 && !runs.hasMore;
  return {
    kind: 'job',
    state: status ? stateOf(status) : noState,
    title: jobName(job),
    subtitle: subtitleOf(known, status, clock),
    ...(profile.isProduction ? { production: profile.name } : {}),
    ...headActions(actionsOf(known, status)),
    ...(known.notice ? { notice: known.notice } : {}),
    ...(runs && !hasNoRuns ? { strip: runStrip(runs.runs, runs.hasMore, clock) } : {}),
    ...(hasNoRuns
      ? { noRuns: l10n.t('This job has no runs. The service deletes runs 60 days after their end.') }
      : !runs && isCurrent && !known.notice
        ? { noRuns: l10n.t('Reading the last runs…') }
        : {}),
    ...nextOf(known),
    facts: jobFacts(job, known.taskPlace, nowMs),
    ...filesOf(known),
  };
}

function subtitleOf(
  { job, lastRun, profile, lastSeenMs, nowMs }: JobKnowledge,
  status: RunStatus | undefined,
  clock: RowClock,
): string {
  const last =
    lastRun.kind === 'run' && status
      ? l10n.t('Last run {0}: {1}', runTitle(lastRun.run), lastRunWords(lastRun, status, clock))
      : lastRun.kind === 'none'
        ? l10n.t('No runs yet')
        : l10n.t('Last run not loaded yet');
  return [
    last,
    nextWords(job.settings?.schedule, nowMs),
    lastSeenMs === undefined ? undefined : l10n.t('last seen {0}', formatTime(lastSeenMs, nowMs)),
    profile.name,
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

/** Returns the time until the next run. Times of day are shown below, in the schedule's own zone. */
function nextWords(schedule: Schedule | undefined, nowMs: number): string | undefined {
  if (!schedule) return l10n.t('no schedule');
  if (schedule.pause_status === 'PAUSED') return l10n.t('schedule paused');
  const [next] = fireTimes(schedule, nowMs, 1);
  return next === undefined ? l10n.t('scheduled') : l10n.t('next run in {0}', formatDuration(next - nowMs));
}

function actionsOf(
  { job, lastRun, isActive, profile, lastSeenMs }: JobKnowledge,
  status: RunStatus | undefined,
): (PageAction | false | undefined)[] {
  const failed = status !== undefined && failedPhases.has(status.phase);
  const schedule = job.settings?.schedule;
  const isPaused = schedule?.pause_status === 'PAUSED';
  // Actions are unavailable while the service is unreachable.
  const isReachable = lastSeenMs === undefined;
  const mayChange = isReachable && !profile.isReadOnly;
  return [
    isReachable &&
      failed && { id: 'explain', label: l10n.t('Explain Failure'), icon: 'comment-discussion', primary: true },
    mayChange && {
      id: 'runNow',
      label: l10n.t('Run Now'),
      icon: 'play',
      ...(lastRun.kind === 'none' ? { primary: true } : {}),
    },
    mayChange && { id: 'runNowWithParameters', label: l10n.t('Run with Parameters…') },
    mayChange && schedule && !isPaused && { id: 'pause', label: l10n.t('Pause Schedule') },
    mayChange && schedule && isPaused && { id: 'resume', label: l10n.t('Resume Schedule'), primary: !failed },
    mayChange && isActive && { id: 'cancelAll', label: l10n.t('Cancel All Runs'), icon: 'debug-stop' },
    mayChange && profile.isLocal && { id: 'debug', label: l10n.t('Debug'), icon: 'debug-alt' },
    mayChange && { id: 'curl', label: l10n.t('Copy as curl') },
  ];
}

type Schedule = NonNullable<NonNullable<Job['settings']>['schedule']>;

/** Returns the next fire times, or none if the schedule never fires or cannot be read. */
function fireTimes(
  { quartz_cron_expression: expression, timezone_id: zone }: Schedule,
  nowMs: number,
  count: number,
): number[] {
  try {
    return nextFireTimes(expression, zone, nowMs, count);
  } catch {
    return [];
  }
}

/** Returns the next scheduled start of the job, in the schedule's own time zone. */
function nextOf({ job, profile, nowMs }: JobKnowledge): Pick<JobView, 'next'> {
  const schedule = job.settings?.schedule;
  if (!schedule) return {};
  const times = fireTimes(schedule, nowMs, nextShown);
  const { format, zone } = formatIn(schedule.timezone_id, nowMs);
  const isPaused = schedule.pause_status === 'PAUSED';
  const note = profile.isLocal ? l10n.t('{0}; while the local service runs', zone) : zone;
  const [first] = times;
  if (first === undefined)
    return { next: { note: '', rows: [], none: l10n.t('The schedule never fires again, or cannot be read here.') } };
  if (isPaused)
    return {
      next: {
        note,
        rows: [],
        none: l10n.t('None while the schedule is paused. The next run would be {0}.', format(first)),
      },
    };
  return {
    next: {
      note,
      rows: times.map((atMs) => ({ at: format(atMs), ahead: l10n.t('in {0}', formatDuration(atMs - nowMs)) })),
    },
  };
}

/** Formats a time in the zone, with the day if it is not today; in the local zone if the editor does not know the schedule's. */
function formatIn(timeZone: string, nowMs: number): { format: (epochMs: number) => string; zone: string } {
  const time: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };
  const day: Intl.DateTimeFormatOptions = { weekday: 'long', day: 'numeric', month: 'short' };
  const formatOf = (zone: Intl.DateTimeFormatOptions) => {
    const as = (form: Intl.DateTimeFormatOptions, atMs: number): string =>
      dateTimeFormat(undefined, { ...form, ...zone }).format(atMs);
    const today = as(day, nowMs);
    return (atMs: number) => as(as(day, atMs) === today ? time : { ...day, ...time }, atMs);
  };
  try {
    return { format: formatOf({ timeZone }), zone: timeZone };
  } catch {
    return { format: formatOf({}), zone: l10n.t('in your own time zone') };
  }
}

function filesOf({ files, profile, lastSeenMs }: JobKnowledge): Pick<JobView, 'files' | 'noFile'> {
  const isCurrent = lastSeenMs === undefined;
  if (files.length > 0) return { files: files.map((file, index) => jobFileView(file, index, profile, isCurrent)) };
  return {
    noFile: {
      words: l10n.t('No job file in this workspace was deployed to this job.'),
      actions: isCurrent ? [{ id: 'openAsFile', label: l10n.t('Open as Job File'), icon: 'file' }] : [],
    },
  };
}
