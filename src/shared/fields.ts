import { toAppError } from './errors.ts';

/** A JSON object, of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;
/** One that is being made, or mended in place. */
export type WritableFields = Record<string, unknown>;

/** Whether the value is a JSON object; a list is none. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value is one of those that servers send in place of leaving a field out. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && /^\s*(null|none)?\s*$/i.test(value));
}

/** The value if it is a JSON object. */
export function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

/** What a service answers, or undefined if it has nothing of that id. @throws whatever else went wrong */
export async function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (toAppError(error).kind === 'notFound') return undefined;
    throw error;
  }
}

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
