import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { createJobFileService } from '../jobfile/services/jobFileService.ts';
import type { JobFile } from './deployFile.ts';
import { projectFolder } from './openService.ts';

/**
 * Returns the folder to which paths such as /jobs/etl.py in the file are relative: the nearest parent within its project that contains all
 * of them, otherwise the current folder.
 */
export function workspaceRootOf({ path, document }: JobFile): string {
  const references = createJobFileService().fileReferences(document);
  const start = dirname(resolve(path));
  const top = projectFolder(start);
  for (let folder = start; references.length > 0; folder = dirname(folder)) {
    const isThere = references.every(({ candidates }) => candidates.some((one) => existsSync(join(folder, one))));
    if (isThere) return folder;
    if (folder === top || folder === dirname(folder)) break;
  }
  const isBelow = !relative(process.cwd(), start).startsWith('..');
  return isBelow ? process.cwd() : start;
}

/** Groups the files by that folder, since a local service has one root. */
export function byWorkspaceRoot(files: readonly JobFile[]): Map<string, JobFile[]> {
  const found = new Map<string, JobFile[]>();
  for (const file of files) {
    const root = workspaceRootOf(file);
    found.set(root, [...(found.get(root) ?? []), file]);
  }
  return found;
}
