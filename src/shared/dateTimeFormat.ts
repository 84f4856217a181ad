/** Enough for all zones and forms in use at once; bounds the memory for odd zones of many files. */
const maxKept = 100;
const kept = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the formatter of a locale and a form. It is cached, because creating one takes as long as formatting hundreds of times.
 * @param locale `undefined` for the reader's own
 * @throws RangeError if the locale or the time zone is unknown
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

/** Maximum distance of a date from 1970 in either direction (ECMAScript, time values). */
const furthestInMs = 8.64e15;

/** Returns whether the number is a valid time. Servers send others, too. */
export function isTime(epochMs: number): boolean {
  return Number.isFinite(epochMs) && Math.abs(epochMs) <= furthestInMs;
}

/** Formats the elapsed time in the largest unit that is not zero: "5 min. ago", "yesterday". */
export function formatLastUse(atMs: number, nowMs: number, language: string): string {
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });
  const minutes = Math.round((atMs - nowMs) / 60_000);
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 24 ? relative.format(hours, 'hour') : relative.format(Math.round(hours / 24), 'day');
}
