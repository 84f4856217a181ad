import type { Client, RetryMode } from '../api/client/index.ts';
import type { JobSettings, Run } from '../api/schema/jobs/schemas.ts';
import { isTriedAgain, originalIdOf, pauseBeforeRetryMs } from '../runs/attempts.ts';
import { delay } from '../shared/clock.ts';

interface Waiting {
  signal: AbortSignal;
  /** What is done if the service cannot answer. */
  retry: RetryMode;
  /** Milliseconds between two questions. */
  gapInMs: number;
  /** The next attempt is waited for. */
  onWait(pauseInMs: number): void;
}

/** So much later than its settings say the next attempt may come. */
const graceInMs = 60_000;
/** The attempts that a job had meanwhile stand at the top of its list. */
const newestRuns = 25;

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
  const { attempt_number: attempt = 0, job_id } = run;
  for (const endMs = performance.now() + pauseInMs + graceInMs; performance.now() < endMs;) {
    const { runs } = await jobs.listRuns({ job_id, limit: newestRuns }, { signal, retry });
    const later = runs.filter((one) => originalIdOf(one) === originalIdOf(run) && (one.attempt_number ?? 0) > attempt);
    if (later.length > 0)
      return later.reduce((first, one) => ((one.attempt_number ?? 0) < (first.attempt_number ?? 0) ? one : first));
    await delay(gapInMs, { signal });
  }
  return undefined;
}
