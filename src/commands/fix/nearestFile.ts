import { l10n } from '../../shared/l10n.ts';
import { similarNames } from '../../shared/similarNames.ts';

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (path: string): string => nameOf(path).replace(/\.\w+$/, '');

/**
 * Returns the files that a wrong path may mean: the only one with the same or a similar name, otherwise all that match equally well, or none.
 */
export function nearestFiles(path: string, files: readonly string[]): readonly string[] {
  const folder = path.slice(0, path.length - nameOf(path).length);
  const named = (file: string): boolean => nameOf(file).toLowerCase() === nameOf(path).toLowerCase();
  const same = files.filter((file) => named(file) || stemOf(file).toLowerCase() === nameOf(path).toLowerCase());
  const beside = files.filter((file) => file === folder + nameOf(file));
  const groups = [
    same,
    beside.filter((file) => similarNames(stemOf(path), [stemOf(file)]).length > 0),
    files.filter((file) => similarNames(path, [file]).length > 0),
    files.filter((file) => similarNames(stemOf(path), [stemOf(file)]).length > 0),
  ];
  return groups.find(({ length }) => length === 1) ?? groups.find(({ length }) => length > 0) ?? [];
}

/** Maximum files that a message lists. */
const maxNamed = 5;

/** Explains why a missing path is not corrected, given the files that it may mean. */
export function uncertainPath(path: string, found: readonly string[]): string {
  if (found.length === 0) return l10n.t('{0} does not exist, and the workspace has no file of a similar name.', path);
  return l10n.t(
    '{0} does not exist. Several files have a similar name: {1}',
    path,
    found.slice(0, maxNamed).join(', '),
  );
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
