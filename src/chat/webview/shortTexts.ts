import type { Usage } from '../conversationEvent.ts';
import { strings } from './strings.ts';

/** The language of the page, which is that of its texts. */
const language = typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';
const counts = new Intl.NumberFormat(language);
const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(language, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });

/** How an answer came, in short: its tokens, how long it took, and how fast it was written. */
export function formatPace(usage: Usage | undefined, timesMs: { first?: number; whole?: number }): string[] {
  const parts = [
    usage?.total_tokens === undefined ? strings.usageNotReported : strings.tokens(formatCount(usage.total_tokens)),
  ];
  const { first, whole } = timesMs;
  if (whole === undefined) return parts;
  parts.push(formatLength(whole));
  if (first === undefined) return parts;
  const writing = whole - first;
  if (usage?.completion_tokens !== undefined && writing >= minPacedMs)
    parts.push(strings.perSecond(formatCount(Math.round((usage.completion_tokens * 1000) / writing))));
  parts.push(strings.firstAfter(formatLength(first)));
  return parts;
}

/** Of a shorter time no speed is told. */
const minPacedMs = 200;

/** The counts as the service reported them; a missing one is a dash, and none at all is said in words. */
export function formatUsage(usage: Usage | undefined): string {
  if (!usage) return strings.usageNotReported;
  const text = (count: number | undefined): string => (count === undefined ? '–' : formatCount(count));
  return strings.usage(text(usage.prompt_tokens), text(usage.completion_tokens), text(usage.total_tokens));
}

export function formatCount(count: number): string {
  return counts.format(count);
}

/** Tenths of a second, of which nobody counts more than a minute's. */
export function formatLength(durationInMs: number): string {
  if (durationInMs >= 60_000) return formatSeconds(durationInMs);
  return strings.seconds(tenths.format(Math.max(0, durationInMs) / 1000));
}

/** Whole seconds, with minutes above one: "42 s", "3 min 5 s". */
export function formatSeconds(durationInMs: number): string {
  const total = Math.max(0, Math.round(durationInMs / 1000));
  const minutes = Math.floor(total / 60);
  return minutes === 0
    ? strings.seconds(formatCount(total))
    : strings.minutes(formatCount(minutes), formatCount(total % 60));
}

/** A probability, as a percentage. */
export function formatPercent(share: number): string {
  return percents.format(share);
}

/** How long ago, in the largest unit that is not zero. */
export function formatLastUse(atMs: number, nowMs: number): string {
  const minutes = Math.round((atMs - nowMs) / 60_000);
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 24 ? relative.format(hours, 'hour') : relative.format(Math.round(hours / 24), 'day');
}
