import type { Job } from '../api/schema/jobs/schemas.ts';
import { l10n } from '../shared/l10n.ts';

/** Made at its first use: that takes milliseconds, in which a window could already show its view. */
const newCollator = (): Intl.Collator => new Intl.Collator();
let collator: Intl.Collator | undefined;

export function jobName(job: Job): string {
  const name = job.settings?.name;
  return typeof name === 'string' && name.trim() !== '' ? name : l10n.t('Untitled');
}

/** The order in which jobs are shown: by name, then by id. */
export function sortJobs(jobs: Iterable<Job>): Job[] {
  return (
    Array.from(jobs, (job) => ({ job, name: jobName(job) }))
      // By code units first, which is quick and nearly the order of people: little is left then for the comparison by their rules.
      .sort((left, right) => (left.name < right.name ? -1 : Number(left.name > right.name)))
      .sort(
        (left, right) =>
          (collator ??= newCollator()).compare(left.name, right.name) ||
          (BigInt(left.job.job_id) < BigInt(right.job.job_id) ? -1 : 1),
      )
      .map(({ job }) => job)
  );
}
