import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import { taskKindOf } from '../../api/schema/jobs/taskKinds.ts';
import { l10n } from '../../shared/l10n.ts';
import { jobName } from '../jobNames.ts';
import { triggerWords } from '../rowWords.ts';
import type { LastRun } from '../runOrder.ts';
import { stoppingPhases, wordlessStatus } from '../runState.ts';
import { taskWords } from './rowDetails.ts';

/** States that a filter tells apart; `none` is a job without runs. */
export const stateGroups = [
  'running',
  'waiting',
  'stopping',
  'failed',
  'timedOut',
  'internalError',
  'succeeded',
  'succeededWithFailures',
  'cancelled',
  'skipped',
  'unclear',
  'none',
] as const;
export type StateGroup = (typeof stateGroups)[number];

/** `state` puts failed jobs first, then active ones. */
export const jobOrders = ['state', 'name', 'lastRun', 'nextRun'] as const;
export type JobOrder = (typeof jobOrders)[number];

/** What the jobs view shows, and in which order. Empty lists and texts match everything. */
export interface Arrangement {
  /** `jobs` shows the runs below their jobs; `time` shows the runs of all jobs, newest first. */
  readonly by: 'jobs' | 'time';
  readonly sort: JobOrder;
  readonly activeFirst: boolean;
  readonly text: string;
  readonly states: readonly StateGroup[];
  /** As in runs: `PERIODIC`, `ONE_TIME`, `RETRY` (Jobs API 2.0, TriggerType). */
  readonly triggers: readonly string[];
  /** Kinds of tasks, such as `notebook_task`. */
  readonly types: readonly string[];
  /** Only jobs that ran within so many hours. */
  readonly withinHours: number | undefined;
}

export const plainArrangement: Arrangement = {
  by: 'jobs',
  sort: 'state',
  activeFirst: false,
  text: '',
  states: [],
  triggers: [],
  types: [],
  withinHours: undefined,
};

/** Matches everything. */
export const noFilter: Pick<Arrangement, 'text' | 'states' | 'triggers' | 'types' | 'withinHours'> = {
  text: '',
  states: [],
  triggers: [],
  types: [],
  withinHours: undefined,
};

/** Reads a stored arrangement, of this or another version: what cannot be read has its default. */
export function readArrangement(kept: unknown, defaultSort = plainArrangement.sort): Arrangement {
  if (typeof kept !== 'object' || kept === null) return { ...plainArrangement, sort: defaultSort };
  const { by, sort, activeFirst, text, states, triggers, types, withinHours } = kept as Record<string, unknown>;
  const texts = (value: unknown): string[] =>
    Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  return {
    by: by === 'time' ? 'time' : 'jobs',
    sort: jobOrders.find((order) => order === sort) ?? defaultSort,
    activeFirst: typeof activeFirst === 'boolean' ? activeFirst : plainArrangement.activeFirst,
    text: typeof text === 'string' ? text : '',
    states: stateGroups.filter((group) => texts(states).includes(group)),
    triggers: texts(triggers),
    types: texts(types),
    withinHours: typeof withinHours === 'number' && withinHours > 0 ? withinHours : undefined,
  };
}

export function isFiltered(arrangement: Arrangement): boolean {
  return arrangement.text !== '' || needsLastRun(arrangement) || arrangement.types.length > 0;
}

/** Returns whether the filter depends on last runs. */
export function needsLastRun({ states, triggers, withinHours }: Arrangement): boolean {
  return states.length > 0 || triggers.length > 0 || withinHours !== undefined;
}

/** Describes the filter in words, or returns `undefined` if everything matches. */
export function filterWords(arrangement: Arrangement): string | undefined {
  const { text, states, triggers, types, withinHours } = arrangement;
  const kinds: Readonly<Record<string, { label: string } | undefined>> = taskWords();
  const parts = [
    ...(text === '' ? [] : [l10n.t('"{0}"', text)]),
    ...[
      states.map(stateGroupWords),
      triggers.map((value) => triggerWords(value) ?? ''),
      types.map((kind) => kinds[kind]?.label ?? kind),
    ]
      .filter((words) => words.length > 0)
      .map((words) => words.join(', ')),
    ...(withinHours === undefined ? [] : [hoursWords(withinHours)]),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}

export function stateGroupWords(group: StateGroup): string {
  switch (group) {
    case 'running':
      return l10n.t('running');
    case 'waiting':
      return l10n.t('queued or pending');
    case 'stopping':
      return l10n.t('stopping');
    case 'failed':
      return l10n.t('failed');
    case 'timedOut':
      return l10n.t('timed out');
    case 'internalError':
      return l10n.t('internal error');
    case 'succeeded':
      return l10n.t('succeeded');
    case 'succeededWithFailures':
      return l10n.t('succeeded with failures');
    case 'cancelled':
      return l10n.t('canceled');
    case 'skipped':
      return l10n.t('skipped');
    case 'unclear':
      return l10n.t('state unknown');
    case 'none':
      return l10n.t('no runs yet');
  }
}

export function hoursWords(hours: number): string {
  if (hours === 1) return l10n.t('last hour');
  return hours % 24 === 0 && hours > 24 ? l10n.t('last {0} days', hours / 24) : l10n.t('last {0} hours', hours);
}

function groupOf(run: Run): StateGroup {
  const { phase } = wordlessStatus(run);
  if (stoppingPhases.has(phase)) return 'stopping';
  switch (phase) {
    case 'unknown':
      return 'unclear';
    case 'queued':
    case 'blocked':
    case 'waitingForRetry':
    case 'pending':
      return 'waiting';
    case 'finishing':
      return 'running';
    case 'upstreamFailed':
      return 'failed';
    case 'upstreamCanceled':
    case 'excluded':
    case 'disabled':
      return 'skipped';
    default:
      return stateGroups.find((group) => group === phase) ?? 'unclear';
  }
}

/** Returns whether any of the texts contains the typed words. */
function hasText(text: string, ...texts: (string | undefined)[]): boolean {
  if (text === '') return true;
  const all = texts.join('\n').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s/)
    .every((word) => all.includes(word));
}

/** Returns whether the job matches by its name, ID, creator and kind of task. */
export function fitsJob({ text, types }: Arrangement, job: Job): boolean {
  return (
    hasText(text, jobName(job), job.job_id, job.creator_user_name) &&
    (types.length === 0 || types.includes(taskKindOf(job.settings) ?? ''))
  );
}

/** Returns whether the job's last run matches. A job whose last run is unknown matches no such filter. */
export function fitsLastRun(arrangement: Arrangement, last: LastRun, nowMs: number): boolean {
  if (last.kind === 'run') return fitsState(arrangement, last.run, nowMs, last.isSkippedSince);
  if (last.kind === 'unknown') return !needsLastRun(arrangement);
  const { states, triggers, withinHours } = arrangement;
  return triggers.length === 0 && withinHours === undefined && (states.length === 0 || states.includes('none'));
}

/** Returns whether a run matches. @param job the run's job, if it is known */
export function fitsRun(arrangement: Arrangement, run: Run, job: Job | undefined, nowMs: number): boolean {
  const { text, types } = arrangement;
  const name = job ? jobName(job) : undefined;
  return (
    hasText(text, name, run.run_name, run.run_id, run.job_id, run.creator_user_name, run.state?.state_message) &&
    (types.length === 0 || types.includes(taskKindOf(run.task) ?? taskKindOf(job?.settings) ?? '')) &&
    fitsState(arrangement, run, nowMs)
  );
}

function fitsState(
  { states, triggers, withinHours }: Arrangement,
  run: Run,
  nowMs: number,
  isSkippedSince = false,
): boolean {
  const isInStates = states.includes(groupOf(run)) || (isSkippedSince && states.includes('skipped'));
  if (states.length > 0 && !isInStates) return false;
  if (triggers.length > 0 && !triggers.includes(run.trigger ?? '')) return false;
  if (withinHours === undefined || wordlessStatus(run).active) return true;
  return (run.end_time || run.start_time || 0) >= nowMs - withinHours * 3_600_000;
}
