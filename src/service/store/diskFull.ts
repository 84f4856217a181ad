import { causesOf } from '../../shared/http/causes.ts';

/** SQLite's "database or disk is full". */
const sqliteFull = 13;

/** Whether the disk, or the user's part of it, has no room. Looks at the causes too. */
export function isDiskFull(error: unknown): boolean {
  return causesOf(error).some(
    ({ code, errcode }) =>
      code === 'ENOSPC' || code === 'EDQUOT' || (typeof errcode === 'number' && (errcode & 0xff) === sqliteFull),
  );
}
