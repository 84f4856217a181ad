import type { CallOptions, JobsClient } from '../api/client/client.ts';
import type { Job, Run } from '../api/schema/jobs/schemas.ts';
import { delay, type Clock } from '../shared/clock.ts';
import { isAbort, toAppError, type ErrorKind } from '../shared/errors.ts';
import type { Disposable } from '../shared/lifecycle.ts';
import { isTriedAgain, longestToNextAttemptMs, nextAttemptIn, runsWithNextAttempt } from './attempts.ts';
import { failedPhases, runStatus } from './runState.ts';

export interface AwayRunsOptions {
  readonly clock: Clock;
  /**
   * Returns the client of a profile that is not the current one, or `undefined` if the profile no longer exists.
   * @throws any error of connecting
   */
  connectTo(profileId: string, options: { signal: AbortSignal }): Promise<{ jobs: JobsClient } | undefined>;
  /**
   * Called when the run has ended.
   * @param job as known when the user left the profile
   */
  onFinished(profileId: string, run: Run, job: Job | undefined): void;
  /** Logs why a run is no longer watched. */
  onGivenUp(runId: string, error: unknown, profileId: string): void;
}

/** A run whose end is awaited. */
export interface AwayRun {
  readonly runId: string;
  job: Job | undefined;
  /** Set when the run has ended and its next attempt is awaited, until `untilMs` at the latest. */
  readonly retried?: { readonly run: Run; readonly untilMs: number };
}

interface WatchedRun extends AwayRun {
  readonly sinceMs: number;
  refusals: number;
}

/** Maximum watched runs per profile; the oldest are dropped. */
const maxRuns = 50;
/** Runs requested per round and profile. */
const runsPerRound = 4;
const minPauseInMs = 3000;
const maxPauseInMs = 60_000;
/** How many refused requests before a run is given up. */
const maxRefusals = 3;
/** Failures that concern the requested run rather than the service. */
const ofOneRun: ReadonlySet<ErrorKind> = new Set(['rejected', 'forbidden', 'notFound', 'protocol']);

/** Watches runs that were started here on profiles that are no longer shown, since the user still waits for their end. */
export class AwayRuns implements Disposable {
  readonly #options: AwayRunsOptions;
  readonly #runs = new Map<string, WatchedRun[]>();
  #loop: AbortController | undefined;

  constructor(options: AwayRunsOptions) {
    this.#options = options;
  }

  /** Watches the run, and its further attempts, to the end. */
  add(profileId: string, away: AwayRun): void {
    const others = (this.#runs.get(profileId) ?? []).filter(({ runId }) => runId !== away.runId);
    this.#runs.set(
      profileId,
      [...others, { ...away, sinceMs: this.#options.clock.now(), refusals: 0 }].slice(-maxRuns),
    );
    if (this.#loop) return;
    this.#loop = new AbortController();
    void this.#watch(this.#loop.signal);
  }

  /** Stops watching the runs of a profile that is shown again, and returns them. */
  take(profileId: string): readonly AwayRun[] {
    const runs = this.#runs.get(profileId) ?? [];
    this.#runs.delete(profileId);
    if (this.#runs.size === 0) this.#stop();
    return runs;
  }

  dispose(): void {
    this.#runs.clear();
    this.#stop();
  }

  #stop(): void {
    this.#loop?.abort();
    this.#loop = undefined;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    try {
      while (this.#runs.size > 0) {
        await delay(this.#pauseInMs(), { signal, clock: this.#options.clock });
        for (const profileId of [...this.#runs.keys()]) await this.#round(profileId, signal);
      }
      this.#loop = undefined;
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) throw error;
    }
  }

  /** Returns the pause until the next round: short for runs that started recently, one minute for those that last hours. */
  #pauseInMs(): number {
    const youngestMs = Math.max(...[...this.#runs.values()].flat().map((run) => run.sinceMs));
    return Math.min(maxPauseInMs, minPauseInMs + (this.#options.clock.now() - youngestMs) / 20);
  }

  /** Requests the next runs of a profile. If the service cannot be reached, the next round retries. */
  async #round(profileId: string, signal: AbortSignal): Promise<void> {
    try {
      const client = await this.#options.connectTo(profileId, { signal });
      signal.throwIfAborted();
      if (!client) {
        this.#runs.delete(profileId);
        return;
      }
      const asked = this.#runs.get(profileId)?.slice(0, runsPerRound) ?? [];
      for (const run of asked) await this.#ask(client.jobs, profileId, run, signal);
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }

  async #ask(jobs: JobsClient, profileId: string, away: WatchedRun, signal: AbortSignal): Promise<void> {
    /** The run to watch from now on. */
    let next: WatchedRun | undefined = away;
    // When the profile is shown again, its runs are taken, possibly during a request for one of them.
    const isTaken = (): boolean => !this.#runs.get(profileId)?.includes(away);
    if (isTaken()) return;
    const options = { signal, retry: 'fail' } as const;
    try {
      const run = await seen(jobs, away, options);
      // The job's settings determine whether the run is retried.
      if (run?.job_id !== undefined && failedPhases.has(runStatus(run).phase))
        away.job ??= await jobs.get(run.job_id, options).catch(() => undefined);
      signal.throwIfAborted();
      if (isTaken()) return;
      away.refusals = 0;
      next = this.#after(profileId, away, run);
    } catch (error) {
      if (signal.aborted || !ofOneRun.has(toAppError(error).kind)) throw error;
      if (isTaken()) return;
      away.refusals += 1;
      if (away.refusals >= maxRefusals) {
        next = undefined;
        this.#options.onGivenUp(away.runId, error, profileId);
      }
    }
    // Move the run to the end of the queue so that all get their turn.
    const others = (this.#runs.get(profileId) ?? []).filter((run) => run !== away);
    if (next) others.push(next);
    if (others.length > 0) this.#runs.set(profileId, others);
    else this.#runs.delete(profileId);
  }

  #after(profileId: string, away: WatchedRun, run: Run | undefined): WatchedRun | undefined {
    const { job, retried } = away;
    const nowMs = this.#options.clock.now();
    if (!run) return retried && nowMs > retried.untilMs ? undefined : away;
    const watched = { runId: run.run_id, job, sinceMs: nowMs, refusals: 0 };
    if (!runStatus(run).terminal) return retried ? watched : away;
    this.#options.onFinished(profileId, run, job);
    return isTriedAgain(run, job?.settings)
      ? { ...watched, retried: { run, untilMs: nowMs + longestToNextAttemptMs(run, job?.settings) } }
      : undefined;
  }
}

/** Returns the current state of the run; for a retried run its next attempt, or `undefined` as long as there is none. */
async function seen(jobs: JobsClient, { runId, retried }: AwayRun, options: CallOptions): Promise<Run | undefined> {
  if (!retried) return jobs.getRun(runId, options);
  const { runs } = await jobs.listRuns({ job_id: retried.run.job_id, limit: runsWithNextAttempt }, options);
  return nextAttemptIn(runs, retried.run);
}
