import type { JobSettings, Run } from '../api/schema/jobs/schemas.ts';
import { l10n } from '../shared/l10n.ts';
import { runStatus } from './runState.ts';

/** Groups runs by their first attempt, newest attempt first; groups are in the order of the given runs. */
export function groupAttempts(runs: readonly Run[]): (readonly [Run, ...Run[]])[] {
  const groups = new Map<string, [Run, ...Run[]]>();
  for (const run of runs) {
    const original = originalIdOf(run);
    const group = groups.get(original);
    if (group) group.push(run);
    else groups.set(original, [run]);
  }
  for (const group of groups.values())
    group.sort((left, right) => (right.attempt_number ?? 0) - (left.attempt_number ?? 0));
  return [...groups.values()];
}

/** Returns all attempts of a run among others, oldest first; none if there is only one. */
export function attemptsOf(run: Run, runs: readonly Run[]): readonly Run[] {
  const group = groupAttempts(runs).find((each) => each.some(({ run_id: id }) => id === run.run_id));
  return group && group.length > 1 ? group.toReversed() : [];
}

/** Returns the ID of a run's first attempt (Jobs API 2.0, Run, original_attempt_run_id). */
export function originalIdOf(run: Run): string {
  return run.original_attempt_run_id ?? run.run_id;
}

/**
 * Returns whether the job's settings retry a run that ended like this one (Jobs API 2.0, JobSettings, max_retries, retry_on_timeout). The
 * settings may have been different when the run started, and canceling the job drops pending attempts.
 */
export function isTriedAgain(run: Run, settings: JobSettings | undefined): boolean {
  const { max_retries: max = 0, retry_on_timeout: isAfterTimeOut = false } = settings ?? {};
  if (run.job_id === undefined || (max !== -1 && (run.attempt_number ?? 0) >= max)) return false;
  const { phase } = runStatus(run);
  return phase === 'failed' || phase === 'internalError' || (phase === 'timedOut' && isAfterTimeOut);
}

/**
 * Returns the milliseconds from the end of a run to the start of its next attempt, according to the settings (Jobs API 2.0, JobSettings,
 * min_retry_interval_millis, which counts from the start of the run).
 */
export function pauseBeforeRetryMs(run: Run, settings: JobSettings | undefined): number {
  const { start_time: start = 0, end_time: end = 0 } = run;
  return Math.max(0, (settings?.min_retry_interval_millis ?? 0) - Math.max(0, end - start));
}

/** How much later than the settings say the next attempt may start. */
const retryGraceMs = 60_000;
/** Returns the longest time in milliseconds from the end of a run to the start of its next attempt. */
export function longestToNextAttemptMs(run: Run, settings: JobSettings | undefined): number {
  return pauseBeforeRetryMs(run, settings) + retryGraceMs;
}

/** Returns whether the last known attempt is active, or another may start soon. */
export function isAttemptAwaited(last: Run | undefined, settings: JobSettings | undefined, nowMs: number): boolean {
  if (!last) return false;
  const sinceEndMs = Math.abs(nowMs - (last.end_time ?? 0));
  return (
    runStatus(last).active || (isTriedAgain(last, settings) && sinceEndMs < longestToNextAttemptMs(last, settings))
  );
}

/** How many of a job's newest runs to read to find the next attempt among them: newer attempts are at the top of the list. */
export const runsWithNextAttempt = 25;

/** Returns the attempt that followed a run, or `undefined` if it is not in the list. */
export function nextAttemptIn(runs: readonly Run[], run: Run): Run | undefined {
  const numberOf = ({ attempt_number: number = 0 }: Run): number => number;
  return runs
    .filter((one) => originalIdOf(one) === originalIdOf(run) && numberOf(one) > numberOf(run))
    .sort((left, right) => numberOf(left) - numberOf(right))[0];
}

/** Returns the number of an attempt ("attempt 1 of 3"), or `undefined` for a run with only one attempt. */
export function attemptWords(run: Run, settings: JobSettings | undefined): string | undefined {
  const { attempt_number: earlier = 0 } = run;
  const retries = settings?.max_retries ?? 0;
  if (earlier === 0 && !isTriedAgain(run, settings)) return undefined;
  if (retries === -1) return l10n.t('attempt {0}, retried without limit', earlier + 1);
  // The settings may have allowed more retries when the run started.
  if (earlier > retries) return l10n.t('attempt {0}', earlier + 1);
  return l10n.t('attempt {0} of {1}', earlier + 1, retries + 1);
}
