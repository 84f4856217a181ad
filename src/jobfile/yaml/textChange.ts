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
