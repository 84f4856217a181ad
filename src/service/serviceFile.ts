import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a second window finds the service of a data folder. Readable by its owner only, since it holds the token. */
export interface ServiceFile {
  url: string;
  token: string;
  pid: number;
}

export function serviceFilePath(dataFolder: string): string {
  return join(dataFolder, 'service.json');
}

export function writeServiceFile(dataFolder: string, content: ServiceFile): void {
  const path = serviceFilePath(dataFolder);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  renameSync(draft, path);
}

/** @returns undefined where there is none that can be read */
export function readServiceFile(dataFolder: string): ServiceFile | undefined {
  try {
    const content = JSON.parse(readFileSync(serviceFilePath(dataFolder), 'utf8')) as Partial<ServiceFile>;
    const { url, token, pid } = content;
    return typeof url === 'string' && typeof token === 'string' && typeof pid === 'number' ? { url, token, pid } : undefined;
  } catch {
    return undefined;
  }
}

export function removeServiceFile(dataFolder: string): void {
  rmSync(serviceFilePath(dataFolder), { force: true });
}
