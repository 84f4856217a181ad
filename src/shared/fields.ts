import { toAppError } from './errors.ts';

/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>;
/** A JSON object that is being built or corrected in place. */
export type WritableFields = Record<string, unknown>;

/** Returns whether the value is a JSON object; a list is not. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether the value is one of those that servers send in place of leaving a field out. */
export function isAbsent(value: unknown): boolean {
  if (typeof value === 'string') return /^(?:null|none|nil|undefined)?$/i.test(value.trim());
  return !value || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Returns the value if it is a JSON object. */
export function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

/** Returns a service's response, or `undefined` if the ID does not exist. @throws any other error */
export async function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (toAppError(error).kind === 'notFound') return undefined;
    throw error;
  }
}

/** Right-to-left letters, and marks that change the direction. */
const turning = /[\u0590-\u08ff\u200f\u202a-\u202e\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;

/** Isolates a text from its surroundings: a right-to-left text would otherwise turn what follows it, such as "#1" into "1#". */
export function isolated(text: string): string {
  return turning.test(text) ? `\u2068${text}\u2069` : text;
}

/** Removes the isolation from a name that was copied from the screen. */
export function withoutIsolation(text: string): string {
  return text.replace(/[\u2068\u2069]/g, '');
}

/** Compares JSON values; the order of keys does not matter. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  if (!isFields(left) || !isFields(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}
