/** Absolute paths with slashes, such as `/jobs/etl.py`, which are the same on every system. */

/** Returns the path of the folder that holds a file or folder; `/` holds itself. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** Returns a path relative to a folder as an absolute one, without `.` and `..`. A path cannot lead above `/`. */
export function joinPath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
