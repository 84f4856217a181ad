import type { Job, Run } from '../api/schema/jobs/schemas.ts';
import { taskKindOf, type TaskKind } from '../api/schema/jobs/taskKinds.ts';
import { isTime } from '../shared/dateTimeFormat.ts';
import { formatDuration } from '../shared/duration.ts';
import { describeError } from '../shared/errors.ts';
import { l10n } from '../shared/l10n.ts';
import { daysUntilRemoval, formatTime } from './format.ts';
import { jobName } from './jobOrder.ts';
import type { LastRun, StoredList } from './known.ts';
import { isOneTime } from './runOrder.ts';
import { runColors, runDurationInMs, runStatus, shownStatus, type RunPhase, type RunStatus } from './runState.ts';
import type { RunStore } from './runStore.ts';

/** Lines of a tooltip, each a name and a value. */
export type TreeDetails = readonly (readonly [name: string, value: string])[];

/** A node of the jobs tree, free of the editor's types. `id` is stable and unique, from profile, job and run. */
export interface TreeNode {
  readonly id: string;
  readonly kind: 'job' | 'run' | 'group' | 'range' | 'more' | 'message';
  readonly label: string;
  readonly description?: string;
  readonly icon?: { readonly id: string; readonly color?: string };
  /** Words for `when` clauses, separated by spaces, such as `run active notebook`. */
  readonly context: string;
  /** Another text where the details of the row are others, see `details`. */
  readonly detailsKey?: string;
  readonly accessibleLabel: string;
  readonly expandable: boolean;
  /** The profile whose job or run it is: ids of another profile's are others'. */
  readonly profileId: string;
  readonly jobId?: string;
  readonly runId?: string;
  /** Of a range: the place of its first job among all. */
  readonly start?: number;
}

export interface TreeModelOptions {
  profileId: string;
  store: RunStore;
  now(): number;
}

const taskWords: Record<TaskKind, { label: string; icon: string }> = {
  notebook_task: { label: 'notebook', icon: 'notebook' },
  spark_jar_task: { label: 'Spark JAR', icon: 'package' },
  spark_python_task: { label: 'Python file', icon: 'file-code' },
  spark_submit_task: { label: 'spark-submit', icon: 'terminal' },
  pipeline_task: { label: 'pipeline', icon: 'type-hierarchy' },
  run_job_task: { label: 'run job', icon: 'references' },
};

/**
 * Rows that the editor is given at once. It holds all extensions up for as long as it takes them in: 12,000 rows take a
 * quarter of a second.
 */
const jobsAtOnce = 1000;

const failedPhases: ReadonlySet<RunPhase> = new Set(['failed', 'timedOut', 'internalError']);

/** The tree of jobs and runs as data: what stands where, in which words, with which icon. */
export class TreeModel {
  readonly #options: TreeModelOptions;

  constructor(options: TreeModelOptions) {
    this.#options = options;
  }

  roots(): TreeNode[] {
    const { store } = this.#options;
    if (store.freshness.kind === 'empty') return [];
    const nodes: TreeNode[] = [];
    if (store.freshness.kind === 'stale') nodes.push(this.#staleNode(store.freshness));
    for (const [list, text] of store.skipped) nodes.push(this.#skippedNode(list, text));
    for (const job of store.jobsByName.slice(0, jobsAtOnce)) nodes.push(this.#jobNode(job));
    nodes.push(...this.ranges());
    const oneTime = this.oneTime();
    if (oneTime) nodes.push(oneTime);
    return nodes;
  }

  /** The jobs beyond the first ones, by their names, each so many: the editor is given rows in pieces that do not hold it up. */
  ranges(): TreeNode[] {
    const jobs = this.#options.store.jobsByName;
    const nodes: TreeNode[] = [];
    for (let start = jobsAtOnce; start < jobs.length; start += jobsAtOnce)
      nodes.push(this.#rangeNode(jobs.slice(start, start + jobsAtOnce), start));
    return nodes;
  }

  children(node: TreeNode): TreeNode[] | 'notLoaded' {
    const { store } = this.#options;
    if (node.kind === 'range')
      return store.jobsByName.slice(node.start, (node.start ?? 0) + jobsAtOnce).map((job) => this.#jobNode(job));
    if (node.kind === 'group')
      return store.oneTimeRuns
        ? this.#runNodes(store.oneTimeRuns.runs, store.oneTimeRuns.hasMore, undefined)
        : 'notLoaded';
    if (node.kind === 'run' && node.runId !== undefined) return this.#earlierAttempts(node.runId);
    if (node.kind !== 'job' || node.jobId === undefined) return [];
    const page = store.runsOf(node.jobId);
    if (!page) return 'notLoaded';
    if (page.runs.length === 0) return [this.#messageNode(`job/${node.jobId}/none`, l10n.t('No runs yet'), 'info')];
    return this.#runNodes(page.runs, page.hasMore, node.jobId);
  }

  #runNodes(runs: readonly Run[], hasMore: boolean, jobId: string | undefined): TreeNode[] {
    const attempts = groupAttempts(runs);
    const nodes = attempts.map((group) => this.#runNode(group[0], group.length > 1));
    if (hasMore)
      nodes.push({
        ...this.#messageNode(`${jobId ?? 'one-time'}/more`, l10n.t('Load older runs…'), 'ellipsis'),
        kind: 'more',
        context: 'more',
        jobId,
      });
    return nodes;
  }

  #earlierAttempts(runId: string): TreeNode[] {
    const { store } = this.#options;
    const run = store.run(runId);
    if (!run) return [];
    const siblings =
      run.job_id === undefined || isOneTime(run)
        ? (store.oneTimeRuns?.runs ?? [])
        : (store.runsOf(run.job_id)?.runs ?? []);
    const group = groupAttempts(siblings).find((attempts) => attempts[0].run_id === runId) ?? [];
    return group.slice(1).map((attempt) => this.#runNode(attempt, false));
  }

  /** What the row's tooltip tells, as it is now; made for the row that somebody points at. */
  details(node: TreeNode): TreeDetails {
    const { store } = this.#options;
    const run = node.runId === undefined ? undefined : store.run(node.runId);
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
    const kind = taskKindOf(job.settings);
    const schedule = job.settings?.schedule;
    return rowsOf([
      [l10n.t('Job'), job.job_id],
      [l10n.t('Task'), kind ? taskWords[kind].label : l10n.t('not one of Jobs API 2.0')],
      [l10n.t('Last run'), lastRunWords(last.kind, last.kind === 'run' ? this.#status(last.run) : undefined)],
      [l10n.t('Schedule'), schedule ? `${schedule.quartz_cron_expression} (${schedule.timezone_id})` : undefined],
      [l10n.t('Creator'), job.creator_user_name],
      [l10n.t('Created'), job.created_time ? formatTime(job.created_time, this.#options.now()) : undefined],
    ]);
  }

  /** The job's node as it is now. */
  job(jobId: string): TreeNode | undefined {
    const job = this.#options.store.job(jobId);
    return job && this.#jobNode(job);
  }

  #rangeNode(jobs: readonly Job[], start: number): TreeNode {
    const [first = '', last = ''] = [...jobs.slice(0, 1), ...jobs.slice(-1)].map(jobName);
    const label = l10n.t('{0} … {1}', first, last);
    const { store } = this.#options;
    const counts = { active: 0, failed: 0 };
    for (const { job_id: jobId } of jobs) {
      const run = store.latestRun(jobId);
      const status = run && runStatus(run);
      // What was going when it was last seen may have ended since.
      if (status?.active) counts.active += store.freshness.kind === 'fresh' ? 1 : 0;
      else if (status && failedPhases.has(status.phase)) counts.failed += 1;
    }
    const description = [
      jobs.length === 1 ? l10n.t('1 job') : l10n.t('{0} jobs', jobs.length),
      ...(counts.failed > 0 ? [l10n.t('{0} failed', counts.failed)] : []),
      ...(counts.active > 0 ? [l10n.t('{0} active', counts.active)] : []),
    ].join(' · ');
    return {
      id: this.#id(`range/${start}`),
      kind: 'range',
      label,
      description,
      icon: { id: 'list-flat', ...(counts.failed > 0 ? { color: runColors.failed } : {}) },
      context: 'range',
      accessibleLabel: l10n.t('Jobs {0}, {1}', label, description),
      expandable: true,
      profileId: this.#options.profileId,
      start,
    };
  }

  #jobNode(job: Job): TreeNode {
    const last = this.#options.store.lastRun(job.job_id);
    const status = last.kind === 'run' ? this.#status(last.run) : undefined;
    const kind = taskKindOf(job.settings);
    const task = kind ? taskWords[kind] : undefined;
    const schedule = job.settings?.schedule;
    const scheduleWords = schedule
      ? schedule.pause_status === 'PAUSED'
        ? l10n.t('schedule paused')
        : l10n.t('scheduled')
      : undefined;
    const lastWords = lastRunWords(last.kind, status);
    const description = [lastWords, scheduleWords].filter((part) => part !== undefined).join(' · ');
    const name = jobName(job);
    return {
      id: this.#id(`job/${job.job_id}`),
      kind: 'job',
      label: name,
      description,
      icon: jobIcon(last.kind, status, task?.icon),
      context: ['job', kind ?? 'otherTask', ...(status?.active ? ['active'] : [])].join(' '),
      detailsKey: [
        schedule?.quartz_cron_expression,
        schedule?.timezone_id,
        job.creator_user_name,
        job.created_time,
      ].join('\n'),
      accessibleLabel: status
        ? l10n.t('Job {0}, {1}, last run {2}', name, task?.label ?? l10n.t('other task'), status.label)
        : l10n.t('Job {0}, {1}, {2}', name, task?.label ?? l10n.t('other task'), lastWords),
      expandable: true,
      profileId: this.#options.profileId,
      jobId: job.job_id,
    };
  }

  #runNode(run: Run, withAttempts: boolean): TreeNode {
    const status = this.#status(run);
    const duration = runDurationInMs(run, this.#now());
    const started = run.start_time ? formatTime(run.start_time, this.#options.now()) : undefined;
    const attempt = run.attempt_number ? l10n.t('attempt {0}', run.attempt_number + 1) : undefined;
    const times = [started, duration === undefined ? undefined : formatDuration(duration), attempt].filter(
      (part) => part !== undefined,
    );
    const title = runTitle(run);
    return {
      id: this.#id(`job/${run.job_id ?? 'one-time'}/run/${run.run_id}`),
      kind: 'run',
      label: title,
      description: [status.label, ...times].join(' · '),
      icon: status.icon,
      context: runContext(run, status),
      detailsKey: detailsKeyOf(run),
      accessibleLabel: started
        ? l10n.t('Run {0}, {1}, started {2}', title, status.label, started)
        : l10n.t('Run {0}, {1}', title, status.label),
      expandable: withAttempts,
      profileId: this.#options.profileId,
      jobId: run.job_id,
      runId: run.run_id,
    };
  }

  #status(run: Run): RunStatus {
    return shownStatus(run, this.#options.store.freshness.kind === 'fresh');
  }

  /** What is not current stands still: its time is that of when it was. */
  #now(): number {
    const { freshness } = this.#options.store;
    return freshness.kind === 'stale' && freshness.updatedMs !== undefined ? freshness.updatedMs : this.#options.now();
  }

  /** The node of the runs without a job, where there are any. */
  oneTime(): TreeNode | undefined {
    if (!this.#options.store.hasOneTimeRuns) return undefined;
    // How many there are is known once they were asked for.
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

  #staleNode(freshness: { updatedMs: number | undefined; error: unknown }): TreeNode {
    const reason = describeError(freshness.error);
    // Short, so that the reason has room beside it.
    const label = freshness.updatedMs === undefined ? l10n.t('Nothing could be loaded') : l10n.t('Not current');
    const updated =
      freshness.updatedMs === undefined
        ? []
        : [[l10n.t('Last updated'), formatTime(freshness.updatedMs, this.#options.now())] as const];
    return {
      ...this.#messageNode('stale', label, 'warning'),
      description: reason,
      context: 'stale',
      accessibleLabel: [`${label}. ${reason}`, ...updated.map((row) => row.join(': '))].join(' '),
    };
  }

  /** Who misses a job or a run finds the reason where it would stand. */
  #skippedNode(list: StoredList, reason: string): TreeNode {
    const label = list === 'jobs' ? l10n.t('Some jobs are missing') : l10n.t('Some runs are missing');
    return {
      ...this.#messageNode(`skipped/${list}`, label, 'warning'),
      description: reason,
      accessibleLabel: `${label}. ${reason}`,
    };
  }

  #messageNode(id: string, label: string, icon: string): TreeNode {
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

/** How the job went last, or that nobody knows: that is never left blank, as if there were nothing to know. */
function lastRunWords(kind: LastRun['kind'], status: RunStatus | undefined): string {
  if (status) return status.label;
  return kind === 'none' ? l10n.t('no runs yet') : l10n.t('last run not asked for yet');
}

function jobIcon(
  kind: LastRun['kind'],
  status: RunStatus | undefined,
  taskIcon = 'question',
): NonNullable<TreeNode['icon']> {
  if (kind === 'unknown') return { id: 'circle-outline', color: runColors.skipped };
  // A job that is well, or has nothing to tell, is known by what it does.
  return status === undefined || status.phase === 'succeeded'
    ? { id: taskIcon, color: status?.icon.color }
    : status.icon;
}

export function runTitle(run: Run): string {
  if (isOneTime(run)) return run.run_name && run.run_name.trim() !== '' ? run.run_name : l10n.t('Untitled');
  return run.number_in_job === undefined ? l10n.t('Run {0}', run.run_id) : `#${run.number_in_job}`;
}

function runContext(run: Run, status: RunStatus): string {
  const words = ['run', taskKindOf(run.task) ?? 'otherTask'];
  if (status.active) words.push('active');
  if (status.terminal) words.push('terminal');
  if (status.phase === 'failed') words.push('failed');
  if (!isOneTime(run)) words.push('ofJob');
  // An editor in a browser sends such an address through its server, where the page is not found.
  if (/^https?:\/\/(127\.|localhost[:/]|\[::1\])/.test(run.run_page_url ?? '')) words.push('pageOfThisMachine');
  return words.join(' ');
}

function detailsKeyOf(run: Run): string {
  const durations = [run.setup_duration, run.execution_duration, run.cleanup_duration];
  return [
    run.state?.state_message,
    run.trigger,
    run.end_time,
    ...durations,
    run.cluster_instance?.cluster_id,
    run.creator_user_name,
  ].join('\n');
}

function runDetails(run: Run, status: RunStatus, now: number): TreeDetails {
  return rowsOf([
    [l10n.t('Run'), run.run_id],
    [l10n.t('State'), status.label],
    [l10n.t('Message'), run.state?.state_message],
    [l10n.t('Trigger'), run.trigger],
    [l10n.t('Started'), run.start_time ? formatTime(run.start_time, now) : undefined],
    [l10n.t('Ended'), run.end_time ? formatTime(run.end_time, now) : undefined],
    [l10n.t('Set-up'), duration(run.setup_duration)],
    [l10n.t('Execution'), duration(run.execution_duration)],
    [l10n.t('Clean-up'), duration(run.cleanup_duration)],
    [l10n.t('Cluster'), run.cluster_instance?.cluster_id],
    [l10n.t('Creator'), run.creator_user_name],
    [
      l10n.t('Kept for'),
      status.terminal && run.end_time && isTime(run.end_time)
        ? daysWords(daysUntilRemoval(run.end_time, now))
        : undefined,
    ],
  ]);
}

function daysWords(days: number): string {
  return days === 1 ? l10n.t('1 more day') : l10n.t('{0} more days', days);
}

function rowsOf(rows: readonly (readonly [string, string | undefined])[]): TreeDetails {
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '');
}

function duration(durationInMs: number | undefined): string | undefined {
  return durationInMs ? formatDuration(durationInMs) : undefined;
}

/** Attempts of one run together, the newest first; groups in the order of the runs given. */
export function groupAttempts(runs: readonly Run[]): (readonly [Run, ...Run[]])[] {
  const groups = new Map<string, [Run, ...Run[]]>();
  for (const run of runs) {
    const original = run.original_attempt_run_id ?? run.run_id;
    const group = groups.get(original);
    if (group) group.push(run);
    else groups.set(original, [run]);
  }
  for (const group of groups.values())
    group.sort((left, right) => (right.attempt_number ?? 0) - (left.attempt_number ?? 0));
  return [...groups.values()];
}
