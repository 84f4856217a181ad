import type { Job } from '../api/schema/jobs/schemas.ts';
import { nextFireTimes } from '../shared/quartz/quartz.ts';
import { describeCron } from '../shared/quartz/quartzWords.ts';

/** A schedule as a job has it (Jobs API 2.0, CronSchedule). */
export type JobSchedule = NonNullable<NonNullable<Job['settings']>['schedule']>;

export interface ScheduleTimesOptions {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that is never set, for the time that this takes. */
  elapsed(): number;
  /** Calls in a later turn. */
  later(task: () => void): void;
  /** What was not computed at once is known now. */
  onComputed(): void;
}

/** What of one turn may go to schedules: some take a millisecond each, and there may be thousands. */
const turnInMs = 15;
/** So many schedules are remembered; beyond, the oldest are computed anew. */
const maxKept = 20_000;

/** When schedules fire next, and what they say in words. */
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

  /** Another number once something was computed that had been waited for. */
  get version(): number {
    return this.#version;
  }

  /**
   * When the schedule fires next, paused or not, in epoch milliseconds.
   * @returns undefined if it never does, cannot be read, or has not been computed yet: `onComputed` tells then
   */
  next(schedule: JobSchedule): number | undefined {
    const key = keyOf(schedule);
    const known = this.#next.get(key);
    if (known && (known.atMs === undefined || known.atMs > this.#options.now())) return known.atMs;
    if (this.#isSpent()) {
      this.#waiting.set(key, schedule);
      // Better the one that has just passed than none, for a moment.
      return known?.atMs;
    }
    return this.#compute(key, schedule);
  }

  /** The schedule in words; as it came if it cannot be read. */
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
