import type { TimeZone } from './quartzTimeZone.ts';

export interface LocalFields {
  year: number;
  /** 1 to 12; 13 is January of the next year. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/**
 * A local date and time whose fields may be set beyond their limits, one after another. Reading settles them:
 * overflow carries over, a time that daylight saving leaves out moves forward by the length of the gap, and a
 * doubled time becomes its second occurrence. The scheduler's answers at changes of the clock follow from when
 * it reads, so reads and writes here keep its order.
 */
export class LocalCalendar {
  readonly #zone: TimeZone;
  readonly #fields: LocalFields;
  #epochMs = 0;
  #dayOfWeek = 0;
  #settled = false;

  constructor(zone: TimeZone, fields: LocalFields) {
    this.#zone = zone;
    this.#fields = { ...fields };
  }

  /** The local time at an instant, to the second. */
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

export function lastDayOfMonth(month: number, year: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
