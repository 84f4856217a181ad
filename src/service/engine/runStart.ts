import type { EngineSettings } from './engineSettings.ts';

/** What starts a run. */
export interface RunStart {
  /** Absent for a one-time run. */
  jobId?: string;
  /** The settings as JSON text: the job's, or those of the submitted run. */
  settings: string;
  /** The same as values, if they were read already. */
  parsed?: EngineSettings;
  /** The run-now parameters as JSON text. Default `{}`. */
  parameters?: string;
  trigger: 'PERIODIC' | 'ONE_TIME' | 'RETRY';
  originalRunId?: string;
  parentRunId?: string;
  attemptNumber?: number;
  idempotencyToken?: string;
  /** Runs it under the debugger. */
  debug?: boolean;
}
