import type { Job } from '../api/schema/jobs/schemas.ts';
import { nextFireTimes } from '../shared/quartz/quartz.ts';
import { describeCron } from '../shared/quartz/quartzWords.ts';

/** A job's schedule (Jobs API 2.0, CronSchedule). */
export type JobSchedule = NonNullable<NonNullable<Job['settings']>['schedule']>;

export interface ScheduleTimesOptions {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Returns the milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Runs the task in a later turn of the event loop. */
  later(task: () => void): void;
  /** Called when a value that was not computed at once is available. */
  onComputed(): void;
}

/** How long one turn may compute schedules: some take a millisecond each, and there may be thousands. */
const turnInMs = 15;
/** Maximum number of cached schedules; beyond it, the oldest are computed again. */
const maxKept = 20_000;

/** Computes when schedules next fire, and describes them in words. */
export class ScheduleTimes {
  readonly #options: ScheduleTimesOptions;
  readonly #next = new Map<string, { schedule: JobSchedule; atMs: number | undefined }>();
  readonly #waiting = new Map<string, JobSchedule>();
  #version = 0;
  /** When the turn that computes began. */
  #turnBeganMs: number | undefined;

  constructor(options: ScheduleTimesOptions) {
    this.#options = options;
  }

  /** Changes whenever a pending value was computed. */
  get version(): number {
    return this.#version;
  }

  /**
   * Returns when the schedule next fires, paused or not, in epoch milliseconds.
   * @returns `undefined` if it never does, cannot be parsed, or has not been computed yet: `onComputed` reports it then
   */
  next(schedule: JobSchedule): number | undefined {
    const key = keyOf(schedule);
    const known = this.#next.get(key);
    if (known && (known.atMs === undefined || known.atMs > this.#options.now())) return known.atMs;
    if (this.#isSpent()) {
      this.#waiting.set(key, schedule);
      // For a moment, the time that has just passed is better than none.
      return known?.atMs;
    }
    return this.#compute(key, schedule);
  }

  /** Describes the schedule in words, or returns it as it came if it cannot be parsed. */
  words({ quartz_cron_expression: expression, timezone_id: zone }: JobSchedule): string {
    try {
      return describeCron(expression, zone);
    } catch {
      return `${expression} (${zone})`;
    }
  }

  #compute(key: string, schedule: JobSchedule): number | undefined {
    let atMs: number | undefined;
    try {
      [atMs] = nextFireTimes(schedule.quartz_cron_expression, schedule.timezone_id, this.#options.now(), 1);
    } catch {
      atMs = undefined;
    }
    const [oldest] = this.#next.keys();
    if (this.#next.size >= maxKept && oldest !== undefined) this.#next.delete(oldest);
    this.#next.set(key, { schedule, atMs });
    return atMs;
  }

  #isSpent(): boolean {
    const now = this.#options.elapsed();
    if (this.#turnBeganMs === undefined) {
      this.#turnBeganMs = now;
      this.#options.later(() => this.#endTurn());
    }
    return now - this.#turnBeganMs > turnInMs;
  }

  #endTurn(): void {
    this.#turnBeganMs = undefined;
    if (this.#waiting.size === 0) return;
    for (const [key, schedule] of this.#waiting) {
      if (this.#isSpent()) return;
      this.#waiting.delete(key);
      this.#compute(key, schedule);
    }
    this.#version += 1;
    this.#options.onComputed();
  }
}

function keyOf({ quartz_cron_expression: expression, timezone_id: zone }: JobSchedule): string {
  return `${expression}\n${zone}`;
}
