import type { JobsClient, LocalServiceClient } from '../../api/client/client.ts';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { Clock } from '../../shared/clock.ts';
import { type ErrorKind, isAbort, toAppError } from '../../shared/errors.ts';
import { isSkipped } from '../runState.ts';
import type { RunStore } from '../store/runStore.ts';

/** Maximum number of requests at once, however many jobs there are. */
const maxAtOnce = 2;
/** Maximum number of jobs requested after one poll. The rest follows after the next one. */
const maxJobsPerLook = 40;
/** Number of runs requested for a job whose newest run was skipped: an earlier run shows its result. */
const runsBehindSkipped = 20;
/** Failures that concern the requested job, not the service. */
const ofOneJob: ReadonlySet<ErrorKind> = new Set(['rejected', 'forbidden', 'notFound', 'protocol']);
/** How long to wait before retrying a job whose runs were refused. */
const refusedForMs = 600_000;

export interface LastRunsOptions {
  readonly store: RunStore;
  readonly clock: Clock;
}

/** Source of last runs: the local service reports all jobs at once, other services one job after another. */
export interface LastRunsSource {
  readonly jobs: JobsClient;
  readonly localService?: LocalServiceClient;
}

/**
 * Finds the last run of each job. The newest runs of a workspace belong to a few busy jobs: a job that failed yesterday is not among them,
 * and must not look as if it had never run. Requests are lazy: first the jobs that the user points at, then in the order of the rows.
 */
export class LastRuns {
  readonly #store: RunStore;
  readonly #clock: Clock;
  /** Jobs that the user points at, latest first. */
  #wanted: string[] = [];
  readonly #refusedUntilMs = new Map<string, number>();
  #filling: Promise<void> | undefined;
  readonly #slots = new Slots(maxAtOnce);

  constructor({ store, clock }: LastRunsOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Forgets everything for another profile. */
  clear(): void {
    this.#wanted = [];
    this.#refusedUntilMs.clear();
    this.#filling = undefined;
  }

  /** Sends a request that somebody waits for, before the others and beside at most one other. */
  ask<T>(question: () => Promise<T>): Promise<T> {
    return this.#slots.run(question, { isNext: true });
  }

  /** Moves a job that the user points at to the front. */
  want(jobId: string): void {
    this.#wanted = [jobId, ...this.#wanted.filter((other) => other !== jobId)].slice(0, maxJobsPerLook);
  }

  /** Requests some of the missing last runs; a concurrent call joins in. Never rejects: what fails is requested after the next poll. */
  fill(source: LastRunsSource, signal: AbortSignal): Promise<void> {
    if (this.#filling) return this.#filling;
    const filling = (
      source.localService ? this.#fillAtOnce(source.localService, signal) : this.#fillOneByOne(source.jobs, signal)
    )
      .catch(() => undefined)
      .finally(() => {
        if (this.#filling === filling) this.#filling = undefined;
      });
    this.#filling = filling;
    return filling;
  }

  async #fillAtOnce(localService: LocalServiceClient, signal: AbortSignal): Promise<void> {
    const asked = this.#store.unsettledJobIds;
    if (asked.length === 0) return;
    let afterJobId: string | undefined;
    do {
      const page = await localService.lastRuns(afterJobId, { signal, retry: 'fail' });
      signal.throwIfAborted();
      this.#store.mergeRuns(page.runs, this.#clock.now());
      afterJobId = page.nextAfterJobId;
    } while (afterJobId !== undefined);
    this.#store.settle(asked);
  }

  async #fillOneByOne(jobs: JobsClient, signal: AbortSignal): Promise<void> {
    const asked = this.#next();
    const work = async (): Promise<void> => {
      for (let jobId = asked.shift(); jobId !== undefined; jobId = asked.shift()) await this.#ask(jobs, jobId, signal);
    };
    // A failure of the service ends both.
    await Promise.all(
      Array.from({ length: maxAtOnce }, () =>
        work().catch((error: unknown) => {
          asked.length = 0;
          throw error;
        }),
      ),
    );
  }

  #next(): string[] {
    const now = this.#clock.now();
    const isAllowed = (jobId: string): boolean => (this.#refusedUntilMs.get(jobId) ?? 0) <= now;
    const found = new Set(
      this.#wanted.filter((jobId) => this.#store.job(jobId) && !this.#store.isSettled(jobId) && isAllowed(jobId)),
    );
    this.#wanted = [];
    for (const { job_id: jobId } of this.#store.jobsToAsk()) {
      if (found.size >= maxJobsPerLook) break;
      if (isAllowed(jobId)) found.add(jobId);
    }
    return [...found];
  }

  async #ask(jobs: JobsClient, jobId: string, signal: AbortSignal): Promise<void> {
    try {
      const newest = (limit: number): Promise<{ runs: Run[] }> =>
        this.#slots.run(() => jobs.listRuns({ job_id: jobId, limit }, { signal, retry: 'fail' }));
      let { runs } = await newest(1);
      signal.throwIfAborted();
      if (runs.length === 1 && runs.every(isSkipped)) ({ runs } = await newest(runsBehindSkipped));
      signal.throwIfAborted();
      this.#store.mergeRuns(runs, this.#clock.now());
      // A service that returns the runs of other jobs has said nothing about this one.
      if (runs.every((run) => run.job_id === jobId)) this.#store.settle([jobId]);
      else this.#refusedUntilMs.set(jobId, this.#clock.now() + refusedForMs);
    } catch (error) {
      if (isAbort(error) || signal.aborted || !ofOneJob.has(toAppError(error).kind)) throw error;
      this.#refusedUntilMs.set(jobId, this.#clock.now() + refusedForMs);
    }
  }
}

/** Limits concurrency: at most so many tasks run at once, the rest queue. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Runs the task once there is a free slot.
   * @param options.isNext before all other waiting tasks
   */
  async run<T>(work: () => Promise<T>, { isNext = false } = {}): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => (isNext ? this.#waiting.unshift(resolve) : this.#waiting.push(resolve)));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
