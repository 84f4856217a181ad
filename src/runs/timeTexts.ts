import { dateTimeFormat, isTime } from '../shared/dateTimeFormat.ts';
import { l10n } from '../shared/l10n.ts';

const dayInMs = 86_400_000;

/**
 * Formats a time: the time of day for today, otherwise with the date, in the reader's locale and zone. A number that is not a time, as a
 * server may send it, is shown as it came.
 * @param second `2-digit` if seconds help, for example to find a run in another log
 */
export function formatTime(epochMs: number, nowMs: number, second?: '2-digit'): string {
  if (!isTime(epochMs)) return String(epochMs);
  const time: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit', second };
  if (isSameDay(epochMs, nowMs)) return dateTimeFormat(undefined, time).format(epochMs);
  const year: Intl.DateTimeFormatOptions = Math.abs(nowMs - epochMs) > 300 * dayInMs ? { year: 'numeric' } : {};
  return dateTimeFormat(undefined, { ...time, month: 'short', day: 'numeric', ...year }).format(epochMs);
}

/** Formats a time with the reader's time zone, where times of another zone stand beside it. */
export function formatTimeAndZone(epochMs: number, nowMs: number): string {
  const time = formatTime(epochMs, nowMs, '2-digit');
  if (!isTime(epochMs)) return time;
  const parts = dateTimeFormat(undefined, { timeZoneName: 'short' }).formatToParts(epochMs);
  return `${time} ${parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`.trimEnd();
}

function isSameDay(leftMs: number, rightMs: number): boolean {
  const [left, right] = [new Date(leftMs), new Date(rightMs)];
  return (
    left.getFullYear() === right.getFullYear() &&
    left.getMonth() === right.getMonth() &&
    left.getDate() === right.getDate()
  );
}

/** Formats an age for a narrow row in one unit: "just now", "2 min ago", "3 d ago"; the day for old times, the time for future ones. */
export function formatShortAge(epochMs: number, nowMs: number): string {
  if (!isTime(epochMs)) return String(epochMs);
  const minutes = Math.floor((nowMs - epochMs) / 60_000);
  // The other clock is ahead of this one.
  if (minutes < -1) return formatTime(epochMs, nowMs);
  if (minutes < 1) return l10n.t('just now');
  if (minutes < 60) return l10n.t('{0} min ago', minutes);
  if (minutes < 48 * 60) return l10n.t('{0} h ago', Math.floor(minutes / 60));
  if (minutes < 30 * 24 * 60) return l10n.t('{0} d ago', Math.floor(minutes / (24 * 60)));
  return dayOf(epochMs, nowMs);
}

/** Formats an age for the narrowest row, where the name must fit as well: "now", "6m", "3h", "2d"; the day for old times. */
export function formatTinyAge(epochMs: number, nowMs: number): string {
  const age = nowMs - epochMs;
  if (!isTime(epochMs) || age < -120_000 || age >= 30 * dayInMs) return formatShortAge(epochMs, nowMs);
  return age < 60_000 ? l10n.t('now') : formatTinyDuration(age);
}

/** Formats a duration in one unit: "12s", "6m", "3h", "2d". */
export function formatTinyDuration(durationInMs: number): string {
  const minutes = Math.floor(durationInMs / 60_000);
  if (minutes < 1) return l10n.t('{0}s', Math.floor(durationInMs / 1000));
  if (minutes < 60) return l10n.t('{0}m', minutes);
  return minutes < 48 * 60 ? l10n.t('{0}h', Math.floor(minutes / 60)) : l10n.t('{0}d', Math.floor(minutes / (24 * 60)));
}

/** Formats a future time for a narrow row: the time within a day, weekday and time within a week, otherwise the day. */
export function formatNext(epochMs: number, nowMs: number): string {
  const time: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };
  const ahead = epochMs - nowMs;
  if (ahead < dayInMs) return dateTimeFormat(undefined, time).format(epochMs);
  if (ahead < 6 * dayInMs) return dateTimeFormat(undefined, { ...time, weekday: 'short' }).format(epochMs);
  return dayOf(epochMs, nowMs);
}

function dayOf(epochMs: number, nowMs: number): string {
  const year: Intl.DateTimeFormatOptions = Math.abs(nowMs - epochMs) > 300 * dayInMs ? { year: 'numeric' } : {};
  return dateTimeFormat(undefined, { month: 'short', day: 'numeric', ...year }).format(epochMs);
}

/** How long after its end a run is removed (Jobs API 2.0, States, other rules 4). */
const keptInMs = 60 * dayInMs;

export function daysUntilRemoval(endTimeMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((endTimeMs + keptInMs - nowMs) / dayInMs));
}

/** Formats the day on which a run is removed, in the reader's locale and zone. */
export function removalDay(endTimeMs: number): string {
  const form: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' };
  return dateTimeFormat(undefined, form).format(endTimeMs + keptInMs);
}
