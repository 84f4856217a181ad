import { l10n } from '../l10n.ts';
import type { QuartzFieldName } from './quartzProblem.ts';

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
