import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import type { AppError } from '../../shared/errors.ts';
import { Emitter } from '../../shared/event.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { sortJobs } from '../jobNames.ts';
import { isNewer, isOneTime, type LastRun } from '../runOrder.ts';
import { wordlessStatus } from '../runState.ts';
import { isRepairable } from '../runTasks.ts';
import { RunLists, type StoredList, type LoadedRuns } from './runLists.ts';
import { RunsOfJobs, type ChangeLog } from './runsOfJobs.ts';
import { sameJobToReaders, sameToReaders, withKnownTasks } from './sameToReaders.ts';

/** A run that ended while it was watched. */
export interface FinishedRun {
  readonly run: Run;
  readonly job: Job | undefined;
}

/** What changed, so that a view of thousands of jobs redraws only what it must. */
export type StoreChange =
  | { readonly kind: 'all' } // jobs came or went, or the freshness changed
  | { readonly kind: 'reset' } // everything was forgotten: nothing on the screen may stay
  | { readonly kind: 'runs'; readonly jobIds: ReadonlySet<string>; readonly oneTime: boolean };

export type Freshness =
  | { readonly kind: 'empty' } // nothing was requested yet
  | { readonly kind: 'fresh'; readonly updatedMs: number }
  | { readonly kind: 'stale'; readonly updatedMs: number | undefined; readonly error: AppError };

/** Above this number, finished runs that no view shows are forgotten. */
const maxRuns = 5000;
/**
 * Jobs and runs of one connection as last seen. Everything that shows a run reads it from here; only the poller and the commands write.
 * Runs are replaced as a whole, so a change is a new object.
 */
export class RunStore implements Disposable {
  readonly #jobs = new Map<string, Job>();
  readonly #runs = new Map<string, Run>();
  readonly #ofJobs = new RunsOfJobs(this.#runs);
  readonly #oneTimeIds = new Set<string>();
  readonly #activeIds = new Set<string>();
  /** Jobs whose last run is certain: it is among the known runs, or there is none. */
  readonly #settled = new Set<string>();
  #jobsByName: readonly Job[] | undefined;
  readonly #skipped = new Map<StoredList, string>();
  readonly #pages = new RunLists(this.#runs);
  #version = 0;
  /** Above this number of runs some are forgotten. It grows if more are needed. */
  #runLimit = maxRuns;
  /** Runs that were started here and have not been seen yet. */
  readonly #expected = new Set<string>();
  #freshness: Freshness = { kind: 'empty' };
  readonly #changed = new Emitter<StoreChange>();
  readonly #finished = new Emitter<FinishedRun>();
  readonly onDidChange = this.#changed.event;
  readonly #listed = new Emitter<void>();
  /** Fires after a job list was read: settings that no view shows may have changed. */
  readonly onDidListJobs = this.#listed.event;
  /** Returns whether to report the end of a run that had already ended when it was first seen. */
  isAwaitedAttempt: (run: Run) => boolean = () => false;
  /** Fires once for each run that was seen active, or was expected, and has ended, before the change is reported. */
  readonly onDidFinishRun = this.#finished.event;

  get freshness(): Freshness {
    return this.#freshness;
  }

  /** Changes with jobs and states of runs, but not with time. */
  get version(): number {
    return this.#version;
  }

  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** Jobs in display order. The service has its own order; sorted by name, they keep their places. */
  get jobsByName(): readonly Job[] {
    this.#jobsByName ??= sortJobs(this.#jobs.values());
    return this.#jobsByName;
  }

  /** IDs of jobs whose last run must be requested, in any order. */
  get unsettledJobIds(): string[] {
    return this.#settled.size >= this.#jobs.size
      ? []
      : [...this.#jobs.keys()].filter((jobId) => !this.#settled.has(jobId));
  }

  /** Yields the same jobs in display order. */
  *jobsToAsk(): Generator<Job> {
    if (this.#settled.size < this.#jobs.size)
      for (const job of this.jobsByName) if (!this.#settled.has(job.job_id)) yield job;
  }

  job(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  run(runId: string): Run | undefined {
    return this.#runs.get(runId);
  }

  get activeRuns(): Run[] {
    return [...this.#activeIds].map((runId) => this.#runs.get(runId)).filter((run) => run !== undefined);
  }

  get endedRuns(): Run[] {
    return [...this.#runs.values()].filter((run) => wordlessStatus(run).terminal);
  }

  /** Runs that were started here and have not been seen yet; they are polled until they are. */
  get expectedRunIds(): ReadonlySet<string> {
    return this.#expected;
  }

  /** Expects a run that was started here: its end is reported even if it has ended when it is first seen. */
  expect(runId: string): void {
    if (!this.#runs.has(runId)) this.#expected.add(runId);
  }

  /** Returns the runs of a job, newest first, or `undefined` if they were never requested. */
  runsOf(jobId: string): LoadedRuns | undefined {
    return this.#pages.get({ jobId });
  }

  /** One-time runs, newest first, or `undefined` if they were never requested. */
  get oneTimeRuns(): LoadedRuns | undefined {
    return this.#pages.get('oneTime');
  }

  /** Runs of all jobs and one-time runs, newest first, or `undefined` if they were never requested. */
  get allRuns(): LoadedRuns | undefined {
    return this.#pages.get('all');
  }

  /** Whether any run without a job was seen. */
  get hasOneTimeRuns(): boolean {
    return this.#oneTimeIds.size > 0;
  }

  /** Returns the job's last run, as far as it is known; it is the run of `latestRun`. */
  lastRun(jobId: string): LastRun {
    return this.#ofJobs.last(jobId);
  }

  /** Jobs whose last run may have changed. */
  get lastRunChanges(): Pick<ChangeLog, 'mark' | 'since'> {
    return this.#ofJobs.changes;
  }

  /** Returns whether the job has an active run of any age: the last one may have ended before it. */
  hasActiveRun(jobId: string): boolean {
    return [...this.#ofJobs.runIds(jobId)].some((runId) => this.#activeIds.has(runId));
  }

  /** Returns whether the job's last run is known for certain. */
  isSettled(jobId: string): boolean {
    return this.#settled.has(jobId);
  }

  /** Marks jobs whose last runs were requested: the results were merged, and the other jobs have none. */
  settle(jobIds: Iterable<string>): void {
    const changed = new Set<string>();
    for (const jobId of jobIds) {
      // The newest runs may belong to jobs that are not listed: one-time runs and runs of deleted jobs.
      if (!this.#jobs.has(jobId)) continue;
      this.#settled.add(jobId);
      if (this.#ofJobs.settle(jobId)) changed.add(jobId);
    }
    if (changed.size === 0) return;
    this.#version += 1;
    this.#changed.fire({ kind: 'runs', jobIds: changed, oneTime: false });
  }

  /** Requests the last runs of all jobs again. The known ones stay visible until then. */
  askAgain(): void {
    this.#settled.clear();
  }

  /** Marks last runs as uncertain: runs may have come and gone unseen, so they are requested again. */
  unsettle(): void {
    this.#settled.clear();
    if (!this.#ofJobs.unsettle()) return;
    this.#version += 1;
    this.#changed.fire({ kind: 'all' });
  }

  /** Returns the newest known run of the job; active runs and runs that executed come before skipped ones. */
  latestRun(jobId: string): Run | undefined {
    return this.#ofJobs.latest(jobId);
  }

  /** Replaces the job list: jobs that are no longer in it are gone. */
  setJobs(jobs: readonly Job[], nowMs: number): void {
    const [before, wasFresh] = [new Map(this.#jobs), this.#freshness.kind === 'fresh'];
    this.#jobs.clear();
    for (const job of jobs) this.#jobs.set(job.job_id, job);
    for (const jobId of this.#settled) if (!this.#jobs.has(jobId)) this.#settled.delete(jobId);
    this.#ofJobs.keepOnly(this.#jobs);
    for (const jobId of [...this.#pages.jobIds]) if (!this.#jobs.has(jobId)) this.#pages.delete(jobId);
    this.#freshness = { kind: 'fresh', updatedMs: nowMs };
    const isSame =
      before.size === this.#jobs.size && jobs.every((job) => sameJobToReaders(before.get(job.job_id), job));
    this.#jobsByName = isSame ? this.#jobsByName?.map((job) => this.#jobs.get(job.job_id) ?? job) : undefined;
    if (!isSame) this.#version += 1;
    if (!wasFresh || !isSame) this.#changed.fire({ kind: 'all' });
    this.#listed.fire();
  }

  /** Records that there is a service with nothing in it. */
  setNothing(nowMs: number): void {
    const isNews = this.#jobs.size > 0 || this.#runs.size > 0;
    const wasFresh = this.#freshness.kind === 'fresh';
    if (isNews) this.#forget();
    this.#freshness = { kind: 'fresh', updatedMs: nowMs };
    if (isNews) this.#changed.fire({ kind: 'reset' });
    else if (!wasFresh) this.#changed.fire({ kind: 'all' });
  }

  /** Lists with unreadable entries, each with the problem in words: what is shown is incomplete. */
  get skipped(): ReadonlyMap<StoredList, string> {
    return this.#skipped;
  }

  setSkipped(list: StoredList, text: string | undefined): void {
    if (this.#skipped.get(list) === text) return;
    if (text === undefined) this.#skipped.delete(list);
    else this.#skipped.set(list, text);
    this.#changed.fire({ kind: 'all' });
  }

  /** Records that the service reported no change. */
  confirm(nowMs: number): void {
    const wasFresh = this.#freshness.kind === 'fresh';
    this.#freshness = { kind: 'fresh', updatedMs: nowMs };
    if (!wasFresh) this.#changed.fire({ kind: 'all' });
  }

  /** Redraws the elapsed time of active runs. */
  tick(): void {
    const { activeRuns } = this;
    const jobIds = new Set(activeRuns.filter((run) => !isOneTime(run)).map((run) => run.job_id ?? ''));
    if (activeRuns.length > 0) this.#changed.fire({ kind: 'runs', jobIds, oneTime: activeRuns.some(isOneTime) });
  }

  /** Merges runs, in any order, into every loaded page. */
  mergeRuns(runs: readonly Run[], nowMs: number): void {
    this.#merge(runs, nowMs, { jobIds: new Set(), oneTime: false });
  }

  #merge(runs: readonly Run[], nowMs: number, changed: { jobIds: Set<string>; oneTime: boolean }): void {
    const finished: FinishedRun[] = [];
    const groupBefore = this.hasOneTimeRuns;
    for (const given of runs) {
      const before = this.#runs.get(given.run_id);
      const run = withKnownTasks(given, before);
      // A run becomes active again only by a repair: this response was overtaken by a later one. With another start it is another run.
      if (
        before &&
        wordlessStatus(before).terminal &&
        !wordlessStatus(run).terminal &&
        before.start_time === run.start_time &&
        !isRepairable(before)
      )
        continue;
      this.#keep(run);
      if (!before) this.#pages.add(run);
      if (!before || !sameToReaders(before, run)) this.#version += 1;
      const awaited =
        this.#expected.delete(run.run_id) || (before ? wordlessStatus(before).active : this.isAwaitedAttempt(run));
      // The duration of an active run is visible, so it counts as changed.
      if (before && !wordlessStatus(run).active && sameToReaders(before, run)) continue;
      if (isOneTime(run)) changed.oneTime = true;
      else if (run.job_id !== undefined) changed.jobIds.add(run.job_id);
      if (awaited && wordlessStatus(run).terminal) finished.push({ run, job: this.#jobs.get(run.job_id ?? '') });
    }
    this.#prune();
    const wasFresh = this.#freshness.kind === 'fresh';
    this.#freshness = { kind: 'fresh', updatedMs: nowMs };
    for (const item of finished) this.#finished.fire(item);
    const groupAppeared = !groupBefore && this.hasOneTimeRuns;
    if (!wasFresh || groupAppeared) this.#changed.fire({ kind: 'all' });
    else if (changed.oneTime || changed.jobIds.size > 0) this.#changed.fire({ kind: 'runs', ...changed });
  }

  #keep(run: Run): void {
    this.#runs.set(run.run_id, run);
    if (wordlessStatus(run).active) this.#activeIds.add(run.run_id);
    else this.#activeIds.delete(run.run_id);
    if (isOneTime(run)) this.#oneTimeIds.add(run.run_id);
    else if (run.job_id !== undefined) this.#ofJobs.add(run.job_id, run.run_id);
  }

  #drop(runId: string): void {
    const run = this.#runs.get(runId);
    this.#version += 1;
    this.#runs.delete(runId);
    this.#oneTimeIds.delete(runId);
    this.#activeIds.delete(runId);
    if (run?.job_id !== undefined) this.#ofJobs.remove(run.job_id, runId);
  }

  /** Removes runs that nobody looks at, which would pile up over days of polling. */
  #prune(): void {
    if (this.#runs.size <= this.#runLimit) return;
    const shown = new Set(this.#pages.runIds());
    for (const jobId of this.#ofJobs.jobIds) shown.add(this.latestRun(jobId)?.run_id ?? '');
    const endedAndHidden = this.endedRuns.filter((run) => !shown.has(run.run_id));
    // Down to half of them, so that this is not needed at every poll.
    const oldestFirst = endedAndHidden.sort((left, right) => (isNewer(left, right) ? 1 : -1));
    for (const run of oldestFirst.slice(0, this.#runs.size - maxRuns / 2)) this.#drop(run.run_id);
    // With thousands of jobs, the last runs alone may be more.
    this.#runLimit = Math.max(maxRuns, this.#runs.size + maxRuns / 2);
  }

  /** Sets a page of a job's runs, newest first. Runs that started after the request stay at its top. */
  setRunsOf(jobId: string, runs: readonly Run[], hasMore: boolean, nowMs: number): void {
    const changed = this.#pages.set({ jobId }, runs, hasMore, this.#ofJobs.runIds(jobId));
    if (runs.length === 0) this.settle([jobId]);
    else this.#settled.add(jobId);
    this.#merge(runs, nowMs, { jobIds: new Set(changed ? [jobId] : []), oneTime: false });
  }

  /** Does the same for one-time runs. */
  setOneTimeRuns(runs: readonly Run[], hasMore: boolean, nowMs: number): void {
    const changed = this.#pages.set('oneTime', runs, hasMore, this.#oneTimeIds);
    this.#merge(runs, nowMs, { jobIds: new Set(), oneTime: changed });
  }

  /**
   * Does the same for all runs.
   * @param older whether they follow the loaded ones
   */
  setAllRuns(runs: readonly Run[], hasMore: boolean, nowMs: number, { older = false } = {}): void {
    const changed = older
      ? this.#pages.append(runs, hasMore)
      : this.#pages.set('all', runs, hasMore, this.#runs.keys());
    this.#merge(runs, nowMs, { jobIds: new Set(), oneTime: false });
    if (changed) this.#changed.fire({ kind: 'all' });
  }

  /** Forgets the pages: runs may have come and gone unseen, so visible ones are requested again. */
  forgetPages(): void {
    if (this.#pages.clear()) this.#changed.fire({ kind: 'all' });
  }

  removeRun(runId: string): void {
    const jobId = this.#runs.get(runId)?.job_id;
    this.#expected.delete(runId);
    this.#drop(runId);
    // Another run is the last one now, and only the service knows which, if any.
    if (jobId !== undefined) {
      this.#settled.delete(jobId);
      if (this.runsOf(jobId)?.runs.length === 0) this.#pages.delete(jobId);
    }
    this.#changed.fire({ kind: 'all' });
  }

  removeJob(jobId: string): void {
    for (const known of [this.#jobs, this.#settled]) known.delete(jobId);
    this.#ofJobs.keepOnly(this.#jobs);
    this.#jobsByName = undefined;
    this.#version += 1;
    this.#pages.delete(jobId);
    this.#changed.fire({ kind: 'all' });
  }

  /** Keeps what is shown and marks it as outdated. */
  markStale(error: AppError): void {
    this.#freshness = {
      kind: 'stale',
      updatedMs: this.#freshness.kind === 'empty' ? undefined : this.#freshness.updatedMs,
      error,
    };
    this.#changed.fire({ kind: 'all' });
  }

  /** Forgets everything, for another profile. */
  clear(): void {
    this.#forget();
    this.#freshness = { kind: 'empty' };
    this.#changed.fire({ kind: 'reset' });
  }

  #forget(): void {
    this.#jobs.clear();
    this.#version += 1;
    this.#jobsByName = undefined;
    for (const known of [this.#runs, this.#ofJobs, this.#pages, this.#skipped]) known.clear();
    this.#runLimit = maxRuns;
    for (const ids of [this.#settled, this.#activeIds, this.#oneTimeIds, this.#expected]) ids.clear();
  }

  dispose(): void {
    for (const told of [this.#changed, this.#listed, this.#finished]) told.dispose();
  }
}
