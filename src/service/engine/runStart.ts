import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log.ts';
import type { RunRecord } from '../store/runRecord.ts';
import type { EngineSettings } from './engineSettings.ts';

/** Everything that starting a run needs. */
export interface RunStart {
  /** Absent for a one-time run. */
  readonly jobId?: string;
  /** Settings as JSON text: the job's, or those of the submitted run. */
  readonly settings: string;
  /** The parsed settings, if they are available already. */
  readonly parsed?: EngineSettings;
  /** The run-now parameters as JSON text. Default `{}`. */
  readonly parameters?: string;
  readonly trigger: 'PERIODIC' | 'ONE_TIME' | 'RETRY';
  readonly originalRunId?: string;
  readonly parentRunId?: string;
  /** Set for the run of a task of another run. */
  readonly task?: TaskPlace;
  readonly attemptNumber?: number;
  readonly idempotencyToken?: string;
  /** Whether to run it under the debugger. */
  readonly debug?: boolean;
}

/** The place of a task's run in the run that it belongs to. */
export interface TaskPlace {
  readonly key: string;
  readonly parent: RunRecord;
  readonly repairId?: string;
}

/** Returns the folder with everything that the run left. */
export function runFolder(dataFolder: string, runId: string): string {
  return join(dataFolder, 'runs', runId);
}

/** Nobody waits for the removal: a folder that stays only takes space. */
export function removeRunFolder(dataFolder: string, runId: string, logger: Logger): void {
  rm(runFolder(dataFolder, runId), { recursive: true, force: true }).catch((error: unknown) =>
    logger.warn(`The folder of run ${runId} could not be removed: ${describeError(error)}`),
  );
}
