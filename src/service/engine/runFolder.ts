import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';

/** The folder that holds all that the run left. */
export function runFolder(dataFolder: string, runId: string): string {
  return join(dataFolder, 'runs', runId);
}

/** Nobody waits for it: a folder that stays only takes room. */
export function removeRunFolder(dataFolder: string, runId: string, logger: Logger): void {
  rm(runFolder(dataFolder, runId), { recursive: true, force: true }).catch((error: unknown) =>
    logger.warn(`The folder of run ${runId} could not be removed: ${describeError(error)}`),
  );
}
