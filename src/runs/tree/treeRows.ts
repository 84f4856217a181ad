import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import { taskKindOf } from '../../api/schema/jobs/taskKinds.ts';
import { describeError, toAppError } from '../../shared/errors.ts';
import { l10n } from '../../shared/l10n.ts';
import { jobName } from '../jobNames.ts';
import {
  lastRunWords,
  leadWords,
  moreWords,
  nextRunWords,
  runLabel,
  runTitle,
  runWords,
  skippedSinceWords,
  type RowClock,
} from '../rowWords.ts';
import { isOneTime, type LastRun } from '../runOrder.ts';
import {
  debuggedStatus,
  failedAtWork,
  failedPhases,
  runColors,
  shownStatus,
  stoppingPhases,
  type DebugPhase,
  type RunStatus,
} from '../runState.ts';
import { mayBeRepairable, mayHaveTasks } from '../runTasks.ts';
import type { ScheduleTimes } from '../scheduleTimes.ts';
import type { StoredList } from '../store/runLists.ts';
import type { RunStore } from '../store/runStore.ts';
import { formatShortAge, formatTime } from '../timeTexts.ts';
import type { JobCounts } from './arrangedJobs.ts';
import { plainArrangement, type Arrangement } from './arrangement.ts';
import { jobDetails, jobTaskWords, rowsOf, runDetails, taskDetails, type TreeDetails } from './rowDetails.ts';

/** A node of the jobs tree, without the editor's types. `id` is stable and unique, built from profile, job and run. */
export interface TreeNode {
  readonly id: string;
  readonly kind: 'job' | 'run' | 'task' | 'group' | 'range' | 'more' | 'message';
  /** State and age, shown before the label: a narrow view cuts the end of the row, which is the name then. */
  readonly lead?: string;
  readonly label: string;
  readonly description?: string;
  readonly icon?: { readonly id: string; readonly color?: string };
  /** Words for `when` clauses, separated by spaces, such as `run active notebook`. */
  readonly context: string;
  /** A text that changes whenever the details of the row change; see `details`. */
  readonly detailsKey?: string;
  readonly accessibleLabel: string;
  readonly expandable: boolean;
  /** Profile of the job or run: IDs of another profile mean other jobs and runs. */
  readonly profileId: string;
  readonly jobId?: string;
  readonly runId?: string;
  /** Key of a task of the run. Commands on its row apply to the run, at this task. */
  readonly taskKey?: string;
  /** Index of the range's first job among all jobs. */
  readonly start?: number;
}

export interface TreeRowsOptions {
  readonly profileId: string;
  readonly store: RunStore;
  now(): number;
  /** If left out, or while it returns `undefined`, rows show only that there is a schedule. */
  scheduleTimes?(): ScheduleTimes | undefined;
  /** Default: all jobs, by name. */
  arrangement?(): Arrangement;
  /** IDs of favorite jobs, which come first. */
  pinned?(): ReadonlySet<string>;
  /** Returns whether the run is paused or running in the debugger, or `undefined` if it is not debugged in this window. */
  debugPhase?(runId: string): DebugPhase | undefined;
  /** Returns when a change by somebody else to a job with a local file was first seen, or `undefined` if there is none. */
  changedElsewhere?(jobId: string): number | undefined;
}

const noPins: ReadonlySet<string> = new Set();

/** Rows of the jobs tree: their text and icon. */
export class TreeRows {
  readonly #options: TreeRowsOptions;

  constructor(options: TreeRowsOptions) {
    this.#options = options;
  }

  get arrangement(): Arrangement {
    return this.#options.arrangement?.() ?? plainArrangement;
  }

  get pinned(): ReadonlySet<string> {
    return this.#options.pinned?.() ?? noPins;
  }

  /** Returns the row's current tooltip. It is built only when somebody points at the row. */
  details(node: TreeNode): TreeDetails {
    const { store } = this.#options;
    const run = node.runId === undefined ? undefined : store.run(node.runId);
    if (run && node.taskKey !== undefined) return taskDetails(run, node.taskKey, this.clock);
    if (run) return runDetails(run, this.#status(run), this.#options.now());
    const job = node.kind === 'job' && node.jobId !== undefined ? store.job(node.jobId) : undefined;
    if (job) return this.#jobDetails(job);
    if (node.kind !== 'message') return [];
    const { freshness } = store;
    const updatedMs = node.context === 'stale' && freshness.kind === 'stale' ? freshness.updatedMs : undefined;
    return rowsOf([
      [l10n.t('Reason'), node.description],
      [l10n.t('Last updated'), updatedMs === undefined ? undefined : formatTime(updatedMs, this.#options.now())],
    ]);
  }

  #jobDetails(job: Job): TreeDetails {
    const last = this.#options.store.lastRun(job.job_id);
    const nowMs = this.#options.now();
    const changedMs = this.#options.changedElsewhere?.(job.job_id);
    return jobDetails(job, this.#lastRunWords(last), { nowMs, times: this.#times, changedMs });
  }

  get #times(): ScheduleTimes | undefined {
    return this.#options.scheduleTimes?.();
  }

  /** Describes the job's last run. An unknown last run is said explicitly, because a blank would look like no run. */
  #lastRunWords(last: LastRun): string {
    if (last.kind === 'run') return lastRunWords(last, this.#status(last.run), this.clock);
    return last.kind === 'none' ? l10n.t('no runs yet') : l10n.t('last run not loaded yet');
  }

  /** A narrow row shows only the mark, so the words come last. */
  #changeWords(jobId: string): string | undefined {
    const seenMs = this.#options.changedElsewhere?.(jobId);
    return seenMs === undefined
      ? undefined
      : l10n.t('changed since its deploy, seen {0}', formatShortAge(seenMs, this.#options.now()));
  }

  more(of: string, jobId: string | undefined): TreeNode {
    return {
      ...this.#message(`${of}/more`, l10n.t('Load older runs…'), 'ellipsis'),
      kind: 'more',
      context: 'more',
      jobId,
    };
  }

  range(jobs: readonly Job[], start: number, { active, failed }: JobCounts): TreeNode {
    const [first = '', last = ''] = [...jobs.slice(0, 1), ...jobs.slice(-1)].map(jobName);
    const label = l10n.t('{0} … {1}', first, last);
    // Runs that were active in the last poll may have ended since.
    const isCurrent = this.#options.store.freshness.kind === 'fresh';
    const description = [
      jobs.length === 1 ? l10n.t('1 job') : l10n.t('{0} jobs', jobs.length),
      ...(failed > 0 ? [l10n.t('{0} failed', failed)] : []),
      ...(isCurrent && active > 0 ? [l10n.t('{0} active', active)] : []),
    ].join(' · ');
    return {
      id: this.#id(`range/${start}`),
      kind: 'range',
      label,
      description,
      icon: { id: 'list-flat', ...(failed > 0 ? { color: runColors.failed } : {}) },
      context: 'range',
      accessibleLabel: l10n.t('Jobs {0}, {1}', label, description),
      expandable: true,
      profileId: this.#options.profileId,
      start,
    };
  }

  job(job: Job): TreeNode {
    const { store } = this.#options;
    const last = store.lastRun(job.job_id);
    const status = last.kind === 'run' ? this.#status(last.run) : undefined;
    const kind = taskKindOf(job.settings);
    const schedule = job.settings?.schedule;
    const lastWords = this.#lastRunWords(last);
    const nextWords = nextRunWords(job, this.#times, this.#options.now());
    const isPaused = schedule?.pause_status === 'PAUSED';
    const leadOfRun = last.kind === 'run' && status ? leadWords(last.run, status, this.clock) : undefined;
    const lead = [isPaused ? pauseMark : undefined, leadOfRun].filter((part) => part !== undefined).join(' ');
    const runWordsLeft = last.kind !== 'run' ? lastWords : last.isSkippedSince ? skippedSinceWords() : undefined;
    const isPinned = this.pinned.has(job.job_id);
    const changed = this.#changeWords(job.job_id);
    const marks = [isPinned ? '★' : undefined, changed && '≠'];
    const description = [...marks, runWordsLeft, nextWords, changed].filter((part) => part !== undefined).join(' · ');
    const name = jobName(job);
    return {
      id: this.#id(`job/${job.job_id}`),
      kind: 'job',
      ...(lead === '' ? {} : { lead }),
      label: name,
      description,
      icon: jobIcon(last.kind, status),
      context: [
        'job',
        kind ?? 'otherTask',
        ...(status?.active ? ['active'] : []),
        ...(isPinned ? ['pinned'] : []),
        ...(schedule ? [isPaused ? 'paused' : 'scheduled'] : []),
        // Surely there is no run to cancel.
        ...(last.kind !== 'unknown' && store.freshness.kind === 'fresh' && !store.hasActiveRun(job.job_id)
          ? ['idle']
          : []),
      ].join(' '),
      detailsKey: [
        schedule?.quartz_cron_expression,
        schedule?.timezone_id,
        job.creator_user_name,
        job.created_time,
      ].join('\n'),
      accessibleLabel: [
        status
          ? l10n.t('Job {0}, {1}, last run {2}', name, jobTaskWords(job), lastWords)
          : l10n.t('Job {0}, {1}, {2}', name, jobTaskWords(job), lastWords),
        ...(nextWords === undefined ? [] : [nextWords]),
        ...(isPinned ? [l10n.t('favorite')] : []),
        ...(changed === undefined ? [] : [changed]),
      ].join(', '),
      expandable: true,
      profileId: this.#options.profileId,
      jobId: job.job_id,
    };
  }

  run(run: Run, withAttempts: boolean): TreeNode {
    const status = this.#status(run);
    const started = run.start_time ? formatTime(run.start_time, this.#options.now()) : undefined;
    const words = runWords(run, status, this.clock);
    const lead = leadWords(run, status, this.clock);
    const more = moreWords(run, status, this.clock);
    const title = runTitle(run);
    return {
      id: this.#id(`job/${run.job_id ?? 'one-time'}/run/${run.run_id}`),
      kind: 'run',
      // A number is short, so its state can follow.
      ...(isOneTime(run) ? { lead } : {}),
      label: title,
      description: isOneTime(run) ? more : [lead, more].filter((part) => part !== undefined).join(' · '),
      icon: status.icon,
      context: runContext(run, status),
      detailsKey: detailsKeyOf(run),
      accessibleLabel: started
        ? l10n.t('Run {0}, {1}, started {2}', title, words, started)
        : l10n.t('Run {0}, {1}', title, words),
      expandable: withAttempts || mayHaveTasks(run),
      profileId: this.#options.profileId,
      jobId: run.job_id,
      runId: run.run_id,
    };
  }

  /** Returns a row for a run in the list of all jobs, with the name of its job. */
  runOfAll(run: Run): TreeNode {
    const node = this.run(run, false);
    const job = isOneTime(run) ? undefined : this.#options.store.job(run.job_id ?? '');
    const label = runLabel(run, job);
    const status = this.#status(run);
    return {
      ...node,
      id: this.#id(`time/run/${run.run_id}`),
      lead: leadWords(run, status, this.clock),
      label,
      description: moreWords(run, status, this.clock),
      accessibleLabel: l10n.t('Run {0}, {1}', label, runWords(run, status, this.clock)),
    };
  }

  noRuns(jobId: string): TreeNode {
    return this.#message(`job/${jobId}/none`, l10n.t('No runs yet'), 'info');
  }

  #status(run: Run): RunStatus {
    const status = shownStatus(run, this.#options.store.freshness.kind === 'fresh');
    return debuggedStatus(status, this.#options.debugPhase?.(run.run_id));
  }

  /** Rows that are not current show the time at which they were read. */
  get clock(): RowClock {
    const { freshness } = this.#options.store;
    const nowMs = this.#options.now();
    const seenMs = freshness.kind === 'stale' ? freshness.updatedMs : undefined;
    return { nowMs, seenMs: seenMs ?? nowMs, isCurrent: freshness.kind === 'fresh' };
  }

  /** Returns the row of one-time runs. */
  oneTime(): TreeNode {
    // Their number is known only after a request.
    const page = this.#options.store.oneTimeRuns;
    const count = page && `${page.runs.length}${page.hasMore ? '+' : ''}`;
    return {
      id: this.#id('one-time'),
      kind: 'group',
      label: l10n.t('One-time runs'),
      description: count,
      icon: { id: 'run-all' },
      context: 'group',
      accessibleLabel: count === undefined ? l10n.t('One-time runs') : l10n.t('One-time runs, {0}', count),
      expandable: true,
      profileId: this.#options.profileId,
    };
  }

  stale(freshness: { updatedMs: number | undefined; error: unknown }): TreeNode {
    // The operation's name explains nothing and would take the space.
    const reason = describeError(freshness.error).replace(`${toAppError(freshness.error).operation}: `, '');
    // Short, to leave room for the reason.
    const label = l10n.t('Outdated');
    const updated =
      freshness.updatedMs === undefined
        ? []
        : [[l10n.t('Last updated'), formatTime(freshness.updatedMs, this.#options.now())] as const];
    return {
      ...this.#message('stale', label, 'warning'),
      description: reason,
      context: 'stale',
      accessibleLabel: [`${label}. ${reason}`, ...updated.map((row) => row.join(': '))].join(' '),
    };
  }

  /** Returns a row that explains why a job or run is missing, at the place where it would be. */
  skipped(list: StoredList, reason: string): TreeNode {
    const label = list === 'jobs' ? l10n.t('Some jobs are missing') : l10n.t('Some runs are missing');
    return {
      ...this.#message(`skipped/${list}`, label, 'warning'),
      description: reason,
      accessibleLabel: `${label}. ${reason}`,
    };
  }

  #message(id: string, label: string, icon: string): TreeNode {
    return {
      id: this.#id(id),
      kind: 'message',
      label,
      icon: { id: icon },
      context: 'message',
      accessibleLabel: label,
      expandable: false,
      profileId: this.#options.profileId,
    };
  }

  #id(rest: string): string {
    return `${this.#options.profileId}/${rest}`;
  }
}

/** Marks a job whose schedule is paused. Unlike the symbol for pause, no font draws it as a colored picture. */
const pauseMark = '‖';

/** The icon of a job is the state of its last run. */
function jobIcon(kind: LastRun['kind'], status: RunStatus | undefined): NonNullable<TreeNode['icon']> {
  return status?.icon ?? { id: kind === 'none' ? 'circle-outline' : 'ellipsis', color: runColors.skipped };
}

function runContext(run: Run, status: RunStatus): string {
  const isNotebook = run.tasks?.some((task) => task['notebook_task'] !== undefined);
  const words = ['run', isNotebook ? 'notebook_task' : (taskKindOf(run.task) ?? 'otherTask')];
  if (status.active) words.push('active', ...(stoppingPhases.has(status.phase) ? [] : ['cancellable']));
  if (status.terminal) words.push('terminal');
  if (failedAtWork(run)) words.push('failed');
  if (failedPhases.has(status.phase)) words.push('broken');
  if (mayBeRepairable(run)) words.push('repairable');
  if (!isOneTime(run)) words.push('ofJob');
  // An editor in a browser routes such an address through its server, which cannot find the page.
  if (/^https?:\/\/(127\.|localhost[:/]|\[::1\])/.test(run.run_page_url ?? '')) words.push('pageOfThisMachine');
  return words.join(' ');
}

function detailsKeyOf(run: Run): string {
  const durations = [run.queue_duration, run.setup_duration, run.execution_duration, run.cleanup_duration];
  return [
    run.state?.state_message,
    run.trigger,
    run.end_time,
    ...durations,
    run.cluster_instance?.cluster_id,
    run.creator_user_name,
  ].join('\n');
}
