import type { Job } from '../api/schema/jobs/schemas.ts';
import { l10n } from '../shared/l10n.ts';

/** Created on first use: it takes milliseconds that would delay the first view of a window. */
const newCollator = (): Intl.Collator => new Intl.Collator();
let collator: Intl.Collator | undefined;

export function jobName(job: Job): string {
  const name = job.settings?.name;
  return typeof name === 'string' && name.trim() !== '' ? name : l10n.t('Untitled');
}

/** Sorts jobs for display: by name, then by ID. */
export function sortJobs(jobs: Iterable<Job>): Job[] {
  return (
    Array.from(jobs, (job) => ({ job, name: jobName(job) }))
      // Sort by code units first: it is fast and close to the locale's order, which leaves little work for the slower comparison.
      .sort((left, right) => (left.name < right.name ? -1 : Number(left.name > right.name)))
      .sort(
        (left, right) =>
          (collator ??= newCollator()).compare(left.name, right.name) ||
          (BigInt(left.job.job_id) < BigInt(right.job.job_id) ? -1 : 1),
      )
      .map(({ job }) => job)
  );
}
