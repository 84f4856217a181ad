/** Returns the known names that a mistyped one may mean, best first; none if nothing is close. */
export function similarNames(name: string, known: Iterable<string>, max = 3): readonly string[] {
  const wanted = plain(name);
  const found: { name: string; distance: number }[] = [];
  for (const candidate of known) {
    const other = plain(candidate);
    const limit = Math.max(1, Math.floor(Math.min(wanted.length, other.length) / 4));
    const distance = editDistance(wanted, other, limit);
    if (distance <= limit) found.push({ name: candidate, distance });
  }
  return found
    .sort((one, other) => one.distance - other.distance)
    .slice(0, max)
    .map((item) => item.name);
}

/** Ignores spelling variants: `timeoutSeconds` and `timeout-seconds` are `timeout_seconds`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Counts changes, insertions, deletions and swaps of neighbors between two names; more than `limit` is `limit + 1`. */
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let min = row;
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1;
      let value = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + cost);
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        value = Math.min(value, (beforeLast[column - 2] ?? 0) + 1);
      current.push(value);
      min = Math.min(min, value);
    }
    if (min > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? limit + 1;
}
