/** A range of a text; offsets count UTF-16 units, `end` is one past the last. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the offset at which the line of an offset starts, in UTF-16 units. */
export function lineStart(text: string, offset: number): number {
  // `lastIndexOf` also checks the first character if it searches from a negative index.
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the distance of an offset from the start of its line, in UTF-16 units. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** A range of a text and its replacement. Offsets count UTF-16 units; `end` is one past the last. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the text with all changes applied. Changes do not overlap; those at one offset are applied in list order. */
export function changed(text: string, changes: readonly TextChange[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const change of changes.toSorted((one, other) => one.start - other.start)) {
    parts.push(text.slice(from, change.start), change.text);
    from = change.end;
  }
  return [...parts, text.slice(from)].join('');
}
