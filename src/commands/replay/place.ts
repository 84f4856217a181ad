const extension = /\.(?:py|ipynb|sql|scala|r)$/i;

/** Where the code of runs is in the workspace, by the path that the service gives it. */
export type Places = Readonly<Record<string, string>>;

/**
 * The file of the workspace that was chosen for the path before, or that lies beside one that was: from
 * `/Repos/etl/jobs/load` for `/jobs/load.py` it follows that `/Repos/etl/jobs/clean` is `/jobs/clean.py`.
 * @param files paths in the workspace
 * @returns undefined if neither is known, or the file is gone
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

/** Whether a path means a file of the workspace, with its extension or without. */
export function isMeant(path: string, file: string): boolean {
  return file === path || file.replace(extension, '') === path;
}

/** The files that may be meant, the likeliest first: those whose path ends alike. */
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
  // As the service writes it: a scheme keeps its colon, a path its first slash.
  const start = remote.startsWith('/') ? '/' : '';
  return [from.length > 0 ? start + from.join('/') : '', to.length > 0 ? `/${to.join('/')}` : ''];
}

function partsOf(path: string): string[] {
  return path
    .replace(extension, '')
    .split('/')
    .filter((part) => part !== '');
}
