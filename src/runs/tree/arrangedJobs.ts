import type { Job } from '../../api/schema/jobs/schemas.ts';
import { failedPhases, wordlessStatus } from '../runState.ts';
import type { ScheduleTimes } from '../scheduleTimes.ts';
import type { RunStore } from '../store/runStore.ts';
import { fitsJob, fitsLastRun, needsLastRun, type Arrangement } from './arrangement.ts';

export interface ArrangedJobsOptions {
  readonly store: RunStore;
  arrangement(): Arrangement;
  /** IDs of favorite jobs, which come first. */
  pinned(): ReadonlySet<string>;
  scheduleTimes(): ScheduleTimes | undefined;
  now(): number;
}

/** A job that matches by its properties, with the state of its runs. */
interface Place {
  readonly job: Job;
  /** Position among all jobs by name. */
  readonly byName: number;
  /** Sort key, ascending. */
  key: number;
  /** Whether its last run matches as well. */
  isShown: boolean;
  isUnasked: boolean;
  went: 'active' | 'failed' | undefined;
}

/** How many of some jobs are active, and how many have a failed last run. */
export interface JobCounts {
  readonly active: number;
  readonly failed: number;
}

/** Resolution of ages and of the time filter. */
const minuteInMs = 60_000;

/** The jobs that the view shows, in its order. Results are cached while nothing changes, so that a tick costs nothing. */
export class ArrangedJobs {
  readonly #options: ArrangedJobsOptions;
  #jobs: readonly Job[] = [];
  /** The same, with what is known about them. */
  #places: readonly Place[] = [];
  #madeOf: readonly unknown[] = [];
  /** Jobs that match by their properties, by ID, whatever their runs. */
  readonly #known = new Map<string, Place>();
  /** The visible ones, sorted, before favorites are moved to the front. */
  #sorted: Place[] = [];
  #sortedOf: readonly unknown[] = [];
  #changesSeen = -1;
  #unaskedCount = 0;

  constructor(options: ArrangedJobsOptions) {
    this.#options = options;
  }

  /** Returns the same list as before if neither its jobs nor their order have changed. */
  get jobs(): readonly Job[] {
    const { store, now } = this.#options;
    const arrangement = this.#options.arrangement();
    const times = arrangement.sort === 'nextRun' ? this.#options.scheduleTimes() : undefined;
    const isOfTime = times !== undefined || arrangement.withinHours !== undefined;
    const sortedOf = [
      store.jobsByName,
      arrangement,
      times?.version,
      isOfTime ? Math.floor(now() / minuteInMs) : undefined,
    ];
    const madeOf = [...sortedOf, store.version, this.#options.pinned()];
    if (isSame(madeOf, this.#madeOf)) return this.#jobs;
    this.#madeOf = madeOf;
    const changed = isSame(sortedOf, this.#sortedOf) ? store.lastRunChanges.since(this.#changesSeen) : undefined;
    this.#sortedOf = sortedOf;
    this.#changesSeen = store.lastRunChanges.mark;
    const look = this.#look(arrangement, times);
    if (changed) this.#sortAgain(changed, look);
    else this.#sortAll(arrangement, look);
    this.#places = this.#firstOnes(arrangement);
    const jobs = this.#places.map(({ job }) => job);
    if (!isSame(jobs, this.#jobs)) this.#jobs = jobs;
    return this.#jobs;
  }

  /** Number of jobs whose match is unknown because their last run was never requested. */
  get unaskedCount(): number {
    void this.jobs;
    return this.#unaskedCount;
  }

  /** Counts the jobs from one position to before another. */
  counts(start: number, end: number): JobCounts {
    void this.jobs;
    const counts = { active: 0, failed: 0 };
    for (const { went } of this.#places.slice(start, end)) if (went) counts[went] += 1;
    return counts;
  }

  /** Returns a function that updates a place with what is known of its job. */
  #look(arrangement: Arrangement, times: ScheduleTimes | undefined): (place: Place) => void {
    const { store } = this.#options;
    const nowMs = this.#options.now();
    const isFiltering = needsLastRun(arrangement);
    return (place) => {
      const { job } = place;
      const last = store.lastRun(job.job_id);
      const run = last.kind === 'run' ? last.run : undefined;
      const status = run && wordlessStatus(run);
      place.went = status?.active ? 'active' : status && failedPhases.has(status.phase) ? 'failed' : undefined;
      if (place.isUnasked) this.#unaskedCount -= 1;
      place.isUnasked = isFiltering && last.kind === 'unknown';
      if (place.isUnasked) this.#unaskedCount += 1;
      place.isShown = !isFiltering || fitsLastRun(arrangement, last, nowMs);
      if (arrangement.sort === 'lastRun') place.key = run ? -(run.start_time ?? 0) : Number.POSITIVE_INFINITY;
      else if (arrangement.sort === 'state') place.key = place.went === 'failed' ? 0 : place.went === 'active' ? 1 : 2;
      else if (arrangement.sort === 'nextRun') place.key = nextRunMs(job, times);
    };
  }

  #sortAll(arrangement: Arrangement, look: (place: Place) => void): void {
    this.#known.clear();
    this.#unaskedCount = 0;
    this.#sorted = [];
    for (const [byName, job] of this.#options.store.jobsByName.entries()) {
      if (!fitsJob(arrangement, job)) continue;
      const place: Place = { job, byName, key: 0, isShown: false, isUnasked: false, went: undefined };
      this.#known.set(job.job_id, place);
      look(place);
      if (place.isShown) this.#sorted.push(place);
    }
    this.#sorted.sort(inOrder);
  }

  /** Updates a few jobs, which keep their positions or are removed and inserted again. */
  #sortAgain(jobIds: readonly string[], look: (place: Place) => void): void {
    for (const jobId of new Set(jobIds)) {
      const place = this.#known.get(jobId);
      if (!place) continue;
      const { key, isShown } = place;
      const index = isShown ? this.#indexOf(place) : -1;
      look(place);
      if (place.key === key && place.isShown === isShown) continue;
      if (isShown) this.#sorted.splice(index, 1);
      if (place.isShown) this.#sorted.splice(this.#indexOf(place), 0, place);
    }
  }

  /** Returns the position of the place in the order, or where it would be inserted. */
  #indexOf(place: Place): number {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const there = this.#sorted[middle];
      if (there && inOrder(there, place) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #firstOnes({ activeFirst }: Arrangement): readonly Place[] {
    const pinned = this.#options.pinned();
    const active = new Set(activeFirst ? this.#options.store.activeRuns.map((run) => run.job_id ?? '') : []);
    const first = new Set<Place>();
    for (const jobId of [...pinned, ...active]) {
      const place = this.#known.get(jobId);
      if (place?.isShown) first.add(place);
    }
    if (first.size === 0) return this.#sorted;
    const rank = ({ job: { job_id: jobId } }: Place): number =>
      (pinned.has(jobId) ? 0 : 2) + (active.has(jobId) ? 0 : 1);
    return [
      ...[...first].sort((left, right) => rank(left) - rank(right) || inOrder(left, right)),
      ...this.#sorted.filter((place) => !first.has(place)),
    ];
  }
}

/** Compares by key, then by name. */
function inOrder(left: Place, right: Place): number {
  return left.key === right.key ? left.byName - right.byName : left.key - right.key;
}

function nextRunMs({ settings }: Job, times: ScheduleTimes | undefined): number {
  const schedule = settings?.schedule;
  const next = schedule && schedule.pause_status !== 'PAUSED' ? times?.next(schedule) : undefined;
  return next ?? Number.POSITIVE_INFINITY;
}

function isSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
