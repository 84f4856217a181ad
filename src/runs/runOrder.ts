import type { Run } from '../api/schema/jobs/schemas.ts';

/** Returns whether the run is a one-time run. They come from runs/submit; older servers show it only by leaving out the job. */
export function isOneTime(run: Run): boolean {
  if (run.run_type !== undefined) return run.run_type === 'SUBMIT_RUN';
  return run.job_id === undefined;
}

/** Returns whether the left run is newer: by its start or, if neither has started, by its ID, which services assign in order. */
export function isNewer(left: Run, right: Run): boolean {
  const difference = (left.start_time ?? 0) - (right.start_time ?? 0);
  if (difference !== 0 && left.start_time && right.start_time) return difference > 0;
  return BigInt(left.run_id) > BigInt(right.run_id);
}

/** The last run of a job, and whether a newer one was skipped; skipped runs say nothing about the job's health. */
export interface KnownLastRun {
  readonly kind: 'run';
  readonly run: Run;
  readonly isSkippedSince?: true;
}

/** The known result of a job's last run. `none` and `run` come from the service; `unknown` means that it was not requested. */
export type LastRun = KnownLastRun | { readonly kind: 'none' } | { readonly kind: 'unknown' };
