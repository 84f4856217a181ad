import type { Run } from '../api/schema/jobs/schemas.ts';

/** One-time runs come from runs/submit; older servers say so only by leaving out the job. */
export function isOneTime(run: Run): boolean {
  if (run.run_type !== undefined) return run.run_type === 'SUBMIT_RUN';
  return run.job_id === undefined;
}

/** Later start wins; of two that did not start, the larger id, which services give out in order. */
export function isNewer(left: Run, right: Run): boolean {
  const difference = (left.start_time ?? 0) - (right.start_time ?? 0);
  if (difference !== 0 && left.start_time && right.start_time) return difference > 0;
  return BigInt(left.run_id) > BigInt(right.run_id);
}

/** The last run of a job, with whether a newer one was skipped, which does not tell how the job goes. */
export interface KnownLastRun {
  readonly kind: 'run';
  readonly run: Run;
  readonly isSkippedSince?: true;
}

/** What is known of how a job went last. `none` and `run` are what the service said; if it was not asked, it is `unknown`. */
export type LastRun = KnownLastRun | { readonly kind: 'none' } | { readonly kind: 'unknown' };
