import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface Sync {
  /** The file or folder that was brought to the disk. */
  path: string;
  /** What a file held at that moment. */
  content?: string;
}

/** What is brought to the disk while an action runs, in order: what is only written can be lost with the power. */
export async function recordSyncs(action: () => Promise<unknown>): Promise<Sync[]> {
  const probe = path.join(os.tmpdir(), `millrace-probe-${process.pid}`);
  const handle = await open(probe, 'w');
  const prototype = Object.getPrototypeOf(handle) as Pick<FileHandle, 'sync' | 'datasync'>;
  await handle.close();
  fs.rmSync(probe);
  const { sync, datasync } = prototype;
  const found: Sync[] = [];
  const recording = (original: (this: FileHandle) => Promise<void>) =>
    async function (this: FileHandle): Promise<void> {
      await original.call(this);
      const place = fs.readlinkSync(`/proc/self/fd/${this.fd}`);
      found.push(
        fs.statSync(place).isFile() ? { path: place, content: fs.readFileSync(place, 'utf8') } : { path: place },
      );
    };
  prototype.sync = recording(sync);
  prototype.datasync = recording(datasync);
  try {
    await action();
  } finally {
    Object.assign(prototype, { sync, datasync });
  }
  return found;
}
