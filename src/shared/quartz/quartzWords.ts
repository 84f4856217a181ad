import { l10n } from '../l10n.ts';
import { listed } from '../text.ts';
import { parseQuartz } from './quartzParser.ts';
import type { MonthDays, QuartzSchedule } from './quartzSchedule.ts';
import { isAllDay, isAtTimes, ordinal, runOf, seriesOf, timeWords } from './quartzTimeWords.ts';
import { timeZoneOf } from './quartzTimeZone.ts';

const monthNames = (): readonly string[] => [
  l10n.t('January'),
  l10n.t('February'),
  l10n.t('March'),
  l10n.t('April'),
  l10n.t('May'),
  l10n.t('June'),
  l10n.t('July'),
  l10n.t('August'),
  l10n.t('September'),
  l10n.t('October'),
  l10n.t('November'),
  l10n.t('December'),
];
const dayNames = (): readonly string[] => [
  l10n.t('Sunday'),
  l10n.t('Monday'),
  l10n.t('Tuesday'),
  l10n.t('Wednesday'),
  l10n.t('Thursday'),
  l10n.t('Friday'),
  l10n.t('Saturday'),
];
const dayPlurals = (): readonly string[] => [
  l10n.t('Sundays'),
  l10n.t('Mondays'),
  l10n.t('Tuesdays'),
  l10n.t('Wednesdays'),
  l10n.t('Thursdays'),
  l10n.t('Fridays'),
  l10n.t('Saturdays'),
];
const countNames = (): readonly string[] => [
  l10n.t('first'),
  l10n.t('second'),
  l10n.t('third'),
  l10n.t('fourth'),
  l10n.t('fifth'),
];

/**
 * Describes a schedule in plain English, such as "At 02:30 on the last weekday of every month, Europe/Berlin". It says when the scheduler
 * fires, so parts of an expression that the scheduler ignores are left out.
 * @throws QuartzError if the expression or the time zone ID is wrong
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
  if (parts.length === 0) return l10n.t(' on no day');
  const isRare =
    monthDays.beforeLast.length + nearestWeekdays.beforeLast.length === 0 &&
    [...monthDays.days, ...nearestWeekdays.days].every((day) => day > 28);
  return l10n.t(
    ' on {0} of {1}{2}',
    listed(parts),
    monthsWords(schedule, l10n.t('every month')),
    rareWords(schedule, isRare),
  );
}

function everyDayWords(schedule: QuartzSchedule): string {
  const months = schedule.months.length >= 12 ? '' : l10n.t(' in {0}', monthsWords(schedule, ''));
  if (!isAllDay(schedule))
    return isAtTimes(schedule) ? l10n.t(' every day{0}', months) : l10n.t(', every day{0}', months);
  return months;
}

function plainDayWords(days: readonly number[]): string[] {
  const series = days.length > 3 ? seriesOf(days, 31) : undefined;
  if (!series) return days.map((day) => l10n.t('the {0}', ordinal(day)));
  const ends = l10n.t('the {0} to the {1}', ordinal(series.first), ordinal(series.last));
  return [series.step === 1 ? ends : l10n.t('every {0} day from {1}', ordinal(series.step), ends)];
}

function lastDayWords(offset: number): string {
  if (offset === 0) return l10n.t('the last day');
  return offset === 1 ? l10n.t('the day before the last day') : l10n.t('the day {0} days before the last day', offset);
}

function nearestWeekdayWords({ days, beforeLast }: MonthDays): string[] {
  return [
    ...days.map((day) => l10n.t('the weekday nearest to the {0}', ordinal(day))),
    ...beforeLast
      .toReversed()
      .map((offset) =>
        offset === 0 ? l10n.t('the last weekday') : l10n.t('the weekday nearest to {0}', lastDayWords(offset)),
      ),
  ];
}

function weekdayWords(schedule: QuartzSchedule): string {
  const { weekdays, lastWeekday, nthWeekday } = schedule;
  const [first = 0] = weekdays;
  if (lastWeekday)
    return l10n.t(' on the last {0} of {1}', dayName(first), monthsWords(schedule, l10n.t('every month')));
  if (nthWeekday !== 0) {
    const day = l10n.t('the {0} {1}', countNames()[nthWeekday - 1] ?? '', dayName(first));
    return l10n.t(
      ' on {0} of {1}{2}',
      day,
      monthsWords(schedule, l10n.t('every month')),
      rareWords(schedule, nthWeekday === 5),
    );
  }
  if (weekdays.length >= 7) return everyDayWords(schedule);
  const isSome = schedule.months.length < 12;
  const run = weekdays.length > 2 ? runOf(weekdays, 7) : undefined;
  if (run) {
    const days = l10n.t(', {0} to {1}', dayName(run.first), dayName(run.last));
    return isSome ? l10n.t('{0}, in {1}', days, monthsWords(schedule, '')) : days;
  }
  const days = l10n.t(' on {0}', listed(weekdays.map((weekday) => dayPlurals()[weekday - 1] ?? dayName(weekday))));
  return isSome ? l10n.t('{0} in {1}', days, monthsWords(schedule, '')) : days;
}

function monthsWords({ months }: QuartzSchedule, all: string): string {
  if (months.length >= 12) return all;
  const run = months.length > 2 ? runOf(months, 12) : undefined;
  if (run) return l10n.t('{0} to {1}', monthName(run.first), monthName(run.last));
  return listed(months.map((month) => monthName(month)));
}

/** Describes skipped months: months without the day are skipped, which is worth saying if it is not obvious. */
function rareWords({ months }: QuartzSchedule, isRare: boolean): string {
  return isRare && months.length >= 12 ? l10n.t(' with this day') : '';
}

function yearWords({ years, lastYear }: QuartzSchedule): string {
  const [first] = years;
  const last = years.at(-1);
  if (first === undefined || last === undefined) return l10n.t(', never');
  const series = years.length > 2 ? seriesOf(years, Infinity) : undefined;
  if (!series) return l10n.t(', in {0}', listed(years.map(String)));
  const isOpen = last + series.step > lastYear;
  if (series.step > 1)
    return isOpen
      ? l10n.t(', every {0} years from {1}', series.step, first)
      : l10n.t(', every {0} years from {1} to {2}', series.step, first, last);
  if (isOpen) return first <= 1970 ? '' : l10n.t(', from {0} on', first);
  return l10n.t(', {0} to {1}', first, last);
}

function dayName(weekday: number): string {
  return dayNames()[weekday - 1] ?? l10n.t('day {0} of the week', weekday);
}

function monthName(month: number): string {
  return monthNames()[month - 1] ?? l10n.t('month {0}', month);
}
