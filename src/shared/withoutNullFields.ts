/**
 * A value without the fields that are null, at any depth; nulls in lists stay. The value itself if it has none.
 * @throws RangeError if it is nested too deeply for the stack
 */
export function withoutNullFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutNullFields);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value);
  const kept = entries
    .filter(([, item]) => item !== null)
    .map(([name, item]) => [name, withoutNullFields(item)] as const);
  const isSame = kept.length === entries.length && kept.every(([, item], index) => item === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}
