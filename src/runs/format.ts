import { dateTimeFormat, isTime } from '../shared/dateTimeFormat.ts';
import { formatDuration } from '../shared/duration.ts';
import { l10n } from '../shared/l10n.ts';

const dayInMs = 86_400_000;

/**
 * The time of day for today, with the date before; in the reader's own locale and zone. A number that is no moment, as a server may write
 * it, is shown as it came.
 */
export function formatTime(epochMs: number, nowMs: number): string {
  if (!isTime(epochMs)) return String(epochMs);
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  if (isSameDay(epochMs, nowMs)) return dateTimeFormat(undefined, time).format(epochMs);
  const year: Intl.DateTimeFormatOptions = Math.abs(nowMs - epochMs) > 300 * dayInMs ? { year: 'numeric' } : {};
  return dateTimeFormat(undefined, { ...time, month: 'short', day: 'numeric', ...year }).format(epochMs);
}

function isSameDay(leftMs: number, rightMs: number): boolean {
  const [left, right] = [new Date(leftMs), new Date(rightMs)];
  return (
    left.getFullYear() === right.getFullYear() &&
    left.getMonth() === right.getMonth() &&
    left.getDate() === right.getDate()
  );
}

/** The moment for machines and people of any zone, or the number as it came where it is none. */
export function formatTimestamp(epochMs: number): string {
  return isTime(epochMs) ? new Date(epochMs).toISOString() : String(epochMs);
}

/** How long ago, for a sentence: "5 min 3 s ago". Undefined where the number is no moment. */
export function formatAge(epochMs: number, nowMs: number): string | undefined {
  if (!isTime(epochMs)) return undefined;
  const age = nowMs - epochMs;
  return age < 2000 ? l10n.t('just now') : l10n.t('{0} ago', formatDuration(age));
}

/** Days until a run is removed by itself: 60 days after it ended (Jobs API 2.0, States, other rules 4). */
export function daysUntilRemoval(endTimeMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((endTimeMs + 60 * dayInMs - nowMs) / dayInMs));
}
