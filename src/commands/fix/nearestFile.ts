import { similarNames } from '../../shared/similarNames.ts';

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (path: string): string => nameOf(path).replace(/\.\w+$/, '');

/**
 * Returns the only file that a wrong path may mean: the same name elsewhere, or a similar name. Returns `undefined` if several files match.
 */
export function nearestFile(path: string, files: readonly string[]): string | undefined {
  const folder = path.slice(0, path.length - nameOf(path).length);
  const named = (file: string): boolean => nameOf(file).toLowerCase() === nameOf(path).toLowerCase();
  const same = files.filter((file) => named(file) || stemOf(file).toLowerCase() === nameOf(path).toLowerCase());
  const beside = files.filter((file) => file === folder + nameOf(file));
  for (const found of [
    same,
    beside.filter((file) => similarNames(stemOf(path), [stemOf(file)]).length > 0),
    files.filter((file) => similarNames(path, [file]).length > 0),
    files.filter((file) => similarNames(stemOf(path), [stemOf(file)]).length > 0),
  ])
    if (found.length === 1) return found[0];
  return undefined;
}

/** Returns the relative path from a folder to a file, both in the workspace. */
export function pathFrom(folder: string, file: string): string {
  const [from, to] = [folder.split('/').filter(Boolean), file.split('/')];
  while (from.length > 0 && to.length > 1 && from[0] === to[0]) {
    from.shift();
    to.shift();
  }
  return [...from.map(() => '..'), ...to].join('/');
}
