import { lastQuartzYear, parseQuartz } from './quartzParser.ts';
import { QuartzError } from './quartzSchedule.ts';
import { nextFireTime } from './quartzSearch.ts';
import { timeZoneOf } from './quartzTimeZone.ts';

export { QuartzError } from './quartzSchedule.ts';

export interface NextFireTimesOptions {
  /** The last year to search; the scheduler stops 100 years after the present one. */
  readonly lastYear?: number;
}

/**
 * Computes when a Quartz cron schedule next fires, like org.quartz.CronExpression 2.5: a local time that daylight saving skips is skipped,
 * and one that occurs twice fires the second time (Jobs API 2.0, CronSchedule).
 *
 * @param timezoneId an ID such as `Europe/Berlin`
 * @param startMs epoch milliseconds; the fire times are strictly later
 * @param count maximum number of times
 * @returns epoch milliseconds, ascending; fewer than `count` if the schedule never fires again
 * @throws QuartzError (an AppError of kind `invalid`) if the expression or the time zone ID is wrong
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

/** Returns what is wrong with an expression, for an editor, or `undefined` if the scheduler accepts it. */
export function findQuartzProblem(expression: string): QuartzError | undefined {
  return problemOf(() => parseQuartz(expression));
}

/** Returns what is wrong with a time zone ID, or `undefined` if it is valid. */
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
