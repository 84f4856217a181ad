import { formatDuration } from '../shared/duration.ts';
import { l10n } from '../shared/l10n.ts';

const dayInMs = 86_400_000;

/** The time of day for today, with the date before; in the reader's own locale and zone. */
export function formatTime(epochMs: number, nowMs: number): string {
  const sameDay = new Date(epochMs).toDateString() === new Date(nowMs).toDateString();
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  const options: Intl.DateTimeFormatOptions = sameDay ? time : { ...time, month: 'short', day: 'numeric', ...(nowMs - epochMs > 300 * dayInMs ? { year: 'numeric' } : {}) };
  return new Intl.DateTimeFormat(undefined, options).format(epochMs);
}

/** How long ago, for a sentence: "5 min 3 s ago". */
export function formatAge(epochMs: number, nowMs: number): string {
  const age = nowMs - epochMs;
  return age < 2000 ? l10n.t('just now') : l10n.t('{0} ago', formatDuration(age));
}

/** Days until a run is removed by itself: 60 days after it ended (Jobs API 2.0, States, other rules 4). */
export function daysUntilRemoval(endTimeMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((endTimeMs + 60 * dayInMs - nowMs) / dayInMs));
}
