import type { CallOptions, JobsClient, ListStamps, LocalServiceClient } from '../../api/client/client.ts';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import { type Clock, delay, systemClock } from '../../shared/clock.ts';
import { isAbort, toAppError } from '../../shared/errors.ts';
import type { Disposable } from '../../shared/lifecycle.ts';
import { isOneTime } from '../runOrder.ts';
import { isSkipped } from '../runState.ts';
import type { StoredList } from '../store/runLists.ts';
import type { RunStore } from '../store/runStore.ts';
import { ChangeFeed } from './changeFeed.ts';
import { LastRuns } from './lastRuns.ts';
import { type PollIntervals, localIntervals, remoteIntervals } from './pollIntervals.ts';
import { passedOver, readRuns, type ReadRuns } from './readRuns.ts';
import { SingleRuns } from './singleRuns.ts';

/** Connection of a poll. `localService` reports changes without a poll; other services cannot. */
export interface PollConnection {
  readonly client: { jobs: JobsClient; localService?: LocalServiceClient };
  readonly intervals: PollIntervals;
}

export interface PollOptions extends CallOptions {
  readonly byUser?: boolean;
}

/** `full` while runs are visible or one is awaited, `slow` while only their number is visible. */
export type Attention = 'full' | 'slow' | 'none';

export interface PollerOptions {
  readonly store: RunStore;
  /**
   * Returns `undefined` if the service exists but has nothing yet.
   * @param options.byUser the user requested this poll: a service that the user stopped may be started for it
   */
  connect(options: PollOptions): Promise<PollConnection | undefined>;
  /** Pauses after failed connections. Default: those of a remote service. */
  intervals?(): PollIntervals;
  readonly clock?: Clock;
  /** Receives the IDs of the runs that are paused in a debugger, in any window; only the local service reports them. */
  readonly onHeld?: (runIds: readonly string[]) => void;
}

/** Maximum age of the job list when the view becomes visible again. */
const listOnReturnInMs = 5000;
/** Maximum number of runs outside the lists that one poll requests individually, so that its cost is bounded. */
const singleRunsPerTick = 4;
const newestPageSize = 25;
/** How often the durations of active runs are redrawn between polls. */
const tickInMs = 1000;
/** How many times longer than usual a pause may become while nothing changes. */
const maxIdleFactor = 4;

/**
 * Keeps the store up to date with one loop for all views. A poll takes the same number of requests however many jobs there are. Polls are
 * frequent while something is active, rare when idle, and pause while nothing is visible.
 */
export class RunPoller implements Disposable {
  readonly #options: PollerOptions;
  readonly #clock: Clock;
  #attention: Attention = 'none';
  #loop: AbortController | undefined;
  #wake: AbortController | undefined;
  #failures = 0;
  /** Number of polls in a row that found the same runs: the pauses grow with it. */
  #unchanged = 0;
  #polledAtMs = 0;
  /** IDs and states of the runs that the last poll read. */
  #lastStates = '';
  /** When the job list of this profile was last requested; `undefined` if never. */
  #listedAtMs: number | undefined;
  /** Whether the loop is polling, not pausing. */
  #polling = false;
  #jobsWanted = true;
  /** Number of polls that `refresh` requested, so that a poll in progress does not answer a later request. */
  #requested = 0;
  /** Whether the user asked for the next poll. */
  #byUser = false;
  /** Aborts the polls of one profile: their results belong to another workspace. */
  #profile = new AbortController();
  /** The newest page of the last poll, in the service's own order. */
  #lastNewest: readonly string[] = [];
  /** Runs that left the list although the service still has them: it has its own sort order. */
  readonly #confirmed = new Set<string>();
  /** Whether the last poll left runs for the next one to request. */
  #isUnfinished = false;
  /** Set if the service reports changes. */
  #feed: ChangeFeed | undefined;
  /** The feed's stamp of the job list that was read last. */
  #listedStamp: string | undefined;
  #readRunsStamp: string | undefined;
  #runsWanted = true;
  readonly #lastRuns: LastRuns;
  readonly #singleRuns: SingleRuns;
  #waiters: { ticket: number; resolve: () => void }[] = [];

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#lastRuns = new LastRuns({ store: options.store, clock: this.#clock });
    this.#singleRuns = new SingleRuns(options.store);
  }

  /** Starts the loop when something shows the runs, slows it down while only their number is visible, and pauses it when nothing is. */
  setAttention(attention: Attention): void {
    const before = this.#attention;
    if (attention === before) return;
    this.#attention = attention;
    this.#unchanged = 0;
    if (attention === 'full' && !this.#feed && this.#listAgeInMs() > listOnReturnInMs) this.#jobsWanted = true;
    if (attention === 'none') this.#stop();
    else if (before === 'none') this.#start();
    else if (attention === 'full') this.#wake?.abort();
  }

  /**
   * Forgets failures and polls at once, including the job list. Resolves after a poll that began after this call; a failed poll shows in
   * the store's freshness.
   */
  async refresh({ signal, byUser = false }: PollOptions = {}): Promise<void> {
    this.#failures = 0;
    this.#unchanged = 0;
    this.#jobsWanted = true;
    this.#runsWanted = true;
    if (!this.#loop) {
      await this.#poll(signal ? AbortSignal.any([signal, this.#profile.signal]) : this.#profile.signal, byUser);
      return;
    }
    this.#byUser ||= byUser;
    const ticket = ++this.#requested;
    const polled = new Promise<void>((resolve) => this.#waiters.push({ ticket, resolve }));
    this.#wake?.abort();
    await polled;
  }

  /** Resolves after a poll: the current one, or else a new one. */
  async firstPoll(): Promise<void> {
    if (!this.#loop || !this.#polling) return this.refresh();
    await new Promise<void>((resolve) => this.#waiters.push({ ticket: this.#requested, resolve }));
  }

  /** Sends a request that the user waits for. Together with the last runs of jobs, at most two requests are active at once. */
  ask<T>(question: () => Promise<T>): Promise<T> {
    this.#userIsActive();
    return this.#lastRuns.ask(question);
  }

  /** Requests the last run of a job that the user points at before those of others. */
  want(jobId: string): void {
    this.#userIsActive();
    this.#lastRuns.want(jobId);
  }

  /** Ends a pause that is longer than usual. */
  #userIsActive(): void {
    this.#unchanged = 0;
    const { idleInMs } = this.#options.intervals?.() ?? remoteIntervals;
    if (!this.#feed && this.#failures === 0 && this.#clock.now() - this.#polledAtMs > idleInMs) this.#wake?.abort();
  }

  /** Polls immediately instead of after the pause, because the service started or stopped. Does nothing if the loop is off. */
  pollSoon(): void {
    this.#wake?.abort();
  }

  /** Restarts for another profile. */
  restart(): void {
    this.#profile.abort();
    this.#profile = new AbortController();
    this.#stop();
    this.#failures = 0;
    this.#listedAtMs = undefined;
    this.#jobsWanted = true;
    this.#options.store.clear();
    this.#unchanged = 0;
    this.#forgetAnswers();
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
      this.#polling = true;
      const byUser = this.#byUser;
      this.#byUser = false;
      const intervals = await this.#poll(signal, byUser);
      // Another call of this method may have stopped and restarted the loop.
      if (signal.aborted) return;
      this.#polling = false;
      this.#settleWaiters(handled);
      if (this.#requested > handled) continue;
      this.#wake = new AbortController();
      try {
        await this.#rest(intervals, AbortSignal.any([signal, this.#wake.signal]));
      } catch (error) {
        if (!isAbort(error)) throw error;
      }
    }
  }

  /** Waits until the next poll: for a time, or, if the service reports changes, until there is one. */
  async #rest(intervals: PollIntervals, signal: AbortSignal): Promise<void> {
    const clock = this.#clock;
    const feed = this.#feed;
    if (!feed || this.#failures > 0) return delay(this.#pause(intervals), { signal, clock });
    // Minimum distance between polls, however fast changes follow each other.
    await delay(this.#attention === 'full' ? intervals.activeInMs : intervals.idleInMs, { signal, clock });
    if (this.#isUnfinished || this.#jobsWanted || this.#runsWanted) return;
    const over = new AbortController();
    const waiting = AbortSignal.any([signal, over.signal]);
    const waits = [feed.next(waiting), this.#tick(waiting)];
    // Long job lists have a minimum distance of their own.
    if (feed.stamps?.jobs !== this.#listedStamp)
      waits.push(delay(Math.max(0, intervals.jobListInMs - this.#listAgeInMs()), { signal: waiting, clock }));
    try {
      await Promise.race(waits);
    } finally {
      over.abort();
      await Promise.allSettled(waits);
    }
  }

  /** Never resolves: redraws the durations of active runs between polls. */
  async #tick(signal: AbortSignal): Promise<void> {
    for (;;) {
      await delay(tickInMs, { signal, clock: this.#clock });
      if (this.#attention === 'full') this.#options.store.tick();
    }
  }

  #forgetAnswers(): void {
    this.#singleRuns.clear();
    this.#lastRuns.clear();
    this.#confirmed.clear();
    this.#lastNewest = [];
    this.#feed = undefined;
    this.#runsWanted = true;
  }

  #pause(intervals: PollIntervals): number {
    if (this.#failures > 0) return Math.min(intervals.activeInMs * 2 ** this.#failures, intervals.maxBackOffInMs);
    const isBusy = this.#options.store.activeRuns.length > 0 || this.#isUnfinished;
    if (this.#attention === 'full' && isBusy) return intervals.activeInMs;
    return intervals.idleInMs * Math.min(1.5 ** this.#unchanged, maxIdleFactor);
  }

  #listAgeInMs(): number {
    return this.#listedAtMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - this.#listedAtMs;
  }

  /** Never rejects: a failure is a state of the store, not an exception. */
  async #poll(signal: AbortSignal, byUser: boolean): Promise<PollIntervals> {
    let intervals = this.#options.intervals?.() ?? remoteIntervals;
    try {
      const connection = await this.#options.connect({ signal, byUser });
      signal.throwIfAborted();
      if (!connection) {
        this.#jobsWanted = true;
        this.#forgetAnswers();
        this.#options.store.setNothing(this.#clock.now());
        return localIntervals;
      }
      intervals = connection.intervals;
      await this.#read(connection, signal);
      this.#failures = 0;
    } catch (error) {
      if (signal.aborted) return intervals;
      this.#failures += 1;
      this.#options.store.markStale(toAppError(error));
    }
    return intervals;
  }

  async #read({ client, intervals: { jobListInMs } }: PollConnection, signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const askedAtMs = this.#clock.now();
    this.#polledAtMs = askedAtMs;
    // Read first: changes that happen during the poll are read with the next one.
    const stamps = await this.#readStamps(client.localService, signal);
    const isListOld = stamps ? stamps.jobs !== this.#listedStamp : true;
    const withJobs = this.#jobsWanted || (isListOld && this.#listAgeInMs() >= jobListInMs);
    const withRuns = this.#runsWanted || this.#isUnfinished || !stamps || stamps.runs !== this.#readRunsStamp;
    // Reset now: a request during this poll needs a later one.
    this.#jobsWanted = false;
    this.#runsWanted = false;
    try {
      // The loop itself retries, so a failed request is reported at once.
      const options: CallOptions = { signal, retry: 'fail' };
      const skipped = new Map<StoredList, string>();
      const noting = (list: StoredList): CallOptions => ({ ...options, onSkipped: (text) => skipped.set(list, text) });
      const [runs, jobList] = await Promise.all([
        withRuns ? readRuns(client.jobs, newestPageSize, noting('runs')) : undefined,
        withJobs ? client.jobs.list(noting('jobs')) : undefined,
      ]);
      signal.throwIfAborted();
      if (runs) store.setSkipped('runs', skipped.get('runs'));
      if (jobList) store.setSkipped('jobs', skipped.get('jobs'));
      if (jobList) {
        this.#listedAtMs = askedAtMs;
        this.#listedStamp = stamps?.jobs;
        store.setJobs(jobList, this.#clock.now());
      }
      if (runs) await this.#take(runs, client.jobs, signal);
      else if (!jobList) store.confirm(this.#clock.now());
      this.#readRunsStamp = stamps?.runs;
      // A run of a job that is not in the list yet: the list is older than the run.
      const isOfNewJob = (run: Run): boolean => run.job_id !== undefined && !isOneTime(run) && !store.job(run.job_id);
      this.#jobsWanted ||= !withJobs && isListOld && (runs?.all.some(isOfNewJob) ?? false);
      // The local service reports all jobs at once, so before the rows are drawn; other services are asked while nothing waits for them.
      if (stamps) await this.#lastRuns.fill(client, signal);
      else if (this.#attention === 'full') void this.#lastRuns.fill({ jobs: client.jobs }, signal);
      signal.throwIfAborted();
    } catch (error) {
      this.#jobsWanted ||= withJobs;
      this.#runsWanted ||= withRuns;
      throw error;
    }
  }

  /** Returns `undefined` if the service reports no changes. */
  async #readStamps(
    localService: LocalServiceClient | undefined,
    signal: AbortSignal,
  ): Promise<ListStamps | undefined> {
    if (this.#feed?.localService !== localService)
      this.#feed = localService && new ChangeFeed({ ...this.#options, localService, clock: this.#clock });
    const stamps = await this.#feed?.read(signal);
    if (!stamps) this.#feed = undefined;
    return stamps;
  }

  async #take({ newest, all }: ReadRuns, jobs: JobsClient, signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const wasActive = store.activeRuns.map((run) => run.run_id);
    const isSeen = new Set(all.map((run) => run.run_id));
    const newestIds = newest.runs.map((run) => run.run_id);
    const isWhole = !newest.has_more && newestIds.length < newestPageSize;
    // The whole newest page is new: there may be more runs between it and the known ones.
    if (!isWhole && this.#lastNewest.length > 0 && !this.#lastNewest.some((runId) => newestIds.includes(runId))) {
      store.forgetPages();
      store.unsettle();
    }
    const unlisted = isWhole
      ? store.endedRuns.map((run) => run.run_id).filter((runId) => !isSeen.has(runId))
      : passedOver(this.#lastNewest, newestIds);
    this.#lastNewest = newestIds;
    const states = JSON.stringify(all.map((run) => [run.run_id, run.state]));
    this.#unchanged = states === this.#lastStates ? this.#unchanged + 1 : 0;
    this.#lastStates = states;
    store.mergeRuns(all, this.#clock.now());
    // All runs, or the newest of their jobs. If a job's newest run was skipped, its result is still unknown.
    const begun = newest.runs.filter((run) => !isSkipped(run));
    store.settle(isWhole ? store.jobs.map((job) => job.job_id) : begun.flatMap((run) => run.job_id ?? []));
    const unsure = unlisted.filter((runId) => !this.#confirmed.has(runId) && store.run(runId));
    const missing = [...new Set([...wasActive, ...store.expectedRunIds])].filter((runId) => !isSeen.has(runId));
    const asked = [...new Set([...missing, ...unsure])];
    this.#isUnfinished = asked.length > singleRunsPerTick;
    const found = await Promise.all(
      asked.slice(0, singleRunsPerTick).map((runId) => this.#singleRuns.read(jobs, runId, signal)),
    );
    signal.throwIfAborted();
    const given = found.filter((run) => run !== undefined);
    for (const run of given) if (unsure.includes(run.run_id)) this.#confirmed.add(run.run_id);
    store.mergeRuns(given, this.#clock.now());
    this.#isUnfinished ||= store.expectedRunIds.size > 0;
  }

  dispose(): void {
    this.#attention = 'none';
    this.#profile.abort();
    this.#stop();
  }
}
