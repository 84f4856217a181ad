import type { MonthDays, QuartzSchedule } from './quartzSchedule.ts';
import type { TimeZone } from './quartzTimeZone.ts';

const startOfDay = { hour: 0, minute: 0, second: 0 };
const saturday = 7;
const sunday = 1;

/** No schedule needs as many steps; otherwise one could hang the caller. */
const maxStepCount = 100_000;

type Outcome = 'moved' | 'fits' | 'never';

/**
 * Returns the first fire time after an instant, or `undefined` if there is none. It goes through the fields from the seconds up, and starts
 * over whenever a field moved the calendar, in the order of the Quartz scheduler: the behavior at clock changes depends on it.
 */
export function nextFireTime(schedule: QuartzSchedule, zone: TimeZone, afterMs: number): number | undefined {
  const search = new Search(schedule, zone, Math.floor(afterMs / 1000) * 1000 + 1000);
  for (let step = 0; step < maxStepCount; step++) {
    const outcome = search.step();
    if (outcome === 'fits') return search.epochMs;
    if (outcome === 'never') return undefined;
  }
  return undefined;
}

class Search {
  readonly #schedule: QuartzSchedule;
  readonly #zone: TimeZone;
  readonly #earliestMs: number;
  readonly #calendar: LocalCalendar;
  readonly #lastYear: number;

  constructor(schedule: QuartzSchedule, zone: TimeZone, earliestMs: number) {
    this.#schedule = schedule;
    this.#zone = zone;
    this.#earliestMs = earliestMs;
    this.#calendar = LocalCalendar.at(zone, earliestMs);
    this.#lastYear = Math.min(schedule.lastYear, schedule.years.at(-1) ?? -Infinity);
  }

  get epochMs(): number {
    return this.#calendar.epochMs;
  }

  step(): Outcome {
    if (this.#calendar.get('year') > this.#lastYear) return 'never';
    this.#fitSecond();
    if (this.#fitMinute() === 'moved' || this.#fitHour() === 'moved') return 'moved';
    const day = this.#schedule.byWeekday ? this.#fitWeekday() : this.#fitDayOfMonth();
    if (day === 'moved' || this.#fitMonth() === 'moved') return 'moved';
    return this.#fitYear();
  }

  #fitSecond(): void {
    const minute = this.#calendar.get('minute');
    const second = ceiling(this.#schedule.seconds, this.#calendar.get('second'));
    if (second === undefined) this.#calendar.set({ minute: minute + 1 });
    // Set even when it fits: this selects the second occurrence of a repeated time.
    this.#calendar.set({ second: second ?? first(this.#schedule.seconds) });
  }

  #fitMinute(): Outcome {
    const current = this.#calendar.get('minute');
    const hour = this.#calendar.get('hour');
    const minute = ceiling(this.#schedule.minutes, current);
    if (minute === current) return 'fits';
    this.#calendar.set({ minute: minute ?? first(this.#schedule.minutes), second: 0 });
    this.#setHour(minute === undefined ? hour + 1 : hour);
    return 'moved';
  }

  #fitHour(): Outcome {
    const current = this.#calendar.get('hour');
    const day = this.#calendar.get('day');
    const hour = ceiling(this.#schedule.hours, current);
    if (hour === current) return 'fits';
    this.#calendar.set({ day: hour === undefined ? day + 1 : day, minute: 0, second: 0 });
    this.#setHour(hour ?? first(this.#schedule.hours));
    return 'moved';
  }

  /** An hour that daylight saving skips becomes the next one. */
  #setHour(hour: number): void {
    this.#calendar.set({ hour });
    if (hour !== 24 && this.#calendar.get('hour') !== hour) this.#calendar.set({ hour: hour + 1 });
  }

  #fitDayOfMonth(): Outcome {
    const current = this.#calendar.get('day');
    const month = this.#calendar.get('month');
    const year = this.#calendar.get('year');
    const plain = smallestDay(this.#schedule.monthDays, current, month, year);
    const nearest = smallestDay(this.#schedule.nearestWeekdays, current, month, year);
    const weekday = nearest === undefined ? undefined : this.#nearestWeekday(nearest, month, year);
    if (weekday !== undefined && (plain === undefined || plain >= weekday)) {
      // The scheduler goes to the weekday without returning to the start of that day.
      this.#calendar.set({ day: weekday });
      return 'fits';
    }
    if (plain === current) return 'fits';
    return this.#moveTo(plain === undefined ? { month: month + 1, day: 1 } : { month, day: plain });
  }

  /** Returns the weekday nearest to a day within its month, unless the current time of that day has passed. */
  #nearestWeekday(day: number, month: number, year: number): number | undefined {
    const candidate = new LocalCalendar(this.#zone, { year, month, day, ...startOfDay });
    const { dayOfWeek } = candidate;
    let weekday = day;
    if (dayOfWeek === saturday) weekday += day === 1 ? 2 : -1;
    if (dayOfWeek === sunday) weekday += day === lastDayOfMonth(month, year) ? -2 : 1;
    candidate.set({
      month,
      day: weekday,
      hour: this.#calendar.get('hour'),
      minute: this.#calendar.get('minute'),
      second: this.#calendar.get('second'),
    });
    return candidate.epochMs < this.#earliestMs ? undefined : weekday;
  }

  #fitWeekday(): Outcome {
    const { weekdays, lastWeekday, nthWeekday } = this.#schedule;
    const current = this.#calendar.get('day');
    const month = this.#calendar.get('month');
    const lastDay = lastDayOfMonth(month, this.#calendar.get('year'));
    const today = this.#calendar.dayOfWeek;
    const single = lastWeekday || nthWeekday !== 0;
    const wanted = (single ? undefined : ceiling(weekdays, today)) ?? first(weekdays);
    let day = current + (wanted >= today ? wanted - today : wanted + 7 - today);
    if (lastWeekday) {
      while (day + 7 <= lastDay) day += 7;
    } else if (nthWeekday !== 0) {
      const before = day;
      day += (nthWeekday - Math.ceil(day / 7)) * 7;
      if (day < before) day = Infinity;
    }
    if (day > lastDay) return this.#moveTo({ month: month + 1, day: 1 });
    return day > current ? this.#moveTo({ month, day }) : 'fits';
  }

  #fitMonth(): Outcome {
    const current = this.#calendar.get('month');
    const year = this.#calendar.get('year');
    const month = ceiling(this.#schedule.months, current);
    if (month === current) return 'fits';
    if (month !== undefined) return this.#moveTo({ year, month, day: 1 });
    return this.#moveTo({ year: year + 1, month: first(this.#schedule.months), day: 1 });
  }

  #fitYear(): Outcome {
    const current = this.#calendar.get('year');
    const year = ceiling(this.#schedule.years, current);
    if (year === undefined) return 'never';
    return year === current ? 'fits' : this.#moveTo({ year, month: 1, day: 1 });
  }

  #moveTo(date: Partial<LocalFields>): Outcome {
    this.#calendar.set({ ...date, ...startOfDay });
    return 'moved';
  }
}

/** Returns the first day of the month that is not before `day`. */
function smallestDay(days: MonthDays, day: number, month: number, year: number): number | undefined {
  const lastDay = lastDayOfMonth(month, year);
  const plain = ceiling(days.days, day);
  const beforeLast = days.beforeLast.findLast((offset) => offset <= lastDay - day);
  const plainFits = plain !== undefined && plain <= lastDay;
  if (beforeLast === undefined) return plainFits ? plain : undefined;
  // The scheduler compares as if every month had 31 days.
  return plainFits && plain < 31 - beforeLast ? plain : lastDay - beforeLast;
}

/** Returns the smallest of ascending values that is not below a number. */
function ceiling(values: readonly number[], minimum: number): number | undefined {
  return values.find((value) => value >= minimum);
}

function first(values: readonly number[]): number {
  const [value] = values;
  if (value === undefined) throw new RangeError('A field of a parsed schedule has no value.');
  return value;
}

interface LocalFields {
  year: number;
  /** 1 to 12; 13 is January of the next year. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/**
 * A local date and time whose fields may be set beyond their limits, one after another. Reading normalizes them: overflow carries over, a
 * time that daylight saving skips moves forward by the length of the gap, and a repeated time becomes its second occurrence. The
 * scheduler's behavior at clock changes depends on when it reads, so reads and writes here keep its order.
 */
class LocalCalendar {
  readonly #zone: TimeZone;
  readonly #fields: LocalFields;
  #epochMs = 0;
  #dayOfWeek = 0;
  #settled = false;

  constructor(zone: TimeZone, fields: LocalFields) {
    this.#zone = zone;
    this.#fields = { ...fields };
  }

  /** Returns the local time at an instant, to the second. */
  static at(zone: TimeZone, epochMs: number): LocalCalendar {
    const local = new Date(epochMs + zone.offsetInMsAt(epochMs));
    return new LocalCalendar(zone, {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
    });
  }

  set(changes: Partial<LocalFields>): void {
    Object.assign(this.#fields, changes);
    this.#settled = false;
  }

  get(field: keyof LocalFields): number {
    this.#settle();
    return this.#fields[field];
  }

  /** 1 is Sunday, 7 is Saturday. */
  get dayOfWeek(): number {
    this.#settle();
    return this.#dayOfWeek;
  }

  get epochMs(): number {
    this.#settle();
    return this.#epochMs;
  }

  #settle(): void {
    if (this.#settled) return;
    const fields = this.#fields;
    const epochMs = this.#zone.epochMsOfLocal(
      Date.UTC(fields.year, fields.month - 1, fields.day, fields.hour, fields.minute, fields.second),
    );
    const local = new Date(epochMs + this.#zone.offsetInMsAt(epochMs));
    fields.year = local.getUTCFullYear();
    fields.month = local.getUTCMonth() + 1;
    fields.day = local.getUTCDate();
    fields.hour = local.getUTCHours();
    fields.minute = local.getUTCMinutes();
    fields.second = local.getUTCSeconds();
    this.#dayOfWeek = local.getUTCDay() + 1;
    this.#epochMs = epochMs;
    this.#settled = true;
  }
}

function lastDayOfMonth(month: number, year: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
