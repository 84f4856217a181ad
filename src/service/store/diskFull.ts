/** SQLite's "database or disk is full". */
const sqliteFull = 13;

/** Whether the disk, or the user's part of it, has no room. Looks at the causes too. */
export function isDiskFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code, errcode } = each as { code?: unknown; errcode?: unknown };
    if (code === 'ENOSPC' || code === 'EDQUOT') return true;
    if (typeof errcode === 'number' && (errcode & 0xff) === sqliteFull) return true;
  }
  return false;
}
