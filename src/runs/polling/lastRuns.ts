import type { JobsClient, LocalServiceClient } from '../../api/client/client.ts';
import type { Run } from '../../api/schema/jobs/schemas.ts';
import type { Clock } from '../../shared/clock.ts';
import { type ErrorKind, isAbort, toAppError } from '../../shared/errors.ts';
import { isSkipped } from '../runState.ts';
import type { RunStore } from '../store/runStore.ts';

/** So many requests at once, however many jobs there are. */
const maxAtOnce = 2;
/** Jobs that are asked for after one look at the service; the next ones follow after the next look. */
const maxJobsPerLook = 40;
/** A job whose newest run was skipped is asked for so many: how it went is told by one before. */
const runsBehindSkipped = 20;
/** Failures that say something of the job that was asked for, not of the service. */
const ofOneJob: ReadonlySet<ErrorKind> = new Set(['rejected', 'forbidden', 'notFound', 'protocol']);
/** A job whose runs were refused is asked for again after this. */
const refusedForMs = 600_000;

export interface LastRunsOptions {
  readonly store: RunStore;
  readonly clock: Clock;
}

/** What is asked: of the local service all jobs at once, of another one job after the other. */
export interface LastRunsSource {
  readonly jobs: JobsClient;
  readonly localService?: LocalServiceClient;
}

/**
 * Finds out how each job went last. The newest runs of a workspace are those of a few busy jobs: one that failed yesterday is not among
 * them, and must not look as if it had never run. It is asked for lazily, jobs that somebody points at first, then in the order of the rows.
 */
export class LastRuns {
  readonly #store: RunStore;
  readonly #clock: Clock;
  /** Jobs that somebody points at, the last one first. */
  #wanted: string[] = [];
  readonly #refusedUntilMs = new Map<string, number>();
  #filling: Promise<void> | undefined;
  readonly #slots = new Slots(maxAtOnce);

  constructor({ store, clock }: LastRunsOptions) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Another profile: what was asked says nothing of its jobs. */
  clear(): void {
    this.#wanted = [];
    this.#refusedUntilMs.clear();
    this.#filling = undefined;
  }

  /** Asks for something that somebody waits for, before the rest and beside at most one other question. */
  ask<T>(question: () => Promise<T>): Promise<T> {
    return this.#slots.run(question, { isNext: true });
  }

  /** Somebody points at the job: it is asked for before others. */
  want(jobId: string): void {
    this.#wanted = [jobId, ...this.#wanted.filter((other) => other !== jobId)].slice(0, maxJobsPerLook);
  }

  /**
   * Asks for some of what is not known; a call while it is being asked for joins in. Never rejects: what fails is asked for
   * after the next look.
   */
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
    // One that fails for the service's sake ends both.
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
      // A service that gives the runs of other jobs has not said anything of this one.
      if (runs.every((run) => run.job_id === jobId)) this.#store.settle([jobId]);
      else this.#refusedUntilMs.set(jobId, this.#clock.now() + refusedForMs);
    } catch (error) {
      if (isAbort(error) || signal.aborted || !ofOneJob.has(toAppError(error).kind)) throw error;
      this.#refusedUntilMs.set(jobId, this.#clock.now() + refusedForMs);
    }
  }
}

/** Lets so much work go on at once; the rest waits its turn. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Does the work once there is a place for it.
   * @param options.isNext before all other work that waits
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
