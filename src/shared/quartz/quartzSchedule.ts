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
