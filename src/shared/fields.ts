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
