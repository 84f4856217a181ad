import { AppError } from '../errors.ts';
import { l10n } from '../l10n.ts';

/** Days of a month, as numbers and as distances from the last day. Both ascend. */
export interface MonthDays {
  readonly days: readonly number[];
  readonly beforeLast: readonly number[];
}

/** A parsed expression: the ascending values of each field. */
export interface QuartzSchedule {
  readonly expression: string;
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** Whether day-of-month is `?`, so that the weekday decides. */
  readonly byWeekday: boolean;
  readonly monthDays: MonthDays;
  /** Days written with W, which move to the nearest weekday. */
  readonly nearestWeekdays: MonthDays;
  readonly months: readonly number[];
  /** 1 is Sunday. */
  readonly weekdays: readonly number[];
  /** With L after a weekday: its last occurrence in the month. Only the first of `weekdays` counts. */
  readonly lastWeekday: boolean;
  /** With # after a weekday: its occurrence in the month; 0 without. Only the first of `weekdays` counts. */
  readonly nthWeekday: number;
  readonly years: readonly number[];
  readonly lastYear: number;
}

/** What a field of a Quartz expression may contain. */
export interface QuartzField {
  readonly name: QuartzFieldName;
  /** For error messages: "the minutes field". */
  readonly label: string;
  readonly minimum: number;
  readonly maximum: number;
  /** Where a range that wraps around, such as 22-2, starts again; years do not wrap. */
  readonly cycle?: number;
  readonly maxStep?: number;
  /** Three-letter names of the values, starting with `minimum`. */
  readonly names?: readonly string[];
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Returns the seven fields in order; `lastYear` is the last year that the scheduler searches. */
export function quartzFields(lastYear: number): readonly QuartzField[] {
  return [
    { name: 'seconds', label: 'seconds', minimum: 0, maximum: 59, cycle: 60, maxStep: 59 },
    { name: 'minutes', label: 'minutes', minimum: 0, maximum: 59, cycle: 60, maxStep: 59 },
    { name: 'hours', label: 'hours', minimum: 0, maximum: 23, cycle: 24, maxStep: 23 },
    { name: 'dayOfMonth', label: 'day-of-month', minimum: 1, maximum: 31, cycle: 31, maxStep: 31 },
    { name: 'month', label: 'month', minimum: 1, maximum: 12, cycle: 12, maxStep: 12, names: monthNames },
    { name: 'dayOfWeek', label: 'day-of-week', minimum: 1, maximum: 7, cycle: 7, maxStep: 7, names: dayNames },
    { name: 'year', label: 'year', minimum: 1970, maximum: lastYear },
  ];
}

/** Returns the allowed values for a remedy: "values from 0 to 59" or "1 to 7 or SUN to SAT". */
export function allowedValues(field: QuartzField): string {
  const limits = `${field.minimum} to ${field.maximum}`;
  const [first, last = ''] = [field.names?.[0], field.names?.at(-1)];
  return first ? l10n.t('{0} or {1} to {2}', limits, first, last) : l10n.t('values from {0}', limits);
}

const quartzFieldNames = ['seconds', 'minutes', 'hours', 'dayOfMonth', 'month', 'dayOfWeek', 'year'] as const;

type QuartzFieldName = (typeof quartzFieldNames)[number];

/** Where a schedule is wrong, so that an editor can underline it. */
export interface QuartzProblem {
  /** `expression` if no single field is wrong, `timezone` for the time zone ID. */
  readonly field: QuartzFieldName | 'expression' | 'timezone';
  /** The offending text as written. */
  readonly value: string;
  /** First character of `value`, counted from 0 in the expression (or in the time zone ID). */
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
}

/** An AppError of kind `invalid` that also says which characters are wrong. */
export class QuartzError extends AppError {
  readonly problem: QuartzProblem;

  constructor(problem: QuartzProblem, message: string, remedy: string) {
    super('invalid', message, { remedy });
    this.name = 'QuartzError';
    this.problem = problem;
  }
}
