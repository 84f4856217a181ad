/** Times and durations as short texts. Pure, so that trees, notifications and documents read alike. */

export function formatDuration(durationInMs: number): string {
  if (durationInMs < 1000) return `${Math.round(durationInMs)} ms`;
  const seconds = Math.floor(durationInMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const dayInMs = 86_400_000;

/** The time of day for today, with the date before; in the reader's own locale and zone. */
export function formatTime(epochMs: number, nowMs: number): string {
  const sameDay = new Date(epochMs).toDateString() === new Date(nowMs).toDateString();
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  const options: Intl.DateTimeFormatOptions = sameDay ? time : { ...time, month: 'short', day: 'numeric', ...(nowMs - epochMs > 300 * dayInMs ? { year: 'numeric' } : {}) };
  return new Intl.DateTimeFormat(undefined, options).format(epochMs);
}

export function formatAge(epochMs: number, nowMs: number): string {
  const age = nowMs - epochMs;
  return age < 2000 ? 'just now' : `${formatDuration(age)} ago`;
}

/** Days until a run is removed by itself: 60 days after it ended (Jobs API 2.0, States, other rules 4). */
export function daysUntilRemoval(endTimeMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((endTimeMs + 60 * dayInMs - nowMs) / dayInMs));
}
