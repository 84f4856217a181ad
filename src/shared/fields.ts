/** A JSON object, of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;
/** One that is being made, or mended in place. */
export type WritableFields = Record<string, unknown>;

/** Whether the value is a JSON object; a list is none. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a JSON object. */
export function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}
