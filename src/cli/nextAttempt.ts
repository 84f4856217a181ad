import type { Client, RetryMode } from '../api/client/index.ts';
import type { JobSettings, Run } from '../api/schema/jobs/schemas.ts';
import {
  isTriedAgain,
  longestToNextAttemptMs,
  nextAttemptIn,
  pauseBeforeRetryMs,
  runsWithNextAttempt,
} from '../runs/attempts.ts';
import { delay } from '../shared/clock.ts';

interface Waiting {
  readonly signal: AbortSignal;
  /** What is done if the service cannot answer. */
  readonly retry: RetryMode;
  /** Milliseconds between two questions. */
  readonly gapInMs: number;
  /** The next attempt is waited for. */
  onWait(pauseInMs: number): void;
}

/** @returns the attempt after this one, undefined if the job's settings have none follow, or if none comes in time */
export async function nextAttempt(
  { jobs }: Client,
  run: Run,
  settings: JobSettings,
  { signal, retry, gapInMs, onWait }: Waiting,
): Promise<Run | undefined> {
  if (!isTriedAgain(run, settings)) return undefined;
  const pauseInMs = pauseBeforeRetryMs(run, settings);
  onWait(pauseInMs);
  const { job_id } = run;
  for (const endMs = performance.now() + longestToNextAttemptMs(run, settings); performance.now() < endMs;) {
    const { runs } = await jobs.listRuns({ job_id, limit: runsWithNextAttempt }, { signal, retry });
    const next = nextAttemptIn(runs, run);
    if (next) return next;
    await delay(gapInMs, { signal });
  }
  return undefined;
}
