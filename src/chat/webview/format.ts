import type { Usage } from '../conversationEvent.ts';
import { strings } from './strings.ts';

const counts = new Intl.NumberFormat('en-US');
const seconds = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** The counts as the service reported them; a missing one is a dash, and none at all is said in words. */
export function formatUsage(usage: Usage | undefined): string {
  if (!usage) return strings.usageNotReported;
  const text = (count: number | undefined): string => (count === undefined ? '–' : counts.format(count));
  return strings.usage(text(usage.prompt_tokens), text(usage.completion_tokens), text(usage.total_tokens));
}

export function formatDuration(durationInMs: number): string {
  return strings.seconds(seconds.format(Math.max(0, durationInMs) / 1000));
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });

/** How long ago, in the largest unit that is not zero. */
export function formatAge(atMs: number, nowMs: number): string {
  const minutes = Math.round((atMs - nowMs) / 60_000);
  if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 24 ? relative.format(hours, 'hour') : relative.format(Math.round(hours / 24), 'day');
}
