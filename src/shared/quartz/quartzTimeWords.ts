import { l10n } from '../l10n.ts';
import { listed } from '../text.ts';
import type { QuartzSchedule } from './quartzSchedule.ts';

/** Maximum number of times of day that are listed. */
const maxTimeList = 6;

/** Values with the same distance between neighbors, possibly across the end of the field (22, 23, 0, 1). */
interface Series {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/** Describes times of day: "At 02:30", "Every 5 minutes from 09:00 to 17:55" and so on, with a capital letter. */
export function timeWords(schedule: QuartzSchedule): string {
  const { seconds, minutes, hours } = schedule;
  if (seconds.length > 1) return secondsWords(schedule);
  const [second = 0] = seconds;
  if (minutes.length > 1) return minutesWords(minutes, hours, second);
  const [minute = 0] = minutes;
  if (isFull(hours, 24)) {
    const past = listed([
      ...(minute > 0 ? [countedMinutes(minute)] : []),
      ...(second > 0 ? [countedSeconds(second)] : []),
    ]);
    return past ? l10n.t('At {0} past every hour', past) : l10n.t('Every hour');
  }
  const series = hours.length > 3 ? seriesOf(hours, 24) : undefined;
  if (series) {
    const every = series.step === 1 ? l10n.t('Every hour') : l10n.t('Every {0} hours', series.step);
    return l10n.t(
      '{0} from {1} to {2}',
      every,
      clock(series.first, minute, second),
      clock(series.last, minute, second),
    );
  }
  return l10n.t('At {0}', listed(hours.map((hour) => clock(hour, minute, second))));
}

/** Returns whether the words have the form "At …", which needs no comma after it, unlike "Every …". */
export function isAtTimes(schedule: QuartzSchedule): boolean {
  return timeWords(schedule).startsWith(l10n.t('At {0}', '').trimEnd());
}

/** Returns whether the times repeat all day, so that "every day" would add nothing. */
export function isAllDay({ hours }: QuartzSchedule): boolean {
  return isFull(hours, 24);
}

function minutesWords(minutes: readonly number[], hours: readonly number[], second: number): string {
  const series = minutes.length > 3 ? seriesOf(minutes, 60) : undefined;
  if (!series && minutes.length * hours.length <= maxTimeList) {
    return l10n.t('At {0}', listed(hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute, second)))));
  }
  const atSecond = second === 0 ? '' : l10n.t(' at second {0}', second);
  const step = evenStep(minutes, 60);
  const [first = 0] = minutes;
  const run = runOf(hours, 24);
  if (step !== undefined && run) {
    const every = step === 1 ? l10n.t('Every minute') : l10n.t('Every {0} minutes', step);
    if (isFull(hours, 24))
      return first === 0
        ? `${every}${atSecond}`
        : l10n.t('{0} from minute {1} of every hour{2}', every, first, atSecond);
    return l10n.t(
      '{0} from {1} to {2}',
      every,
      clock(run.first, first, second),
      clock(run.last, minutes.at(-1) ?? 0, second),
    );
  }
  return l10n.t(
    'At {0} past {1}{2}',
    unitWords(minutes, 60, minuteUnit()),
    hoursWords(hours),
    atSecond && `,${atSecond}`,
  );
}

function secondsWords({ seconds, minutes, hours }: QuartzSchedule): string {
  const step = evenStep(seconds, 60);
  const [first = 0] = seconds;
  const last = seconds.at(-1) ?? 0;
  const isEven = step !== undefined && first === 0;
  const every = isEven
    ? step === 1
      ? l10n.t('Every second')
      : l10n.t('Every {0} seconds', step)
    : l10n.t('At {0}', unitWords(seconds, 60, secondUnit()));
  if (isFull(minutes, 60)) {
    if (isFull(hours, 24)) return isEven ? every : l10n.t('{0} of every minute', every);
    const run = runOf(hours, 24);
    if (run && isEven)
      return l10n.t('{0} from {1} to {2}', every, clock(run.first, 0, 0), exactClock(run.last, 59, last));
    return l10n.t('{0} of every minute past {1}', every, hoursWords(hours));
  }
  const minuteRun = runOf(minutes, 60);
  const [hour = 0] = hours;
  if (isEven && hours.length === 1 && minuteRun && minuteRun.first <= minuteRun.last) {
    return l10n.t(
      '{0} from {1} to {2}',
      every,
      exactClock(hour, minuteRun.first, 0),
      exactClock(hour, minuteRun.last, last),
    );
  }
  const [minuteText, hourText] = [unitWords(minutes, 60, minuteUnit()), hoursWords(hours)];
  return isEven
    ? l10n.t('{0} during {1} past {2}', every, minuteText, hourText)
    : l10n.t('{0} of {1} past {2}', every, minuteText, hourText);
}

/** The words of a field with listed values. */
interface Unit {
  readonly every: string;
  everyNth(ordinal: string): string;
  named(values: string, isOne: boolean): string;
}

function minuteUnit(): Unit {
  return {
    every: l10n.t('every minute'),
    everyNth: (nth) => l10n.t('every {0} minute', nth),
    named: (values, isOne) => (isOne ? l10n.t('minute {0}', values) : l10n.t('minutes {0}', values)),
  };
}

function secondUnit(): Unit {
  return {
    every: l10n.t('every second'),
    everyNth: (nth) => l10n.t('every {0} second', nth),
    named: (values, isOne) => (isOne ? l10n.t('second {0}', values) : l10n.t('seconds {0}', values)),
  };
}

/** Describes values: "minute 7", "minutes 7 and 38", "every minute from 10 to 50", "every 7th minute from 0 to 56". */
function unitWords(values: readonly number[], cycle: number, unit: Unit): string {
  if (isFull(values, cycle)) return unit.every;
  const series = values.length > 3 ? seriesOf(values, cycle) : undefined;
  if (!series) return unit.named(listed(values.map(String)), values.length === 1);
  const every = series.step === 1 ? unit.every : unit.everyNth(ordinal(series.step));
  return l10n.t('{0} from {1} to {2}', every, series.first, series.last);
}

function hoursWords(hours: readonly number[]): string {
  if (isFull(hours, 24)) return l10n.t('every hour');
  const series = hours.length > 3 ? seriesOf(hours, 24) : undefined;
  if (!series) return listed(hours.map((hour) => clock(hour, 0, 0)));
  const every = series.step === 1 ? l10n.t('every hour') : l10n.t('every {0} hour', ordinal(series.step));
  return l10n.t('{0} from {1} to {2}', every, clock(series.first, 0, 0), clock(series.last, 0, 0));
}

function isFull(values: readonly number[], cycle: number): boolean {
  // Quartz allows a few values above the cycle, which it uses internally.
  return values.length >= cycle;
}

/** Returns the step if it also spans the end of the cycle, as in 5, 20, 35, 50 of 60. */
function evenStep(values: readonly number[], cycle: number): number | undefined {
  const step = cycle / values.length;
  const isEven = values.every((value, index) => index === 0 || value - (values[index - 1] ?? 0) === step);
  return isEven ? step : undefined;
}

/** Returns the values as a series, or `undefined` if they are not one. */
export function seriesOf(values: readonly number[], cycle: number): Series | undefined {
  const run = runOf(values, cycle);
  if (run) return run;
  const [first, second] = values;
  const last = values.at(-1);
  if (first === undefined || second === undefined || last === undefined) return undefined;
  const step = second - first;
  return values.every((value, index) => value === first + index * step) ? { first, last, step } : undefined;
}

/** Returns consecutive values, possibly across the end of the cycle. */
export function runOf(values: readonly number[], cycle: number): Series | undefined {
  const gaps = values.flatMap((value, index) => (value - (values.at(index - 1) ?? 0) === 1 ? [] : [index]));
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (gaps.length <= 1) return { first, last, step: 1 };
  // Two gaps, the second of which closes across the end: 0 1 22 23.
  const start = values[gaps[1] ?? 0];
  const end = values[(gaps[1] ?? 0) - 1];
  const overEnd = gaps.length === 2 && last - first === cycle - 1;
  return overEnd && start !== undefined && end !== undefined ? { first: start, last: end, step: 1 } : undefined;
}

function clock(hour: number, minute: number, second: number): string {
  const text = `${twoDigits(hour)}:${twoDigits(minute)}`;
  return second === 0 ? text : `${text}:${twoDigits(second)}`;
}

function exactClock(hour: number, minute: number, second: number): string {
  return `${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function countedMinutes(count: number): string {
  return count === 1 ? l10n.t('1 minute') : l10n.t('{0} minutes', count);
}

function countedSeconds(count: number): string {
  return count === 1 ? l10n.t('1 second') : l10n.t('{0} seconds', count);
}

/** Returns "1st", "2nd", "13th". */
export function ordinal(value: number): string {
  const tens = value % 100;
  if (tens >= 11 && tens <= 13) return `${value}th`;
  return `${value}${['th', 'st', 'nd', 'rd'][value % 10] ?? 'th'}`;
}
