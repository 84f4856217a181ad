import { dateTimeFormat } from '../dateTimeFormat.ts';
import { l10n } from '../l10n.ts';
import { QuartzError } from './quartzSchedule.ts';

const dayInMs = 86_400_000;
const quarterInMs = 15 * 60_000;

/**
 * Length of the intervals whose ends are compared to find a change of offset. The shortest pair of changes that cancel out (the pause of
 * daylight saving during Ramadan) is about four weeks long.
 */
const stretchInMs = 16 * dayInMs;

interface Transition {
  readonly atMs: number;
  readonly offsetAfterInMs: number;
}

interface Stretch {
  readonly offsetAtStartInMs: number;
  readonly transitions: readonly Transition[];
}

/** The offsets of a time zone from UTC, cached on demand. */
export interface TimeZone {
  readonly id: string;
  /** Milliseconds to add to UTC to get local time at this instant. */
  offsetInMsAt(epochMs: number): number;
  /**
   * Returns the instant of a local time, given as if it were UTC. A local time that a change of offset skips is read with the offset before
   * the change; of a repeated one, the second is meant.
   */
  epochMsOfLocal(localMs: number): number;
}

/** A zone with daylight saving or a history, from the platform's time zone database. */
class NamedTimeZone implements TimeZone {
  readonly id: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #boundaryOffsets = new Map<number, number>();
  readonly #stretches = new Map<number, Stretch>();

  constructor(id: string, format: Intl.DateTimeFormat) {
    this.id = id;
    this.#format = format;
  }

  offsetInMsAt(epochMs: number): number {
    const stretch = this.#stretch(Math.floor(epochMs / stretchInMs));
    let offset = stretch.offsetAtStartInMs;
    for (const transition of stretch.transitions) {
      if (transition.atMs > epochMs) break;
      offset = transition.offsetAfterInMs;
    }
    return offset;
  }

  epochMsOfLocal(localMs: number): number {
    // No offset exceeds a day, so every relevant change is within a day of the local time read as UTC.
    const first = Math.floor((localMs - dayInMs) / stretchInMs);
    const last = Math.floor((localMs + dayInMs) / stretchInMs);
    let offset = this.#stretch(first).offsetAtStartInMs;
    for (let index = first; index <= last; index++) {
      for (const transition of this.#stretch(index).transitions) {
        if (transition.atMs + transition.offsetAfterInMs <= localMs) offset = transition.offsetAfterInMs;
      }
    }
    return localMs - offset;
  }

  #stretch(index: number): Stretch {
    const known = this.#stretches.get(index);
    if (known) return known;
    const startMs = index * stretchInMs;
    const endMs = startMs + stretchInMs;
    const offsetAtStartInMs = this.#boundaryOffset(index);
    const offsetAtEndInMs = this.#boundaryOffset(index + 1);
    const transitions: Transition[] = [];
    let offset = offsetAtStartInMs;
    let fromMs = startMs;
    while (offset !== offsetAtEndInMs) {
      const transition = this.#firstChange(fromMs, endMs, offset);
      transitions.push(transition);
      fromMs = transition.atMs;
      offset = transition.offsetAfterInMs;
    }
    const stretch: Stretch = { offsetAtStartInMs, transitions };
    this.#stretches.set(index, stretch);
    return stretch;
  }

  /** Finds a change away from `offset`, which holds at `fromMs` but not at `toMs`. */
  #firstChange(fromMs: number, toMs: number, offset: number): Transition {
    // Nearly all changes are on a quarter of an hour, so the seconds are searched only if this one is not.
    let atMs = this.#bisect(fromMs, toMs, offset, quarterInMs);
    if (this.#read(atMs - 1000) !== offset) atMs = this.#bisect(atMs - quarterInMs, atMs, offset, 1000);
    return { atMs, offsetAfterInMs: this.#read(atMs) };
  }

  #bisect(fromMs: number, toMs: number, offset: number, unitInMs: number): number {
    let low = Math.floor(fromMs / unitInMs);
    let high = Math.ceil(toMs / unitInMs);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#read(middle * unitInMs) === offset) low = middle;
      else high = middle;
    }
    return high * unitInMs;
  }

  #boundaryOffset(index: number): number {
    let offset = this.#boundaryOffsets.get(index);
    if (offset === undefined) {
      offset = this.#read(index * stretchInMs);
      this.#boundaryOffsets.set(index, offset);
    }
    return offset;
  }

  #read(epochMs: number): number {
    // The text ends in GMT, GMT+02:00 or, long ago, GMT+02:05:09.
    const text = this.#format.format(epochMs);
    const [hours = 0, minutes = 0, seconds = 0] = text
      .slice(text.indexOf('GMT') + 4)
      .split(':')
      .map(Number);
    const sizeInMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
    return text.includes('GMT-') ? -sizeInMs : sizeInMs;
  }
}

class FixedTimeZone implements TimeZone {
  readonly id: string;
  readonly #offsetInMs: number;

  constructor(id: string, offsetInMs: number) {
    this.id = id;
    this.#offsetInMs = offsetInMs;
  }

  offsetInMsAt(): number {
    return this.#offsetInMs;
  }

  epochMsOfLocal(localMs: number): number {
    return localMs - this.#offsetInMs;
  }
}

const zones = new Map<string, TimeZone>();

/**
 * Returns the time zone of an ID: a name of the IANA time zone database (`Europe/Berlin`, `UTC`, `Etc/GMT+5`), an alias that the Java
 * platform knows too (`US/Eastern`, `PST`), or a fixed offset written `GMT+5:30`.
 * @throws QuartzError for any other text, such as a name in the wrong letter case, which the scheduler would silently read as GMT.
 */
export function timeZoneOf(id: string): TimeZone {
  let zone = zones.get(id);
  if (!zone) {
    zone = fixedOffset(id) ?? named(id);
    zones.set(id, zone);
  }
  return zone;
}

function fixedOffset(id: string): TimeZone | undefined {
  const match = /^GMT([+-])(?:(\d{1,2})(?::([0-5]\d))?|(\d{1,2})([0-5]\d))$/.exec(id);
  if (!match) return undefined;
  const hours = Number(match[2] ?? match[4]);
  if (hours > 23) return undefined;
  const offsetInMs = (hours * 60 + Number(match[3] ?? match[5] ?? 0)) * 60_000;
  return new FixedTimeZone(id, match[1] === '-' ? -offsetInMs : offsetInMs);
}

function named(id: string): TimeZone {
  const format = formatOf(id);
  const canonicalId = format?.resolvedOptions().timeZone;
  const onlyCaseDiffers = canonicalId?.toLowerCase() === id.toLowerCase() && canonicalId !== id;
  if (format && /^[A-Z]/.test(id) && !onlyCaseDiffers) return new NamedTimeZone(id, format);
  throw new QuartzError(
    { field: 'timezone', value: id, start: 0, end: id.length },
    id === '' ? l10n.t('The time zone ID is empty.') : l10n.t('"{0}" is not a time zone ID.', id),
    onlyCaseDiffers
      ? l10n.t('Write "{0}": the case of letters matters.', canonicalId)
      : l10n.t('Use an ID of the IANA time zone database, such as "UTC", "Europe/Berlin" or "America/New_York".'),
  );
}

function formatOf(id: string): Intl.DateTimeFormat | undefined {
  try {
    return dateTimeFormat('en-US', { timeZone: id, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
