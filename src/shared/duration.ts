import { l10n } from './l10n.ts';

/** A duration in its two largest units, such as "850 ms", "12 s", "3 min 5 s" or "2 d 4 h". */
export function formatDuration(durationInMs: number): string {
  if (durationInMs < 1000) return l10n.t('{0} ms', Math.round(durationInMs));
  const seconds = Math.floor(durationInMs / 1000);
  if (seconds < 60) return l10n.t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return l10n.t('{0} min {1} s', minutes, seconds % 60);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return l10n.t('{0} h {1} min', hours, minutes % 60);
  return l10n.t('{0} d {1} h', Math.floor(hours / 24), hours % 24);
}
