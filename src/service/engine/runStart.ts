import type { EngineSettings } from './engineSettings.ts';

/** Everything that is needed to start a run. */
export interface RunStart {
  /** Absent for a one-time run. */
  readonly jobId?: string;
  /** The settings as JSON text: the job's, or those of the submitted run. */
  readonly settings: string;
  /** The same as values, if they were read already. */
  readonly parsed?: EngineSettings;
  /** The run-now parameters as JSON text. Default `{}`. */
  readonly parameters?: string;
  readonly trigger: 'PERIODIC' | 'ONE_TIME' | 'RETRY';
  readonly originalRunId?: string;
  readonly parentRunId?: string;
  readonly attemptNumber?: number;
  readonly idempotencyToken?: string;
  /** Runs it under the debugger. */
  readonly debug?: boolean;
}
