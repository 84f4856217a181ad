import type { Job } from '../api/schema/jobs/schemas.ts';
import { jobFileName } from '../runs/exportNames.ts';
import { l10n } from '../shared/l10n.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import type { CommandServices } from './services.ts';
import type { PickItem } from './ui.ts';

/** Maximum files that are read; further files are offered without checking their content. */
const maxRead = 300;

/** Returns the existing files that were deployed to the job or pulled from it. */
export async function filesThatKnow(services: CommandServices, profileId: string, job: Job): Promise<string[]> {
  const known = services.deployments.filesOf(profileId, job.job_id);
  const texts = await Promise.all(known.map((uri) => services.ui.textOf(uri)));
  return known.filter((_uri, index) => texts[index] !== undefined);
}

/**
 * Returns the file for a job's settings: the only file linked to it, or, if there are other job files, the user's choice.
 * @returns its URI, `new` for a file to be created, or `undefined` if the user canceled
 */
export async function fileOfJob(services: CommandServices, profileId: string, job: Job): Promise<string | undefined> {
  const known = await filesThatKnow(services, profileId, job);
  const [first] = known;
  if (first !== undefined && known.length === 1) return first;
  const files = await services.ui.jobFiles();
  if (files.length === 0) return 'new';
  const described = await Promise.all(
    files.map(async ({ uri, name }, index) => ({
      label: name,
      value: uri,
      ...(known.includes(uri)
        ? { description: l10n.t('belongs to this job') }
        : await claimOf(services, uri, job, index < maxRead)),
    })),
  );
  const isNear = ({ description }: PickItem<string>): boolean => description !== undefined;
  const items: PickItem<string>[] = [
    ...described.filter(isNear),
    { label: l10n.t('New file {0}', jobFileName(job)), value: 'new' },
    ...described.filter((item) => !isNear(item)),
  ];
  return services.ui.pick(l10n.t('Pull job into file'), l10n.t("File for the job's settings"), items);
}

/** Returns how the file refers to the job. */
async function claimOf(
  { ui }: CommandServices,
  uri: string,
  { job_id: id, settings }: Job,
  isRead: boolean,
): Promise<{ description?: string }> {
  const text = isRead ? await ui.textOf(uri) : undefined;
  if (text === undefined) return {};
  const file = (await loadJobFileService()).parse(text);
  if (file.jobId === id) return { description: l10n.t('names this job') };
  const name = settings?.name?.trim();
  const isOfName = name !== undefined && file.jobId === undefined && file.settings?.name?.trim() === name;
  return isOfName ? { description: l10n.t('has its name') } : {};
}
