import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LastDeploy } from '../jobfile/services/jobFileService.ts';
import { parseJson, stringifyJson } from '../shared/json.ts';
import { output } from './output.ts';

/** What is remembered of the last deploy of a file to a service from here. */
export interface Remembered extends Required<LastDeploy> {
  readonly jobId: string;
  /** The job's own `created_time`, which tells it from another one of the same id, where the service gives one. */
  readonly createdTime?: number;
}

/** @returns undefined where there was none, or it cannot be read */
export function recall(memory: string, file: string): Remembered | undefined {
  try {
    const kept = parseJson(readFileSync(placeOf(memory, file), 'utf8')) as Partial<Remembered>;
    const { jobId, sent, settings, createdTime } = kept;
    if (typeof jobId !== 'string' || typeof sent !== 'object' || typeof settings !== 'object') return undefined;
    return { jobId, sent, settings, ...(typeof createdTime === 'number' ? { createdTime } : {}) };
  } catch {
    return undefined;
  }
}

/** What cannot be kept is said: the deploy is done all the same, and the next one asks more. */
export function remember(memory: string, file: string, deploy: Remembered): void {
  try {
    mkdirSync(memory, { recursive: true, mode: 0o700 });
    const place = placeOf(memory, file);
    const draft = `${place}.${process.pid}`;
    // Settings may hold what is nobody else's.
    writeFileSync(draft, stringifyJson({ file, ...deploy }), { mode: 0o600 });
    renameSync(draft, place);
  } catch (error) {
    output.say(`This deploy could not be remembered in ${memory}: ${(error as Error).message}.`);
  }
}

function placeOf(memory: string, file: string): string {
  const path = realpathSync(file);
  return join(memory, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`);
}
