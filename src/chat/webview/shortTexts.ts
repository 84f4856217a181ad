import type { Usage } from '../conversationEvent.ts';
import { strings } from './strings.ts';

/** Language of the page and its texts. */
export const language = typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';
const counts = new Intl.NumberFormat(language);
const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(language, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/**
 * Returns a short summary of an answer: its tokens, its duration, and its speed.
 * @param contextLength maximum tokens of a request and its answer, if it is known
 */
export function formatPace(
  usage: Usage | undefined,
  timesMs: { first?: number; whole?: number },
  contextLength?: number,
): string[] {
  const parts = [
    usage?.total_tokens === undefined ? strings.usageNotReported : tokensOf(usage.total_tokens, contextLength),
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

function tokensOf(count: number, contextLength: number | undefined): string {
  const tokens = formatCount(count);
  return contextLength === undefined
    ? strings.tokens(tokens)
    : strings.tokensOf(tokens, formatCount(contextLength), percents.format(count / contextLength));
}

/** Minimum duration for which a speed is shown, in milliseconds. */
const minPacedMs = 200;

/** Returns the counts that the service reported; a missing one is a dash, and if all are missing, a phrase says so. */
export function formatUsage(usage: Usage | undefined): string {
  if (!usage) return strings.usageNotReported;
  const text = (count: number | undefined): string => (count === undefined ? '–' : formatCount(count));
  return strings.usage(text(usage.prompt_tokens), text(usage.completion_tokens), text(usage.total_tokens));
}

export function formatCount(count: number): string {
  return counts.format(count);
}

/** Formats a duration in tenths of a second, or in whole seconds above a minute. */
export function formatLength(durationInMs: number): string {
  if (durationInMs >= 60_000) return formatSeconds(durationInMs);
  return strings.seconds(tenths.format(Math.max(0, durationInMs) / 1000));
}

/** Formats whole seconds, with minutes above one: "42 s", "3 min 5 s". */
export function formatSeconds(durationInMs: number): string {
  const total = Math.max(0, Math.round(durationInMs / 1000));
  const minutes = Math.floor(total / 60);
  return minutes === 0
    ? strings.seconds(formatCount(total))
    : strings.minutes(formatCount(minutes), formatCount(total % 60));
}

/** Formats a probability as a percentage. */
export function formatPercent(share: number): string {
  return percents.format(share);
}
