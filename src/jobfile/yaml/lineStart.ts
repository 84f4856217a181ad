/** Where the line of a place begins; offsets count UTF-16 units. */
export function lineStart(text: string, offset: number): number {
  // Searched from before the first character, the first one is looked at all the same.
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** How far a place is from the beginning of its line, in UTF-16 units. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}
