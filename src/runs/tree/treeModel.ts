import type { Run } from '../../api/schema/jobs/schemas.ts';
import { l10n } from '../../shared/l10n.ts';
import { formatDuration } from '../../shared/text.ts';
import { groupAttempts } from '../attempts.ts';
import type { RowClock } from '../rowWords.ts';
import { isOneTime } from '../runOrder.ts';
import { notRunPhases, runDurationInMs, shownStatus } from '../runState.ts';
import { mayHaveTasks, type NamedTask, tasksByNeed } from '../runTasks.ts';
import { ArrangedJobs } from './arrangedJobs.ts';
import { fitsRun, isFiltered } from './arrangement.ts';
import type { TreeDetails } from './rowDetails.ts';
import { TreeRows, type TreeNode, type TreeRowsOptions } from './treeRows.ts';
import { viewPicture } from './viewPicture.ts';

/**
 * Maximum number of rows that the editor is given at once. It blocks all extensions while it takes them in: 12,000 rows take a quarter of a
 * second.
 */
const jobsAtOnce = 1000;

/** The tree of jobs and runs as data. */
export class TreeModel {
  readonly #options: TreeRowsOptions;
  readonly #rows: TreeRows;
  readonly #arranged: ArrangedJobs;
  /** The ranges as last built. They change with the jobs only, not with time. */
  #ranges: TreeNode[] = [];
  #rangesOf: readonly unknown[] = [];

  constructor(options: TreeRowsOptions) {
    this.#options = options;
    this.#rows = new TreeRows(options);
    this.#arranged = new ArrangedJobs({
      store: options.store,
      arrangement: () => this.#rows.arrangement,
      pinned: () => this.#rows.pinned,
      scheduleTimes: () => options.scheduleTimes?.(),
      now: () => options.now(),
    });
  }

  /** Order of the top-level rows. A changed order is a new object. */
  get order(): unknown {
    return this.isByTime ? this.#options.store.version : this.#arranged.jobs;
  }

  /** Whether the rows are the runs of all jobs, newest first. */
  get isByTime(): boolean {
    return this.#rows.arrangement.by === 'time';
  }

  /** How many jobs or loaded runs match the filter, and how many there are. `unasked` counts the jobs whose match is unknown. */
  get counts(): { shown: number; all: number; unasked: number } {
    const { store } = this.#options;
    if (this.isByTime) return { shown: this.#fittingRuns().length, all: store.allRuns?.runs.length ?? 0, unasked: 0 };
    return { shown: this.#arranged.jobs.length, all: store.jobsByName.length, unasked: this.#arranged.unaskedCount };
  }

  #fittingRuns(): Run[] {
    const { store, now } = this.#options;
    const arrangement = this.#rows.arrangement;
    const nowMs = now();
    return (store.allRuns?.runs ?? []).filter((run) =>
      fitsRun(arrangement, run, isOneTime(run) ? undefined : store.job(run.job_id ?? ''), nowMs),
    );
  }

  roots(): TreeNode[] {
    const { store } = this.#options;
    if (viewPicture(store.freshness) !== 'rows') return [];
    const nodes: TreeNode[] = [];
    if (store.freshness.kind === 'stale') nodes.push(this.#rows.stale(store.freshness));
    for (const [list, text] of store.skipped) nodes.push(this.#rows.skipped(list, text));
    if (this.isByTime) return [...nodes, ...this.#runsByTime()];
    for (const job of this.#arranged.jobs.slice(0, jobsAtOnce)) nodes.push(this.#rows.job(job));
    nodes.push(...this.ranges());
    const oneTime = this.oneTime();
    if (oneTime) nodes.push(oneTime);
    return nodes;
  }

  #runsByTime(): TreeNode[] {
    const { store } = this.#options;
    const nodes = this.#fittingRuns().map((run) => this.#rows.runOfAll(run));
    if (store.allRuns?.hasMore) nodes.push(this.#rows.more('time', undefined));
    return nodes;
  }

  /** Returns the jobs beyond the first page as ranges by name, so that the editor never has to render too many rows at once. */
  ranges(): TreeNode[] {
    if (this.isByTime) return [];
    const { store } = this.#options;
    const { jobs } = this.#arranged;
    const madeOf = [jobs, store.version, store.freshness.kind];
    if (madeOf.every((part, index) => part === this.#rangesOf[index])) return this.#ranges;
    const nodes: TreeNode[] = [];
    for (let start = jobsAtOnce; start < jobs.length; start += jobsAtOnce)
      nodes.push(
        this.#rows.range(
          jobs.slice(start, start + jobsAtOnce),
          start,
          this.#arranged.counts(start, start + jobsAtOnce),
        ),
      );
    [this.#ranges, this.#rangesOf] = [nodes, madeOf];
    return nodes;
  }

  children(node: TreeNode): TreeNode[] | 'notLoaded' {
    const { store } = this.#options;
    if (node.kind === 'range')
      return this.#arranged.jobs.slice(node.start, (node.start ?? 0) + jobsAtOnce).map((job) => this.#rows.job(job));
    if (node.kind === 'group')
      return store.oneTimeRuns
        ? this.#runNodes(store.oneTimeRuns.runs, store.oneTimeRuns.hasMore, undefined)
        : 'notLoaded';
    if (node.kind === 'run' && node.runId !== undefined) return this.#tasksAndAttempts(node, node.runId);
    if (node.kind !== 'job' || node.jobId === undefined) return [];
    const page = store.runsOf(node.jobId);
    if (!page) return 'notLoaded';
    if (page.runs.length === 0) return [this.#rows.noRuns(node.jobId)];
    return this.#runNodes(page.runs, page.hasMore, node.jobId);
  }

  #runNodes(runs: readonly Run[], hasMore: boolean, jobId: string | undefined): TreeNode[] {
    const attempts = groupAttempts(runs);
    const nodes = attempts.map((group) => this.#rows.run(group[0], group.length > 1));
    if (hasMore) nodes.push(this.#rows.more(jobId ?? 'one-time', jobId));
    return nodes;
  }

  #tasksAndAttempts(node: TreeNode, runId: string): TreeNode[] | 'notLoaded' {
    const run = this.#options.store.run(runId);
    if (!run) return [];
    if (mayHaveTasks(run) && !run.tasks) return 'notLoaded';
    const tasks = mayHaveTasks(run) ? tasksByNeed(run).map((task) => taskRow(node, task, this.#rows.clock)) : [];
    return this.isByTime ? tasks : [...tasks, ...this.#earlierAttempts(run)];
  }

  #earlierAttempts(run: Run): TreeNode[] {
    const { store } = this.#options;
    const siblings =
      run.job_id === undefined || isOneTime(run)
        ? (store.oneTimeRuns?.runs ?? [])
        : (store.runsOf(run.job_id)?.runs ?? []);
    const group = groupAttempts(siblings).find((attempts) => attempts[0].run_id === run.run_id) ?? [];
    return group.slice(1).map((attempt) => this.#rows.run(attempt, false));
  }

  /** Returns the job's current node. */
  job(jobId: string): TreeNode | undefined {
    const job = this.isByTime ? undefined : this.#options.store.job(jobId);
    return job && this.#rows.job(job);
  }

  /** Returns the node of one-time runs, if there are any. */
  oneTime(): TreeNode | undefined {
    // A filter for jobs hides one-time runs.
    if (!this.#options.store.hasOneTimeRuns || this.isByTime || isFiltered(this.#rows.arrangement)) return undefined;
    return this.#rows.oneTime();
  }

  /** Returns the row's current tooltip. It is built only when somebody points at the row. */
  details(node: TreeNode): TreeDetails {
    return this.#rows.details(node);
  }
}

/** Returns the row of a task below the row of its run. A click on it opens the page of the run at this task. */
function taskRow(run: TreeNode, task: NamedTask, { seenMs, isCurrent }: RowClock): TreeNode {
  const status = shownStatus(task, isCurrent);
  const duration = notRunPhases.has(status.phase) ? undefined : runDurationInMs(task, seenMs);
  const words = duration === undefined ? status.label : `${status.label} · ${formatDuration(duration)}`;
  return {
    id: `${run.id}/task/${task.task_key}`,
    kind: 'task',
    label: task.task_key,
    description: words,
    icon: status.icon,
    context: 'task',
    accessibleLabel: l10n.t('Task {0}, {1}', task.task_key, words),
    expandable: false,
    profileId: run.profileId,
    jobId: run.jobId,
    runId: run.runId,
    taskKey: task.task_key,
  };
}
