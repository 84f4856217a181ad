import type { Job } from '../api/schema/jobs/schemas.ts';
import type { Connection } from '../connection/connection.ts';
import { jobName } from '../runs/jobNames.ts';
import { l10n } from '../shared/l10n.ts';
import type { DeployableFile } from './deployableFile.ts';
import { loadJobFileService } from './loadJobFileService.ts';
import type { CommandServices } from './services.ts';

/** Shows the file beside the settings of the job. These are written in the file's own order, so that no order is shown as a change. */
export async function showComparison(
  services: CommandServices,
  connection: Connection,
  deployable: DeployableFile,
  job: Job,
): Promise<void> {
  const { toYaml } = await loadJobFileService();
  const { file, jobId } = deployable;
  const theirs = toYaml(job.settings ?? {}, { like: file.text, ...(jobId === undefined ? {} : { jobId: job.job_id }) });
  await services.ui.compare(
    file.uri,
    theirs,
    l10n.t('{0}: file ↔ {1}, job {2}', jobName(job), connection.profile.name, job.job_id),
  );
}
