/** A part of a text; offsets count UTF-16 units, `end` is one past the last. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}
