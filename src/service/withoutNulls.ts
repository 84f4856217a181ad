import { invalidParameter } from './apiError.ts';

/** A field that is null says the same as one that is left out; real job files hold both. */
export function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 100) throw invalidParameter('The request is nested more than 100 levels deep. Nothing was done.');
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item, depth + 1));
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== null) Object.defineProperty(result, key, { value: withoutNulls(item, depth + 1), enumerable: true, configurable: true, writable: true });
  }
  return result;
}
