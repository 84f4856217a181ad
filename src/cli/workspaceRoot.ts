import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { createJobFileService } from '../jobfile/services/jobFileService.ts';
import type { JobFile } from './deployFile.ts';
import { projectFolder } from './openService.ts';

/**
 * The folder that paths such as /jobs/etl.py of the file are taken from: the nearest above it, within its project, in which all of
 * them are found; else the current one.
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

/** The files by that folder: a local service has one. */
export function byWorkspaceRoot(files: readonly JobFile[]): Map<string, JobFile[]> {
  const found = new Map<string, JobFile[]>();
  for (const file of files) {
    const root = workspaceRootOf(file);
    found.set(root, [...(found.get(root) ?? []), file]);
  }
  return found;
}
