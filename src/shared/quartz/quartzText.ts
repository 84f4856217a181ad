export const maxInt32 = 2_147_483_647;

/** Where a piece of the expression stands in it. */
export interface Piece {
  readonly text: string;
  readonly start: number;
}

/** The parts of a text that match a global pattern; `start` is where the text itself begins. */
export function pieces(text: string, pattern: RegExp, start: number): Piece[] {
  return [...text.matchAll(pattern)].map((match) => ({ text: match[0], start: start + match.index }));
}

/** Without the line ends and other control characters that only blanks and tabs separate. */
export function trimmed(piece: Piece): Piece {
  const text = piece.text.replace(/^[\0-\x20]+/, '');
  return { text: text.replace(/(?<![\0-\x20])[\0-\x20]+$/, ''), start: piece.start + piece.text.length - text.length };
}

/** What Java's Integer.parseInt takes, a sign included. */
export function javaInteger(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value > maxInt32 || value < -maxInt32 - 1 ? undefined : value;
}

export function ascending(values: Iterable<number>): readonly number[] {
  return [...values].sort((a, b) => a - b);
}
