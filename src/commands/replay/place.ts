const extension = /\.(?:py|ipynb|sql|scala|r)$/i;

/** Workspace files of the runs' code, keyed by the path on the service. */
export type Places = Readonly<Record<string, string>>;

/**
 * Returns the workspace file chosen earlier for the path, or one relative to an earlier choice: if `/Repos/etl/jobs/load` is
 * `/jobs/load.py`, then `/Repos/etl/jobs/clean` is `/jobs/clean.py`.
 * @param files workspace paths
 * @returns `undefined` if neither is known or the file does not exist
 */
export function placeOf(path: string, files: readonly string[], known: Places): string | undefined {
  const own = known[path];
  if (own !== undefined && files.includes(own)) return own;
  for (const [remote, local] of Object.entries(known)) {
    const [from, to] = withoutCommonEnd(remote, local);
    if (!path.startsWith(`${from}/`)) continue;
    const wanted = to + path.slice(from.length).replace(extension, '');
    const found = files.find((file) => isMeant(wanted, file));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether a path refers to a workspace file, with or without its extension. */
export function isMeant(path: string, file: string): boolean {
  return file === path || file.replace(extension, '') === path;
}

/** Returns the files that the path may refer to, the most likely first: those whose paths have the same end. */
export function likelyPlaces(path: string, files: readonly string[]): string[] {
  const parts = partsOf(path);
  const alike = (file: string): number => {
    const own = partsOf(file);
    let count = 0;
    while (count < own.length && own.at(-1 - count) === parts.at(-1 - count)) count += 1;
    return count;
  };
  return files
    .map((file) => ({ file, count: alike(file) }))
    .toSorted((left, right) => right.count - left.count || left.file.localeCompare(right.file))
    .map(({ file }) => file);
}

function withoutCommonEnd(remote: string, local: string): [string, string] {
  const [from, to] = [partsOf(remote), partsOf(local)];
  while (from.length > 0 && to.length > 0 && from.at(-1) === to.at(-1)) {
    from.pop();
    to.pop();
  }
  // In the service's spelling: a scheme keeps its colon, a path its first slash.
  const start = remote.startsWith('/') ? '/' : '';
  return [from.length > 0 ? start + from.join('/') : '', to.length > 0 ? `/${to.join('/')}` : ''];
}

function partsOf(path: string): string[] {
  return path
    .replace(extension, '')
    .split('/')
    .filter((part) => part !== '');
}
