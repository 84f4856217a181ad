import { lastQuartzYear, parseQuartz } from './quartzParser.ts';
import { QuartzError } from './quartzProblem.ts';
import { nextFireTime } from './quartzSearch.ts';
import { timeZoneOf } from './quartzTimeZone.ts';

export { QuartzError } from './quartzProblem.ts';

export interface NextFireTimesOptions {
  /** The last year to look at; the scheduler stops 100 years after the present one. */
  readonly lastYear?: number;
}

/**
 * When a Quartz cron schedule fires next, as org.quartz.CronExpression 2.5 answers it: a local time that
 * daylight saving leaves out is skipped, and one that happens twice fires the second time.
 * (Jobs API 2.0, CronSchedule.)
 *
 * @param timezoneId an id such as `Europe/Berlin`
 * @param startMs epoch milliseconds; the fire times are strictly later
 * @param count how many to return at most
 * @returns epoch milliseconds, ascending; fewer than `count` when the schedule never fires again
 * @throws QuartzError (an AppError of kind `invalid`) when the expression or the time zone id is wrong
 */
export function nextFireTimes(
  expression: string,
  timezoneId: string,
  startMs: number,
  count: number,
  { lastYear = lastQuartzYear() }: NextFireTimesOptions = {},
): number[] {
  const schedule = parseQuartz(expression, lastYear);
  const zone = timeZoneOf(timezoneId);
  const fireTimes: number[] = [];
  let afterMs = startMs;
  while (fireTimes.length < count) {
    const fireTime = nextFireTime(schedule, zone, afterMs);
    if (fireTime === undefined) break;
    fireTimes.push(fireTime);
    afterMs = fireTime;
  }
  return fireTimes;
}

/** What is wrong with an expression, for an editor; undefined when the scheduler accepts it. */
export function findQuartzProblem(expression: string): QuartzError | undefined {
  return problemOf(() => parseQuartz(expression));
}

/** What is wrong with a time zone id; undefined when it is one. */
export function findTimeZoneProblem(timezoneId: string): QuartzError | undefined {
  return problemOf(() => timeZoneOf(timezoneId));
}

function problemOf(check: () => unknown): QuartzError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof QuartzError) return error;
    throw error;
  }
}
