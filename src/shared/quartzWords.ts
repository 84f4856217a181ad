import { listed } from './listed.ts';
import { parseQuartz } from './quartzParser.ts';
import type { MonthDays, QuartzSchedule } from './quartzSchedule.ts';
import { isAllDay, ordinal, runOf, seriesOf, timeWords } from './quartzTimeWords.ts';
import { timeZoneOf } from './quartzTimeZone.ts';

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const countNames = ['first', 'second', 'third', 'fourth', 'fifth'] as const;

/**
 * A schedule in plain English, such as "At 02:30 on the last weekday of every month, Europe/Berlin". It says
 * when the scheduler fires, so parts of an expression that the scheduler ignores are not in it.
 * @throws QuartzError when the expression or the time zone id is wrong
 */
export function describeCron(expression: string, timezoneId: string): string {
  const schedule = parseQuartz(expression);
  return `${timeWords(schedule)}${dayWords(schedule)}${yearWords(schedule)}, ${timeZoneOf(timezoneId).id}`;
}

function dayWords(schedule: QuartzSchedule): string {
  if (schedule.byWeekday) return weekdayWords(schedule);
  const { monthDays, nearestWeekdays } = schedule;
  if (monthDays.days.length >= 31) return everyDayWords(schedule);
  const parts = [
    ...plainDayWords(monthDays.days),
    ...monthDays.beforeLast.toReversed().map((offset) => lastDayWords(offset)),
    ...nearestWeekdayWords(nearestWeekdays),
  ];
  if (parts.length === 0) return ' on no day';
  const isRare = monthDays.beforeLast.length + nearestWeekdays.beforeLast.length === 0 &&
    [...monthDays.days, ...nearestWeekdays.days].every((day) => day > 28);
  return ` on ${listed(parts)} of ${monthsWords(schedule, 'every month')}${rareWords(schedule, isRare)}`;
}

function everyDayWords(schedule: QuartzSchedule): string {
  const months = schedule.months.length >= 12 ? '' : ` in ${monthsWords(schedule, '')}`;
  if (!isAllDay(schedule)) return `${timeWords(schedule).startsWith('At') ? '' : ','} every day${months}`;
  return months;
}

function plainDayWords(days: readonly number[]): string[] {
  const series = days.length > 3 ? seriesOf(days, 31) : undefined;
  if (!series) return days.map((day) => `the ${ordinal(day)}`);
  const ends = `the ${ordinal(series.first)} to the ${ordinal(series.last)}`;
  return [series.step === 1 ? ends : `every ${ordinal(series.step)} day from ${ends}`];
}

function lastDayWords(offset: number): string {
  if (offset === 0) return 'the last day';
  return offset === 1 ? 'the day before the last day' : `the day ${offset} days before the last day`;
}

function nearestWeekdayWords({ days, beforeLast }: MonthDays): string[] {
  return [
    ...days.map((day) => `the weekday nearest to the ${ordinal(day)}`),
    ...beforeLast
      .toReversed()
      .map((offset) => (offset === 0 ? 'the last weekday' : `the weekday nearest to ${lastDayWords(offset)}`)),
  ];
}

function weekdayWords(schedule: QuartzSchedule): string {
  const { weekdays, lastWeekday, nthWeekday } = schedule;
  const [first = 0] = weekdays;
  if (lastWeekday) return ` on the last ${dayName(first)} of ${monthsWords(schedule, 'every month')}`;
  if (nthWeekday !== 0) {
    const day = `the ${countNames[nthWeekday - 1]} ${dayName(first)}`;
    return ` on ${day} of ${monthsWords(schedule, 'every month')}${rareWords(schedule, nthWeekday === 5)}`;
  }
  if (weekdays.length >= 7) return everyDayWords(schedule);
  const isSome = schedule.months.length < 12;
  const run = weekdays.length > 2 ? runOf(weekdays, 7) : undefined;
  if (run) {
    const days = `, ${dayName(run.first)} to ${dayName(run.last)}`;
    return isSome ? `${days}, in ${monthsWords(schedule, '')}` : days;
  }
  const days = ` on ${listed(weekdays.map((weekday) => `${dayName(weekday)}s`))}`;
  return isSome ? `${days} in ${monthsWords(schedule, '')}` : days;
}

function monthsWords({ months }: QuartzSchedule, all: string): string {
  if (months.length >= 12) return all;
  const run = months.length > 2 ? runOf(months, 12) : undefined;
  if (run) return `${monthName(run.first)} to ${monthName(run.last)}`;
  return listed(months.map((month) => monthName(month)));
}

/** Months that do not have the day are skipped, which is worth saying where it is not plain. */
function rareWords({ months }: QuartzSchedule, isRare: boolean): string {
  return isRare && months.length >= 12 ? ' that has it' : '';
}

function yearWords({ years, lastYear }: QuartzSchedule): string {
  const [first] = years;
  const last = years.at(-1);
  if (first === undefined || last === undefined) return ', in no year';
  const series = years.length > 2 ? seriesOf(years, Infinity) : undefined;
  if (!series) return `, in ${listed(years.map(String))}`;
  const isOpen = last + series.step > lastYear;
  if (series.step > 1) return `, every ${series.step} years from ${first}${isOpen ? '' : ` to ${last}`}`;
  if (isOpen) return first <= 1970 ? '' : `, from ${first} on`;
  return `, ${first} to ${last}`;
}

function dayName(weekday: number): string {
  return dayNames[weekday - 1] ?? `day ${weekday} of the week`;
}

function monthName(month: number): string {
  return monthNames[month - 1] ?? `month ${month}`;
}
