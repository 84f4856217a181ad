import type { Job } from '../api/schema/jobs/schemas.ts';
import { fitsJob, fitsLastRun, needsLastRun, type Arrangement } from './arrangement.ts';
import type { RunStore } from './runStore.ts';
import type { ScheduleTimes } from './scheduleTimes.ts';

export interface ArrangedJobsOptions {
  store: RunStore;
  arrangement(): Arrangement;
  /** Ids of jobs that stand first. */
  pinned(): ReadonlySet<string>;
  scheduleTimes(): ScheduleTimes | undefined;
  now(): number;
}

/** Ages are told in minutes, and so is what ran within some hours. */
const minuteInMs = 60_000;

/** The jobs that the view shows, in its order. What was found is kept while nothing changes, so that a tick costs nothing. */
export class ArrangedJobs {
  readonly #options: ArrangedJobsOptions;
  #jobs: readonly Job[] = [];
  #madeOf: readonly unknown[] = [];
  /** The jobs that fit by what they are, whatever became of their runs. */
  #fitting: readonly Job[] = [];
  #fittingOf: readonly unknown[] = [];
  #unaskedCount = 0;
  /** The jobs as they were sorted last, with their places by name. */
  #inOrder: { job: Job; place: number; key: number }[] = [];
  #inOrderOf: readonly Job[] | undefined;

  constructor(options: ArrangedJobsOptions) {
    this.#options = options;
  }

  /** The same list as before if neither its jobs nor their order have changed. */
  get jobs(): readonly Job[] {
    const { store, now } = this.#options;
    const arrangement = this.#options.arrangement();
    const times = arrangement.sort === 'nextRun' ? this.#options.scheduleTimes() : undefined;
    const isOfTime = times !== undefined || arrangement.withinHours !== undefined;
    const madeOf = [
      store.jobsByName,
      store.version,
      arrangement,
      this.#options.pinned(),
      times?.version,
      isOfTime ? Math.floor(now() / minuteInMs) : undefined,
    ];
    if (isSame(madeOf, this.#madeOf)) return this.#jobs;
    this.#madeOf = madeOf;
    const jobs = this.#arrange(arrangement, times);
    if (!isSame(jobs, this.#jobs)) this.#jobs = jobs;
    return this.#jobs;
  }

  /** How many jobs the filter cannot tell of, since nobody has asked how they went last. */
  get unaskedCount(): number {
    void this.jobs;
    return this.#unaskedCount;
  }

  #arrange(arrangement: Arrangement, times: ScheduleTimes | undefined): readonly Job[] {
    const { store } = this.#options;
    const nowMs = this.#options.now();
    const fittingOf = [store.jobsByName, arrangement];
    if (!isSame(fittingOf, this.#fittingOf)) {
      this.#fittingOf = fittingOf;
      this.#fitting = store.jobsByName.filter((job) => fitsJob(arrangement, job));
    }
    this.#unaskedCount = 0;
    const fits = ({ job_id: jobId }: Job): boolean => {
      const last = store.lastRun(jobId);
      if (last.kind === 'unknown') this.#unaskedCount += 1;
      return fitsLastRun(arrangement, last, nowMs);
    };
    const found = needsLastRun(arrangement) ? this.#fitting.filter(fits) : this.#fitting;
    return this.#firstOnes(arrangement, this.#sorted(found, this.#sortKey(arrangement, times)));
  }

  /** In the order of the keys, and of the names where those are the same. */
  #sorted(jobs: readonly Job[], keyOf: ((job: Job) => number) | undefined): readonly Job[] {
    if (!keyOf) return jobs;
    // What was in order, and is but for a few, takes little to sort.
    if (this.#inOrderOf !== jobs) this.#inOrder = jobs.map((job, place) => ({ job, place, key: 0 }));
    this.#inOrderOf = jobs;
    for (const item of this.#inOrder) item.key = keyOf(item.job);
    this.#inOrder.sort((left, right) => (left.key === right.key ? left.place - right.place : left.key - right.key));
    return this.#inOrder.map(({ job }) => job);
  }

  /** What a job is sorted by, the smallest first; undefined if the names decide. */
  #sortKey({ sort }: Arrangement, times: ScheduleTimes | undefined): ((job: Job) => number) | undefined {
    if (sort === 'lastRun')
      return ({ job_id: jobId }) => {
        const run = this.#options.store.latestRun(jobId);
        return run ? -(run.start_time ?? 0) : Number.POSITIVE_INFINITY;
      };
    if (sort === 'nextRun')
      return ({ settings }) => {
        const schedule = settings?.schedule;
        const next = schedule && schedule.pause_status !== 'PAUSED' ? times?.next(schedule) : undefined;
        return next ?? Number.POSITIVE_INFINITY;
      };
    return undefined;
  }

  #firstOnes({ activeFirst }: Arrangement, jobs: readonly Job[]): readonly Job[] {
    const { store } = this.#options;
    const pinned = this.#options.pinned();
    const active = new Set(activeFirst ? store.activeRuns.map((run) => run.job_id) : []);
    if (pinned.size === 0 && active.size === 0) return jobs;
    const parts: [Job[], Job[], Job[], Job[]] = [[], [], [], []];
    for (const job of jobs) parts[(pinned.has(job.job_id) ? 0 : 2) + (active.has(job.job_id) ? 0 : 1)]?.push(job);
    return parts.flat();
  }
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
