import { listed } from './listed.ts';
import type { QuartzSchedule } from './quartzSchedule.ts';

/** Times of day written out one by one, at most. */
const largestTimeList = 6;

/** Values with the same distance between neighbours, perhaps over the end of the field (22, 23, 0, 1). */
interface Series {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/** "At 02:30", "Every 5 minutes from 09:00 to 17:55" and so on, with a capital letter. */
export function timeWords(schedule: QuartzSchedule): string {
  const { seconds, minutes, hours } = schedule;
  if (seconds.length > 1) return secondsWords(schedule);
  const [second = 0] = seconds;
  if (minutes.length > 1) return minutesWords(minutes, hours, second);
  const [minute = 0] = minutes;
  if (isFull(hours, 24)) {
    const parts = [minute > 0 && counted(minute, 'minute'), second > 0 && counted(second, 'second')];
    const past = parts.filter((part) => part !== false).join(' and ');
    return past ? `At ${past} past every hour` : 'Every hour';
  }
  const series = hours.length > 3 ? seriesOf(hours, 24) : undefined;
  if (series) {
    const every = series.step === 1 ? 'Every hour' : `Every ${series.step} hours`;
    return `${every} from ${clock(series.first, minute, second)} to ${clock(series.last, minute, second)}`;
  }
  return `At ${listed(hours.map((hour) => clock(hour, minute, second)))}`;
}

/** True when the times repeat all day long, so that "every day" would add nothing. */
export function isAllDay({ hours }: QuartzSchedule): boolean {
  return isFull(hours, 24);
}

function minutesWords(minutes: readonly number[], hours: readonly number[], second: number): string {
  const series = minutes.length > 3 ? seriesOf(minutes, 60) : undefined;
  if (!series && minutes.length * hours.length <= largestTimeList) {
    return `At ${listed(hours.flatMap((hour) => minutes.map((minute) => clock(hour, minute, second))))}`;
  }
  const atSecond = second === 0 ? '' : ` at second ${second}`;
  const step = evenStep(minutes, 60);
  const [first = 0] = minutes;
  const run = runOf(hours, 24);
  if (step !== undefined && (run || (first === 0 && isFull(hours, 24)))) {
    const every = step === 1 ? 'Every minute' : `Every ${step} minutes`;
    if (isFull(hours, 24)) return `${every}${first === 0 ? '' : ` from minute ${first} of every hour`}${atSecond}`;
    if (run) return `${every} from ${clock(run.first, first, second)} to ${clock(run.last, minutes.at(-1) ?? 0, second)}`;
  }
  return `At ${unitWords(minutes, 60, 'minute')} past ${hoursWords(hours)}${atSecond && `,${atSecond}`}`;
}

function secondsWords({ seconds, minutes, hours }: QuartzSchedule): string {
  const step = evenStep(seconds, 60);
  const [first = 0] = seconds;
  const last = seconds.at(-1) ?? 0;
  const isEven = step !== undefined && first === 0;
  const every = isEven ? (step === 1 ? 'Every second' : `Every ${step} seconds`) : `At ${unitWords(seconds, 60, 'second')}`;
  if (isFull(minutes, 60)) {
    if (isFull(hours, 24)) return isEven ? every : `${every} of every minute`;
    const run = runOf(hours, 24);
    if (run && isEven) return `${every} from ${clock(run.first, 0, 0)} to ${exactClock(run.last, 59, last)}`;
    return `${every} of every minute past ${hoursWords(hours)}`;
  }
  const minuteRun = runOf(minutes, 60);
  const [hour = 0] = hours;
  if (isEven && hours.length === 1 && minuteRun && minuteRun.first <= minuteRun.last) {
    return `${every} from ${exactClock(hour, minuteRun.first, 0)} to ${exactClock(hour, minuteRun.last, last)}`;
  }
  return `${every}${isEven ? ' during' : ' of'} ${unitWords(minutes, 60, 'minute')} past ${hoursWords(hours)}`;
}

/** "minute 7", "minutes 7 and 38", "every minute from 10 to 50", "every 7th minute from 0 to 56". */
function unitWords(values: readonly number[], cycle: number, unit: string): string {
  if (isFull(values, cycle)) return `every ${unit}`;
  const series = values.length > 3 ? seriesOf(values, cycle) : undefined;
  if (!series) return `${values.length === 1 ? unit : `${unit}s`} ${listed(values.map(String))}`;
  const every = series.step === 1 ? `every ${unit}` : `every ${ordinal(series.step)} ${unit}`;
  return `${every} from ${series.first} to ${series.last}`;
}

function hoursWords(hours: readonly number[]): string {
  if (isFull(hours, 24)) return 'every hour';
  const series = hours.length > 3 ? seriesOf(hours, 24) : undefined;
  if (!series) return listed(hours.map((hour) => clock(hour, 0, 0)));
  const every = series.step === 1 ? 'every hour' : `every ${ordinal(series.step)} hour`;
  return `${every} from ${clock(series.first, 0, 0)} to ${clock(series.last, 0, 0)}`;
}

function isFull(values: readonly number[], cycle: number): boolean {
  // Quartz lets a few values above the cycle in, by numbers it uses for itself.
  return values.length >= cycle;
}

/** The step when it also spans the end of the cycle, as 5, 20, 35, 50 of 60 do. */
function evenStep(values: readonly number[], cycle: number): number | undefined {
  const step = cycle / values.length;
  const isEven = values.every((value, index) => index === 0 || value - (values[index - 1] ?? 0) === step);
  return isEven && (values[0] ?? 0) < step ? step : undefined;
}

export function seriesOf(values: readonly number[], cycle: number): Series | undefined {
  const run = runOf(values, cycle);
  if (run) return run;
  const [first, second] = values;
  const last = values.at(-1);
  if (first === undefined || second === undefined || last === undefined) return undefined;
  const step = second - first;
  return values.every((value, index) => value === first + index * step) ? { first, last, step } : undefined;
}

/** Neighbours without a gap, perhaps over the end of the cycle. */
export function runOf(values: readonly number[], cycle: number): Series | undefined {
  const gaps = values.flatMap((value, index) => (value - (values.at(index - 1) ?? 0) === 1 ? [] : [index]));
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (gaps.length <= 1) return { first, last, step: 1 };
  // Two gaps where the second closes over the end: 0 1 22 23.
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

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

export function ordinal(value: number): string {
  const tens = value % 100;
  if (tens >= 11 && tens <= 13) return `${value}th`;
  return `${value}${['th', 'st', 'nd', 'rd'][value % 10] ?? 'th'}`;
}
