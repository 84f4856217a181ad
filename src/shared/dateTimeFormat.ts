/** Enough for every zone and form that is in use at once; a bound on what odd zones of many files could pile up. */
const maxKept = 100;
const kept = new Map<string, Intl.DateTimeFormat>();

/**
 * The formatter of a locale and a form. It is made once and kept: making one takes as long as formatting hundreds of times.
 * @param locale undefined for the reader's own
 * @throws RangeError if the locale or the time zone is not known
 */
export function dateTimeFormat(locale: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options]);
  const known = kept.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  const [oldest] = kept.keys();
  if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
  kept.set(key, made);
  return made;
}

/** As far from 1970 as a date can be, either way (ECMAScript, time values). */
const furthestInMs = 8.64e15;

/** Whether the number is a moment that can be told. Servers write others, too. */
export function isTime(epochMs: number): boolean {
  return Number.isFinite(epochMs) && Math.abs(epochMs) <= furthestInMs;
}
