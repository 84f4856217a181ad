import type { Run } from '../api/schema/jobs/schemas.ts';

/** The last run of a job, with whether a newer one was skipped, which does not tell how the job goes. */
export interface KnownLastRun {
  readonly kind: 'run';
  readonly run: Run;
  readonly isSkippedSince?: true;
}

/** What is known of how a job went last. `none` and `run` are what the service said; if it was not asked, it is `unknown`. */
export type LastRun = KnownLastRun | { readonly kind: 'none' } | { readonly kind: 'unknown' };
