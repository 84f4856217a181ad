import type { Connection } from '../../connection/connection.ts';
import { jobName } from '../../runs/jobNames.ts';
import { storeOf } from '../connectFor.ts';
import { loadJobFileService } from '../loadJobFileService.ts';
import type { CommandServices } from '../services.ts';

/** So many job files are looked at for one that is not deployed. */
const maxFiles = 20;

/** The first job file of the workspace that names no job, and whose name no job of the profile has. */
export async function undeployedFile(
  services: CommandServices,
  connection: Connection,
): Promise<{ uri: string; name: string } | undefined> {
  const { ui, deployments } = services;
  const store = storeOf(services, connection);
  // Before the jobs were listed nobody knows; once they are, this is asked again.
  if (store?.freshness.kind !== 'fresh') return undefined;
  const files = (await ui.jobFiles()).filter(
    ({ uri }) => deployments.jobIdOf(connection.profile.id, uri) === undefined,
  );
  if (files.length === 0) return undefined;
  const { parse } = await loadJobFileService();
  const names = new Set(store.jobs.map((job) => jobName(job).trim()));
  for (const file of files.slice(0, maxFiles)) {
    const { settings, jobId } = parse((await ui.textOf(file.uri)) ?? '');
    const name = settings?.name?.trim();
    if (name && jobId === undefined && !names.has(name)) return file;
  }
  return undefined;
}
