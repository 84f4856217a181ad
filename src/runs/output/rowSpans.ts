import { type StyledText, type TextStyle } from './ansi.ts';
import type { Place } from './places.ts';

/** A part of a row with a uniform style. */
export interface RowSpan {
  readonly text: string;
  readonly style: TextStyle;
  readonly place?: Place;
  /** Whether a search match is here; `current` is the selected match. */
  readonly match?: 'other' | 'current';
}

export interface Match {
  readonly at: number;
  readonly length: number;
  readonly isCurrent: boolean;
}

/** Splits a part of a line into spans wherever style, place or match change. */
export function rowSpans(
  parts: readonly StyledText[],
  row: { from: number; to: number; places: readonly Place[]; matches: readonly Match[] },
): RowSpan[] {
  const spans: RowSpan[] = [];
  let at = 0;
  const borders = [
    ...row.places.flatMap(({ start, end }) => [start, end]),
    ...row.matches.flatMap((match) => [match.at, match.at + match.length]),
  ].sort((left, right) => left - right);
  for (const { text, style } of parts) {
    const end = at + text.length;
    let from = Math.max(at, row.from);
    const to = Math.min(end, row.to);
    for (const border of [...borders.filter((each) => each > from && each < to), to]) {
      if (border <= from) continue;
      const [start, stop] = [from, border];
      const place = row.places.find((each) => each.start <= start && stop <= each.end);
      const match = row.matches.find((each) => each.at <= start && stop <= each.at + each.length);
      spans.push({
        text: text.slice(start - at, stop - at),
        style,
        ...(place ? { place } : {}),
        ...(match ? { match: match.isCurrent ? 'current' : 'other' } : {}),
      });
      from = border;
    }
    at = end;
  }
  return spans;
}
