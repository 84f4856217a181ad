import { encodeChecked, formatPath } from '../../../src/api/schema/problems.ts';

export type Schema = Parameters<typeof encodeChecked>[0];

/** What a schema says of a value: path and code of each problem. */
export function broken(schema: Schema, value: unknown): string[] {
  const checked = encodeChecked(schema, value);
  return checked.ok ? [] : checked.problems.map(({ path, code }) => `${formatPath(path)} ${code}`.trim());
}

export const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
