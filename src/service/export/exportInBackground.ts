import type { ViewsToExport } from '../../api/schema/jobs/schemas.ts';
import { inBackground, TooSlow } from '../background/inBackground.ts';
import type { AnyTask } from '../background/serveTasks.ts';

/** How long an export may take. The largest notebooks take about five seconds. */
const exportLimitInMs = 20_000;

/**
 * Returns the body of runs/export. It is built on a thread, because a notebook can hold anything.
 * @throws AppError if there is nothing to export, or too much
 */
export async function exportInBackground(
  folder: string,
  views: ViewsToExport,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const options = { limitInMs: exportLimitInMs, signal };
  try {
    return await inBackground(exportTask, { folder, views }, options);
  } catch (error) {
    if (!(error instanceof TooSlow)) throw error;
    // Only rendered texts can take longer than their length suggests.
    return await inBackground(exportTask, { folder, views, plainMarkdown: true }, options);
  }
}

export const exportTask = {
  name: 'exportRun',
  crew: 'runs',
  load: async () => (await import('./exportRun.ts')).exportRunJson,
} satisfies AnyTask;
