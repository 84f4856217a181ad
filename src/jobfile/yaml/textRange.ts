/** A part of a text; offsets count UTF-16 units, `end` is one past the last. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Where the line of a place begins; offsets count UTF-16 units. */
export function lineStart(text: string, offset: number): number {
  // Searched from before the first character, the first one is looked at all the same.
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** How far a place is from the beginning of its line, in UTF-16 units. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** A piece of a text and what takes its place. Offsets count UTF-16 units; `end` is one past the last. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all changes made. They do not overlap, and those of one place are made in the order of the list. */
export function changed(text: string, changes: readonly TextChange[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const change of changes.toSorted((one, other) => one.start - other.start)) {
    parts.push(text.slice(from, change.start), change.text);
    from = change.end;
  }
  return [...parts, text.slice(from)].join('');
}
