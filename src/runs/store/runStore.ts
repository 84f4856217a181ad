import type { Job, Run } from '../../api/schema/jobs/schemas.ts';
import type { AppError } from '../../shared/errors.ts';
import { Emitter } from '../../shared/event.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { sortJobs } from '../jobNames.ts';
import { isNewer, isOneTime, type LastRun } from '../runOrder.ts';
import { wordlessStatus } from '../runState.ts';
import type { ChangeLog } from './changeLog.ts';
import type { StoredList } from './knownRuns.ts';
import { RunLists, type LoadedRuns } from './runLists.ts';
import { RunsOfJobs } from './runsOfJobs.ts';
import { sameJobToReaders, sameToReaders } from './sameToReaders.ts';

/** One run that reached its end while it was watched. */
export interface FinishedRun {
  readonly run: Run;
  readonly job: Job | undefined;
}

/** What changed, so that a view of thousands of jobs draws only what it must. */
export type StoreChange =
  | { readonly kind: 'all' } // jobs came or went, the freshness turned
  | { readonly kind: 'reset' } // everything was forgotten: nothing that was shown may stay
  | { readonly kind: 'runs'; readonly jobIds: ReadonlySet<string>; readonly oneTime: boolean };

export type Freshness =
  | { readonly kind: 'empty' } // nothing was asked yet
  | { readonly kind: 'fresh'; readonly updatedMs: number }
  | { readonly kind: 'stale'; readonly updatedMs: number | undefined; readonly error: AppError };

/** Above this many, ended runs that no view shows are forgotten. */
const maxRuns = 5000;

/**
 * Jobs and runs of one connection as last seen. Everything that shows a run reads it from here; only the poller
 * and the commands write. Runs are replaced whole, so a change is a different object.
 */
export class RunStore implements Disposable {
  readonly #jobs = new Map<string, Job>();
  readonly #runs = new Map<string, Run>();
  readonly #ofJobs = new RunsOfJobs(this.#runs);
  readonly #oneTimeIds = new Set<string>();
  readonly #activeIds = new Set<string>();
  /** Jobs whose last run needs no asking: it is among the runs that are known, or there is none. */
  readonly #settled = new Set<string>();
  #jobsByName: readonly Job[] | undefined;
  readonly #skipped = new Map<StoredList, string>();
  readonly #pages = new RunLists(this.#runs);
  #version = 0;
  /** With more runs than this some are forgotten: once many are needed, more than usual. */
  #runLimit = maxRuns;
  /** Runs that were started here and not seen yet. */
  readonly #expected = new Set<string>();
  #freshness: Freshness = { kind: 'empty' };
  readonly #changed = new Emitter<StoreChange>();
  readonly #finished = new Emitter<FinishedRun>();
  readonly onDidChange = this.#changed.event;
  readonly #listed = new Emitter<void>();
  /** A job list was read: settings that no view shows may be others. */
  readonly onDidListJobs = this.#listed.event;
  /** Whether the end of a run is told that has ended by the first sight of it. */
  isAwaitedAttempt: (run: Run) => boolean = () => false;
  /** Fires once for each run that was seen active, or was expected, and has ended; before the change is told. */
  readonly onDidFinishRun = this.#finished.event;

  get freshness(): Freshness {
    return this.#freshness;
  }

  /** Another number once jobs or states of runs are others; that time passes is not a change. */
  get version(): number {
    return this.#version;
  }

  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** In the order in which they are shown. The service lists jobs in its own order; by name they stay where the eye left them. */
  get jobsByName(): readonly Job[] {
    this.#jobsByName ??= sortJobs(this.#jobs.values());
    return this.#jobsByName;
  }

  /** Ids of jobs whose last run is to be asked for, in any order. */
  get unsettledJobIds(): string[] {
    return this.#settled.size >= this.#jobs.size
      ? []
      : [...this.#jobs.keys()].filter((jobId) => !this.#settled.has(jobId));
  }

  /** The same jobs in the order in which they are shown. */
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

  /** Runs that were started here and not seen yet: they are looked for until they are. */
  get expectedRunIds(): ReadonlySet<string> {
    return this.#expected;
  }

  /** A run was started here: its end is told even if it has ended by the first sight of it. */
  expect(runId: string): void {
    if (!this.#runs.has(runId)) this.#expected.add(runId);
  }

  /** Runs of a job, newest first, or undefined if they were not asked for yet. */
  runsOf(jobId: string): LoadedRuns | undefined {
    return this.#pages.get({ jobId });
  }

  /** Runs without a job, newest first, or undefined if they were not asked for yet. */
  get oneTimeRuns(): LoadedRuns | undefined {
    return this.#pages.get('oneTime');
  }

  /** Runs of all jobs and of none, newest first, or undefined if they were not asked for yet. */
  get allRuns(): LoadedRuns | undefined {
    return this.#pages.get('all');
  }

  /** Whether any run without a job was seen. */
  get hasOneTimeRuns(): boolean {
    return this.#oneTimeIds.size > 0;
  }

  /** How the job went last, as far as that is known: the run is that of `latestRun`. */
  lastRun(jobId: string): LastRun {
    return this.#ofJobs.last(jobId);
  }

  /** Jobs of which that may be another now. */
  get lastRunChanges(): Pick<ChangeLog, 'mark' | 'since'> {
    return this.#ofJobs.changes;
  }

  /** Of any age: the last one may have ended before it. */
  hasActiveRun(jobId: string): boolean {
    return [...this.#ofJobs.runIds(jobId)].some((runId) => this.#activeIds.has(runId));
  }

  /** Whether the job's last run needs no asking. */
  isSettled(jobId: string): boolean {
    return this.#settled.has(jobId);
  }

  /** The service was asked for the last runs of these jobs: what it gave was merged, and the others have none. */
  settle(jobIds: Iterable<string>): void {
    const changed = new Set<string>();
    for (const jobId of jobIds) {
      // The newest runs may be those of jobs that are not listed, as one-time runs and runs of deleted jobs are.
      if (!this.#jobs.has(jobId)) continue;
      this.#settled.add(jobId);
      if (this.#ofJobs.settle(jobId)) changed.add(jobId);
    }
    if (changed.size === 0) return;
    this.#version += 1;
    this.#changed.fire({ kind: 'runs', jobIds: changed, oneTime: false });
  }

  /** The user wants to know how each job went last as it is now; what is known is shown until then. */
  askAgain(): void {
    this.#settled.clear();
  }

  /** Runs may have come and gone unseen: what is known of jobs may not be their last run any more, and is asked for again. */
  unsettle(): void {
    this.#settled.clear();
    if (!this.#ofJobs.unsettle()) return;
    this.#version += 1;
    this.#changed.fire({ kind: 'all' });
  }

  /** The newest run of the job among those known; one that was skipped comes after one that goes on and after one that ran. */
  latestRun(jobId: string): Run | undefined {
    return this.#ofJobs.latest(jobId);
  }

  /** The job list as the service has it now: jobs that are no longer in it are gone. */
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

  /** There is a service, and nothing in it. */
  setNothing(nowMs: number): void {
    const isNews = this.#jobs.size > 0 || this.#runs.size > 0;
    const wasFresh = this.#freshness.kind === 'fresh';
    if (isNews) this.#forget();
    this.#freshness = { kind: 'fresh', updatedMs: nowMs };
    if (isNews) this.#changed.fire({ kind: 'reset' });
    else if (!wasFresh) this.#changed.fire({ kind: 'all' });
  }

  /** Lists of which some entries could not be read, each with what is wrong in words: what is shown is not all there is. */
  get skipped(): ReadonlyMap<StoredList, string> {
    return this.#skipped;
  }

  setSkipped(list: StoredList, text: string | undefined): void {
    if (this.#skipped.get(list) === text) return;
    if (text === undefined) this.#skipped.delete(list);
    else this.#skipped.set(list, text);
    this.#changed.fire({ kind: 'all' });
  }

  /** The service says that all is as it was. */
  confirm(nowMs: number): void {
    const wasFresh = this.#freshness.kind === 'fresh';
    this.#freshness = { kind: 'fresh', updatedMs: nowMs };
    if (!wasFresh) this.#changed.fire({ kind: 'all' });
  }

  /** Time has passed: what active runs show of it is drawn again. */
  tick(): void {
    const { activeRuns } = this;
    const jobIds = new Set(activeRuns.filter((run) => !isOneTime(run)).map((run) => run.job_id ?? ''));
    if (activeRuns.length > 0) this.#changed.fire({ kind: 'runs', jobIds, oneTime: activeRuns.some(isOneTime) });
  }

  /** Runs that were seen anew, in any order; each page that is loaded takes them in. */
  mergeRuns(runs: readonly Run[], nowMs: number): void {
    this.#merge(runs, nowMs, { jobIds: new Set(), oneTime: false });
  }

  #merge(runs: readonly Run[], nowMs: number, changed: { jobIds: Set<string>; oneTime: boolean }): void {
    const finished: FinishedRun[] = [];
    const groupBefore = this.hasOneTimeRuns;
    for (const run of runs) {
      const before = this.#runs.get(run.run_id);
      // A run does not go on after its end: this is an answer that was overtaken by a later one. With another start it is another run:
      // a service that was emptied gives out its ids again.
      if (
        before &&
        wordlessStatus(before).terminal &&
        !wordlessStatus(run).terminal &&
        before.start_time === run.start_time
      )
        continue;
      this.#keep(run);
      if (!before) this.#pages.add(run);
      if (!before || !sameToReaders(before, run)) this.#version += 1;
      const awaited =
        this.#expected.delete(run.run_id) || (before ? wordlessStatus(before).active : this.isAwaitedAttempt(run));
      // The duration of an active run is shown, so it counts as changed.
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

  /** In days of polling, runs that nobody looks at would pile up. */
  #prune(): void {
    if (this.#runs.size <= this.#runLimit) return;
    const shown = new Set(this.#pages.runIds());
    for (const jobId of this.#ofJobs.jobIds) shown.add(this.latestRun(jobId)?.run_id ?? '');
    const endedAndHidden = this.endedRuns.filter((run) => !shown.has(run.run_id));
    // Down to half of them, so that not every look has to do this.
    const oldestFirst = endedAndHidden.sort((left, right) => (isNewer(left, right) ? 1 : -1));
    for (const run of oldestFirst.slice(0, this.#runs.size - maxRuns / 2)) this.#drop(run.run_id);
    // Of thousands of jobs the last runs alone may be more.
    this.#runLimit = Math.max(maxRuns, this.#runs.size + maxRuns / 2);
  }

  /** A page of a job's runs, from the newest on. Runs that started since it was asked for stay at its top. */
  setRunsOf(jobId: string, runs: readonly Run[], hasMore: boolean, nowMs: number): void {
    const changed = this.#pages.set({ jobId }, runs, hasMore, this.#ofJobs.runIds(jobId));
    if (runs.length === 0) this.settle([jobId]);
    else this.#settled.add(jobId);
    this.#merge(runs, nowMs, { jobIds: new Set(changed ? [jobId] : []), oneTime: false });
  }

  /** The same for runs without a job. */
  setOneTimeRuns(runs: readonly Run[], hasMore: boolean, nowMs: number): void {
    const changed = this.#pages.set('oneTime', runs, hasMore, this.#oneTimeIds);
    this.#merge(runs, nowMs, { jobIds: new Set(), oneTime: changed });
  }

  /**
   * The same for the runs of all jobs and of none.
   * @param older whether they follow those that are there
   */
  setAllRuns(runs: readonly Run[], hasMore: boolean, nowMs: number, { older = false } = {}): void {
    const changed = older
      ? this.#pages.append(runs, hasMore)
      : this.#pages.set('all', runs, hasMore, this.#runs.keys());
    this.#merge(runs, nowMs, { jobIds: new Set(), oneTime: false });
    if (changed) this.#changed.fire({ kind: 'all' });
  }

  /** Runs may have come and gone unseen: what is shown of them is asked for again. */
  forgetPages(): void {
    if (this.#pages.clear()) this.#changed.fire({ kind: 'all' });
  }

  removeRun(runId: string): void {
    const jobId = this.#runs.get(runId)?.job_id;
    this.#expected.delete(runId);
    this.#drop(runId);
    // Another one is the last now, and which one, or whether there is any, is for the service to say.
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

  /** What is shown stays, marked as not current. */
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
