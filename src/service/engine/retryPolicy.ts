import type { RunRecord } from '../store/runRecord.ts';
import type { EngineSettings } from './engineSettings.ts';

/** A run that fails at once and is retried for ever would fill the disk; from the third retry on there is a pause. */
const endlessRetryPauseInMs = 1000;

/**
 * When the run is to be retried (Jobs API 2.0, max_retries, min_retry_interval_millis, retry_on_timeout): after FAILED or
 * INTERNAL_ERROR, after a time-out if that is asked for, never after a cancellation.
 *
 * @returns epoch milliseconds, or undefined if there is no further attempt
 */
export function retryDueAt(run: RunRecord, settings: EngineSettings): number | undefined {
  if (run.jobId === undefined || run.hidden || run.endedAt === undefined) return undefined;
  const mayRetry =
    run.stopping === 'TIMEDOUT'
      ? settings.retry_on_timeout === true
      : run.stopping === undefined && (run.result === 'FAILED' || run.lifeCycle === 'INTERNAL_ERROR');
  if (!mayRetry) return undefined;
  const maxRetries = settings.max_retries ?? 0;
  if (maxRetries !== -1 && run.attemptNumber >= maxRetries) return undefined;
  const pauseInMs = maxRetries === -1 && run.attemptNumber >= 2 ? endlessRetryPauseInMs : 0;
  return Math.max(run.endedAt + pauseInMs, run.createdAt + (settings.min_retry_interval_millis ?? 0));
}
