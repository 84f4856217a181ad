import type { CallOptions, JobsClient } from '../api/client.ts';
import type { Run } from '../api/jobs/schemas.ts';
import { delay, systemClock, type Clock } from '../shared/clock.ts';
import { isAbort, toAppError, type ErrorKind } from '../shared/errors.ts';
import type { Disposable } from '../shared/lifecycle.ts';
import { isOneTime, type RunStore } from './runStore.ts';

export interface PollIntervals {
  /** While a run is active. */
  activeInMs: number;
  /** While nothing runs: new runs of schedules and colleagues still appear. */
  idleInMs: number;
  /** How old the job list may be: it may be 20 MB, and runs are what changes. */
  jobListInMs: number;
  /** Longest pause after failures. */
  longestBackOffInMs: number;
}

export const remoteIntervals: PollIntervals = { activeInMs: 3000, idleInMs: 30_000, jobListInMs: 60_000, longestBackOffInMs: 120_000 };
/** The local service answers in a millisecond, so its runs are shown as they change. */
export const localIntervals: PollIntervals = { activeInMs: 700, idleInMs: 5000, jobListInMs: 5000, longestBackOffInMs: 15_000 };

export interface LookOptions extends CallOptions {
  byUser?: boolean;
}

/** `full` while somebody sees the runs or waits for one, `slow` while only their number is to be seen. */
export type Attention = 'full' | 'slow' | 'none';

export interface PollerOptions {
  store: RunStore;
  /**
   * Undefined where there is a service but nothing in it yet.
   * @param options.byUser the user asks for this look: a service that he stopped may be started for it
   */
  connect(options: LookOptions): Promise<{ client: { jobs: JobsClient }; intervals: PollIntervals } | undefined>;
  /** For pauses after a failure to connect; those of a remote service where it is left out. */
  intervals?(): PollIntervals;
  clock?: Clock;
}

/** Whoever comes back to the view wants a job list that is not older than this. */
const listOnReturnInMs = 5000;
/** Runs that fell out of both lists are asked for one by one, few at a time, so that a look has a bounded cost. */
const singleRunsPerTick = 4;
/** Failures that say something of the run that was asked for, not of the service. */
const ofOneRun: ReadonlySet<ErrorKind> = new Set(['rejected', 'forbidden', 'protocol']);
/** A run that is refused this often is given up. */
const mostRefusals = 2;
const newestPageSize = 25;
const activePageSize = 100;

/**
 * Keeps the store true: one loop for every view. A look costs the same number of requests however many jobs
 * there are; it is quick while something is active, slow when idle, and pauses while nobody can see it.
 */
export class RunPoller implements Disposable {
  readonly #options: PollerOptions;
  readonly #clock: Clock;
  #attention: Attention = 'none';
  #loop: AbortController | undefined;
  #wake: AbortController | undefined;
  #failures = 0;
  /** When the service was last asked for the job list; undefined where it was not, of this profile. */
  #listedAtMs: number | undefined;
  /** Whether the loop is at a look, and not in the pause after one. */
  #looking = false;
  #jobsWanted = true;
  /** Looks asked for by `refresh`, counted, so that a look under way does not answer for a later request. */
  #requested = 0;
  /** Whether the user asked for the next look. */
  #byUser = false;
  /** Ends the looks at one profile: what still comes of them belongs to another workspace. */
  #profile = new AbortController();
  /** How often each run that was asked for by itself was refused. */
  readonly #refusals = new Map<string, number>();
  #waiters: { ticket: number; resolve: () => void }[] = [];

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Starts the loop when something shows the runs, slows it down where only their number is shown, pauses it when nothing is. */
  setAttention(attention: Attention): void {
    const before = this.#attention;
    if (attention === before) return;
    this.#attention = attention;
    if (attention === 'full' && this.#listAgeInMs() > listOnReturnInMs) this.#jobsWanted = true;
    if (attention === 'none') this.#stop();
    else if (before === 'none') this.#start();
    else if (attention === 'full') this.#wake?.abort();
  }

  /**
   * Forgets failures and looks at once, the job list included. Resolves after a look that began after this call;
   * a failed look is in the store's freshness.
   */
  async refresh({ signal, byUser = false }: LookOptions = {}): Promise<void> {
    this.#failures = 0;
    this.#jobsWanted = true;
    if (!this.#loop) {
      await this.#look(signal ? AbortSignal.any([signal, this.#profile.signal]) : this.#profile.signal, byUser);
      return;
    }
    this.#byUser ||= byUser;
    const ticket = ++this.#requested;
    const looked = new Promise<void>((resolve) => this.#waiters.push({ ticket, resolve }));
    this.#wake?.abort();
    await looked;
  }

  /** Resolves after a look: the one that the loop is at, or else a new one. */
  async firstLook(): Promise<void> {
    if (!this.#loop || !this.#looking) return this.refresh();
    await new Promise<void>((resolve) => this.#waiters.push({ ticket: this.#requested, resolve }));
  }

  /** The service came up or went down: the loop, where there is one, looks now and not after its pause. */
  lookSoon(): void {
    this.#wake?.abort();
  }

  /** The profile changed: what is shown is another workspace's. */
  restart(): void {
    this.#profile.abort();
    this.#profile = new AbortController();
    this.#stop();
    this.#failures = 0;
    this.#listedAtMs = undefined;
    this.#jobsWanted = true;
    this.#options.store.clear();
    this.#refusals.clear();
    if (this.#attention !== 'none') this.#start();
  }

  #start(): void {
    const loop = new AbortController();
    this.#loop = loop;
    void this.#run(loop.signal);
  }

  #stop(): void {
    this.#byUser = false;
    this.#loop?.abort();
    this.#loop = undefined;
    this.#settleWaiters(this.#requested);
  }

  #settleWaiters(upTo: number): void {
    const settled = this.#waiters.filter((waiter) => waiter.ticket <= upTo);
    this.#waiters = this.#waiters.filter((waiter) => waiter.ticket > upTo);
    for (const waiter of settled) waiter.resolve();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const handled = this.#requested;
      this.#looking = true;
      const byUser = this.#byUser;
      this.#byUser = false;
      const intervals = await this.#look(signal, byUser);
      // What was stopped may have been started again since, by another call of this.
      if (signal.aborted) return;
      this.#looking = false;
      this.#settleWaiters(handled);
      if (this.#requested > handled) continue;
      this.#wake = new AbortController();
      try {
        await delay(this.#pause(intervals), { signal: AbortSignal.any([signal, this.#wake.signal]), clock: this.#clock });
      } catch (error) {
        if (!isAbort(error)) throw error;
      }
    }
  }

  #pause(intervals: PollIntervals): number {
    if (this.#failures > 0) return Math.min(intervals.activeInMs * 2 ** this.#failures, intervals.longestBackOffInMs);
    const { activeRuns, expectedRunIds } = this.#options.store;
    return this.#attention === 'full' && (activeRuns.length > 0 || expectedRunIds.size > 0) ? intervals.activeInMs : intervals.idleInMs;
  }

  #listAgeInMs(): number {
    return this.#listedAtMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - this.#listedAtMs;
  }

  /** Never rejects: a failure is a state of the store, not an exception. */
  async #look(signal: AbortSignal, byUser: boolean): Promise<PollIntervals> {
    let intervals = this.#options.intervals?.() ?? remoteIntervals;
    try {
      const connection = await this.#options.connect({ signal, byUser });
      signal.throwIfAborted();
      if (!connection) {
        this.#jobsWanted = true;
        this.#options.store.setNothing(this.#clock.now());
        return localIntervals;
      }
      intervals = connection.intervals;
      await this.#read(connection.client.jobs, intervals, signal);
      this.#failures = 0;
    } catch (error) {
      if (signal.aborted) return intervals;
      this.#failures += 1;
      this.#options.store.markStale(toAppError(error));
    }
    return intervals;
  }

  async #read(jobs: JobsClient, { jobListInMs }: PollIntervals, signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const askedAtMs = this.#clock.now();
    const withJobs = this.#jobsWanted || this.#listAgeInMs() >= jobListInMs;
    // Taken now: whoever wants the list while this look is under way wants a newer one.
    this.#jobsWanted = false;
    const wasActive = store.activeRuns.map((run) => run.run_id);
    const wasEnded = store.endedRuns;
    const wasKnown = (run: Run): boolean => store.run(run.run_id) !== undefined;
    try {
      // active_only leaves QUEUED runs out and the newest page leaves old active ones out, so both are read.
      // The loop itself looks again, so a failed request is told at once instead of being repeated behind its back.
      const options: CallOptions = { signal, retry: 'fail' };
      const [newest, active, jobList] = await Promise.all([
        jobs.listRuns({ limit: newestPageSize }, options),
        jobs.listRuns({ active_only: true, limit: activePageSize }, options),
        withJobs ? jobs.list(options) : undefined,
      ]);
      signal.throwIfAborted();
      if (jobList) {
        this.#listedAtMs = askedAtMs;
        store.setJobs(jobList, this.#clock.now());
      }
      // Everything in the newest page is news: there may be more between it and what was known.
      if (newest.has_more && newest.runs.length > 0 && !newest.runs.some(wasKnown)) store.forgetPages();
      const seen = new Map<string, Run>([...newest.runs, ...active.runs].map((run) => [run.run_id, run]));
      for (const run of wasEnded) if (!seen.has(run.run_id) && shouldBeIn(newest, run)) store.removeRun(run.run_id);
      store.mergeRuns([...seen.values()], this.#clock.now());
      const missing = [...new Set([...wasActive, ...store.expectedRunIds])].filter((runId) => !seen.has(runId)).slice(0, singleRunsPerTick);
      const ended = await Promise.all(missing.map((runId) => this.#readOne(jobs, runId, signal)));
      signal.throwIfAborted();
      store.mergeRuns(ended.filter((run) => run !== undefined), this.#clock.now());
      // A run of a job that the list does not have yet: the list is older than the run.
      this.#jobsWanted ||= !withJobs && [...seen.values()].some((run) => run.job_id !== undefined && !isOneTime(run) && !store.job(run.job_id));
    } catch (error) {
      this.#jobsWanted ||= withJobs;
      throw error;
    }
  }

  /** Never fails for what is wrong with this one run alone: the others must be shown all the same. */
  async #readOne(jobs: JobsClient, runId: string, signal: AbortSignal): Promise<Run | undefined> {
    try {
      const run = await jobs.getRun(runId, { signal, retry: 'fail' });
      this.#refusals.delete(runId);
      return run;
    } catch (error) {
      const failure = toAppError(error);
      // Deleted meanwhile; services say so with 404 or, as the document allows, 400.
      const isNotFound = failure.kind === 'notFound' || failure.errorCode === 'RESOURCE_DOES_NOT_EXIST';
      if (!isNotFound && !ofOneRun.has(failure.kind)) throw failure;
      // One that was started a moment ago may not be there to be read yet.
      const isGone = isNotFound && !this.#options.store.expectedRunIds.has(runId);
      const refusals = (this.#refusals.get(runId) ?? 0) + 1;
      this.#refusals.set(runId, refusals);
      // It is neither among the active ones nor among the newest, and the service will not show it: it is not shown here either.
      if (isGone || refusals >= mostRefusals) {
        this.#refusals.delete(runId);
        if (!signal.aborted) this.#options.store.removeRun(runId);
      }
      return undefined;
    }
  }

  dispose(): void {
    this.#attention = 'none';
    this.#profile.abort();
    this.#stop();
  }
}

type RunPage = Awaited<ReturnType<JobsClient['listRuns']>>;

/** Whether the page would show the run if it were still there: runs are listed most recent first (Jobs API 2.0, runs/list). */
function shouldBeIn(page: RunPage, run: Run): boolean {
  if (!page.has_more && page.runs.length < newestPageSize) return true;
  const oldest = page.runs.at(-1)?.start_time;
  return oldest !== undefined && run.start_time !== undefined && run.start_time > oldest;
}
