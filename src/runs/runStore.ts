import type { Job, Run } from '../api/jobs/schemas.ts';
import { taskKindOf } from '../api/jobs/taskKinds.ts';
import type { AppError } from '../shared/errors.ts';
import { Emitter } from '../shared/event.ts';
import type { Disposable } from '../shared/lifecycle.ts';
import { runStatus } from './runState.ts';

/** One run that reached its end while it was watched. */
export interface FinishedRun {
  readonly run: Run;
  readonly job: Job | undefined;
}

/** What changed, so that a view of thousands of jobs draws only what it must. */
export type StoreChange =
  | { readonly kind: 'all' } // jobs came or went, the freshness turned, everything was forgotten
  | { readonly kind: 'runs'; readonly jobIds: ReadonlySet<string>; readonly oneTime: boolean };

/** What is known of a job's runs: the newest ones, and whether older ones exist. */
export interface RunPage {
  readonly runIds: readonly string[];
  readonly hasMore: boolean;
}

export type Freshness =
  | { readonly kind: 'empty' } // nothing was asked yet
  | { readonly kind: 'fresh'; readonly updatedMs: number }
  | { readonly kind: 'stale'; readonly updatedMs: number | undefined; readonly error: AppError };

/**
 * Jobs and runs of one connection as last seen. Everything that shows a run reads it from here; only the poller
 * and the commands write. Runs are replaced whole, so a change is a different object.
 */
export class RunStore implements Disposable {
  readonly #jobs = new Map<string, Job>();
  readonly #runs = new Map<string, Run>();
  readonly #pages = new Map<string, RunPage>();
  #oneTime: RunPage = { runIds: [], hasMore: false };
  #freshness: Freshness = { kind: 'empty' };
  readonly #changed = new Emitter<StoreChange>();
  readonly #finished = new Emitter<FinishedRun>();
  readonly onDidChange = this.#changed.event;
  /** Fires once for each run that was seen active and then ended. */
  readonly onDidFinishRun = this.#finished.event;

  get freshness(): Freshness {
    return this.#freshness;
  }

  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  job(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  run(runId: string): Run | undefined {
    return this.#runs.get(runId);
  }

  get activeRuns(): Run[] {
    return [...this.#runs.values()].filter((run) => runStatus(run).active);
  }

  get endedRuns(): Run[] {
    return [...this.#runs.values()].filter((run) => runStatus(run).terminal);
  }

  /** Runs of a job, newest first, or undefined where they were not asked for yet. */
  runsOf(jobId: string): { runs: Run[]; hasMore: boolean } | undefined {
    const page = this.#pages.get(jobId);
    return page && this.#resolve(page);
  }

  /** Runs without a job that is known here, newest first. */
  get oneTimeRuns(): { runs: Run[]; hasMore: boolean } {
    return this.#resolve(this.#oneTime);
  }

  #resolve(page: RunPage): { runs: Run[]; hasMore: boolean } {
    const runs = page.runIds.map((id) => this.#runs.get(id)).filter((run) => run !== undefined);
    return { runs, hasMore: page.hasMore };
  }

  /** The newest run of the job among those known; one that goes on comes before a newer one that was skipped. */
  latestRun(jobId: string): Run | undefined {
    let latest: Run | undefined;
    let active: Run | undefined;
    for (const run of this.#runs.values()) {
      if (run.job_id !== jobId) continue;
      if (!latest || isNewer(run, latest)) latest = run;
      if (runStatus(run).active && (!active || isNewer(run, active))) active = run;
    }
    return latest && active && runStatus(latest).phase === 'skipped' ? active : latest;
  }

  /** The job list as the service has it now: jobs that are no longer in it are gone. */
  setJobs(jobs: readonly Job[], nowMs: number): void {
    const before = new Map(this.#jobs);
    const wasFresh = this.#freshness.kind === 'fresh';
    this.#jobs.clear();
    for (const job of jobs) this.#jobs.set(job.job_id, job);
    for (const jobId of this.#pages.keys()) if (!this.#jobs.has(jobId)) this.#pages.delete(jobId);
    this.#freshness = { kind: 'fresh', updatedMs: nowMs };
    const same = (job: Job): boolean => sameJobToReaders(before.get(job.job_id), job);
    if (!wasFresh || before.size !== this.#jobs.size || !jobs.every(same)) this.#changed.fire({ kind: 'all' });
  }

  /** Runs that were seen anew, in any order; each job's page that is loaded and the one-time page take them in. */
  mergeRuns(runs: readonly Run[], nowMs: number): void {
    const finished: FinishedRun[] = [];
    const jobIds = new Set<string>();
    const oneTimeBefore = this.#oneTime.runIds.length;
    let oneTime = false;
    for (const run of runs) {
      const before = this.#runs.get(run.run_id);
      this.#runs.set(run.run_id, run);
      if (!before) this.#addToPage(run);
      // The duration of an active run is shown, so it counts as changed.
      if (before && !runStatus(run).active && sameToReaders(before, run)) continue;
      if (isOneTime(run)) oneTime = true;
      else if (run.job_id !== undefined) jobIds.add(run.job_id);
      if (before && runStatus(before).active && runStatus(run).terminal) finished.push({ run, job: this.#jobs.get(run.job_id ?? '') });
    }
    const wasFresh = this.#freshness.kind === 'fresh';
    this.#freshness = { kind: 'fresh', updatedMs: nowMs };
    const groupAppeared = oneTimeBefore === 0 && this.#oneTime.runIds.length > 0;
    if (!wasFresh || groupAppeared) this.#changed.fire({ kind: 'all' });
    else if (oneTime || jobIds.size > 0) this.#changed.fire({ kind: 'runs', jobIds, oneTime });
    for (const item of finished) this.#finished.fire(item);
  }

  #addToPage(run: Run): void {
    const jobId = run.job_id;
    if (isOneTime(run)) this.#oneTime = this.#withRun(this.#oneTime, run);
    else if (jobId !== undefined) {
      const page = this.#pages.get(jobId);
      if (page) this.#pages.set(jobId, this.#withRun(page, run));
    }
  }

  #withRun(page: RunPage, run: Run): RunPage {
    if (page.runIds.includes(run.run_id)) return page;
    const runIds = [...page.runIds, run.run_id].sort((left, right) => this.#compare(left, right));
    return { ...page, runIds };
  }

  #compare(leftId: string, rightId: string): number {
    const [left, right] = [this.#runs.get(leftId), this.#runs.get(rightId)];
    if (!left || !right) return 0;
    return isNewer(left, right) ? -1 : 1;
  }

  /** A page of a job's runs, from the newest on. */
  setRunsOf(jobId: string, runs: readonly Run[], hasMore: boolean, nowMs: number): void {
    this.#pages.set(jobId, { runIds: runs.map((run) => run.run_id), hasMore });
    this.mergeRuns(runs, nowMs);
  }

  setOneTimeRuns(runs: readonly Run[], hasMore: boolean, nowMs: number): void {
    this.#oneTime = { runIds: runs.map((run) => run.run_id), hasMore };
    this.mergeRuns(runs, nowMs);
  }

  removeRun(runId: string): void {
    this.#runs.delete(runId);
    this.#changed.fire({ kind: 'all' });
  }

  removeJob(jobId: string): void {
    this.#jobs.delete(jobId);
    this.#pages.delete(jobId);
    this.#changed.fire({ kind: 'all' });
  }

  /** What is shown stays, marked as not current. */
  markStale(error: AppError): void {
    const updatedMs = this.#freshness.kind === 'empty' ? undefined : this.#freshness.updatedMs;
    this.#freshness = { kind: 'stale', updatedMs, error };
    this.#changed.fire({ kind: 'all' });
  }

  /** Forgets everything, for another profile. */
  clear(): void {
    this.#jobs.clear();
    this.#runs.clear();
    this.#pages.clear();
    this.#oneTime = { runIds: [], hasMore: false };
    this.#freshness = { kind: 'empty' };
    this.#changed.fire({ kind: 'all' });
  }

  dispose(): void {
    this.#changed.dispose();
    this.#finished.dispose();
  }
}

/** Whether two sights of one job read alike: all that a view shows of it. */
function sameJobToReaders(before: Job | undefined, after: Job): boolean {
  const [left, right] = [before?.settings, after.settings];
  return (
    before !== undefined &&
    left?.name === right?.name &&
    taskKindOf(left) === taskKindOf(right) &&
    left?.schedule?.quartz_cron_expression === right?.schedule?.quartz_cron_expression &&
    left?.schedule?.timezone_id === right?.schedule?.timezone_id &&
    left?.schedule?.pause_status === right?.schedule?.pause_status &&
    before.creator_user_name === after.creator_user_name
  );
}

/** Whether two sights of one run read alike: all that a view shows of it. */
function sameToReaders(before: Run, after: Run): boolean {
  return (
    before.state?.life_cycle_state === after.state?.life_cycle_state &&
    before.state?.result_state === after.state?.result_state &&
    before.state?.state_message === after.state?.state_message &&
    before.start_time === after.start_time &&
    before.end_time === after.end_time &&
    before.attempt_number === after.attempt_number
  );
}

/** One-time runs come from runs/submit; older servers say so only by leaving out the job. */
export function isOneTime(run: Run): boolean {
  if (run.run_type !== undefined) return run.run_type === 'SUBMIT_RUN';
  return run.job_id === undefined;
}

/** Later start wins; of two that did not start, the larger id, which services give out in order. */
function isNewer(left: Run, right: Run): boolean {
  const difference = (left.start_time ?? 0) - (right.start_time ?? 0);
  if (difference !== 0 && left.start_time && right.start_time) return difference > 0;
  return BigInt(left.run_id) > BigInt(right.run_id);
}
