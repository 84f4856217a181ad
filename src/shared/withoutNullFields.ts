import type { Fields } from './fields.ts';

/** Returns an object without its null fields; the object itself if it has none. */
export function withoutTopNulls(fields: Fields): Fields {
  const names = Object.keys(fields);
  if (names.every((name) => fields[name] !== null)) return fields;
  return Object.fromEntries(names.filter((name) => fields[name] !== null).map((name) => [name, fields[name]]));
}

/**
 * Removes null fields at any depth; nulls in lists stay. Returns the value itself if there are none.
 * @param onDepth called at each list and object with its depth; what it throws ends the traversal
 * @throws RangeError if it is nested too deeply for the stack
 */
export function withoutNullFields<T>(value: T, onDepth?: (depth: number) => void, depth = 0): T {
  if (typeof value !== 'object' || value === null) return value;
  onDepth?.(depth);
  const inner = (item: unknown): unknown => withoutNullFields(item, onDepth, depth + 1);
  if (Array.isArray(value)) {
    const items = value.map(inner);
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  const kept: [string, unknown][] = [];
  let isSame = true;
  for (const [name, item] of Object.entries(value)) {
    const own = inner(item);
    isSame &&= item !== null && own === item;
    if (item !== null) kept.push([name, own]);
  }
  return isSame ? value : (Object.fromEntries(kept) as T);
}
