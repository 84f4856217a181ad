import type { RunRecord } from '../store/runRecord.ts';
import type { EngineSettings } from './engineSettings.ts';

/**
 * Turns moments of a run's life into stored messages (Jobs API 2.0, Events). All but `wake` are called within the
 * transaction that stores the moment itself, so that neither is ever there without the other.
 */
export interface Notifier {
  started(run: RunRecord, settings: EngineSettings): void;
  /** @param willRetry whether another attempt follows */
  over(run: RunRecord, settings: EngineSettings, willRetry: boolean): void;
  lastsLong(run: RunRecord, settings: EngineSettings): void;
  jobDeleted(jobId: string, settings: EngineSettings): void;
  /** Begins to deliver what was stored. */
  wake(): void;
}
