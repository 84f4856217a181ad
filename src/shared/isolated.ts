/** Letters that are written from right to left, and marks that turn the direction. */
const turning = /[\u0590-\u08ff\u200f\u202a-\u202e\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;

/** The text to stand among others: one that is written from right to left would turn what follows it, such as "#1" into "1#". */
export function isolated(text: string): string {
  return turning.test(text) ? `\u2068${text}\u2069` : text;
}

/** The text as it was, where a name is given back that was copied from what is shown. */
export function withoutIsolation(text: string): string {
  return text.replace(/[\u2068\u2069]/g, '');
}
