import { invalidParameter, type ApiError } from './apiError.ts';

/** Levels of lists and objects in a request. */
export const deepestNesting = 100;

export function nestedTooDeep(): ApiError {
  return invalidParameter(`The request is nested more than ${deepestNesting} levels deep. Nothing was done.`);
}

/** A field that is null says the same as one that is left out; real job files hold both. */
export function requestWithoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepestNesting) throw nestedTooDeep();
  if (Array.isArray(value)) return value.map((item: unknown) => requestWithoutNulls(item, depth + 1));
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === null) continue;
    const kept = requestWithoutNulls(item, depth + 1);
    // Set in the usual way it would become the object's prototype.
    if (key === '__proto__')
      Object.defineProperty(result, key, { value: kept, enumerable: true, configurable: true, writable: true });
    else result[key] = kept;
  }
  return result;
}
