import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';

/** How a second window finds the service of a data folder. Readable by its owner only, because it holds the token. */
export interface ServiceFile {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** Whether it ends with the command that started it. */
  readonly isTransient?: boolean;
}

export function serviceFilePath(dataFolder: string): string {
  return join(dataFolder, 'service.json');
}

/** @throws AppError `unavailable` if it cannot be written */
export function writeServiceFile(dataFolder: string, content: ServiceFile): void {
  const path = serviceFilePath(dataFolder);
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new AppError(
      'unavailable',
      `${path}, by which other windows find the local service, cannot be written: ${(error as Error).message}.`,
      {
        cause: error,
        remedy: 'Free some disk space, or move the file that is in its place, then start the service again.',
      },
    );
  }
}

/** @returns `undefined` if there is none that can be read */
export function readServiceFile(dataFolder: string): ServiceFile | undefined {
  try {
    const content = JSON.parse(readFileSync(serviceFilePath(dataFolder), 'utf8')) as Partial<ServiceFile>;
    const { url, token, pid, isTransient = false } = content;
    return typeof url === 'string' && typeof token === 'string' && typeof pid === 'number'
      ? { url, token, pid, ...(isTransient ? { isTransient } : {}) }
      : undefined;
  } catch {
    return undefined;
  }
}

export function removeServiceFile(dataFolder: string): void {
  try {
    rmSync(serviceFilePath(dataFolder), { force: true });
  } catch {
    // Readers find that the process is gone.
  }
}
