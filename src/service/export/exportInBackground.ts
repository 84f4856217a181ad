import type { ViewsToExport } from '../../api/schema/jobs/schemas.ts';
import { inBackground, TooSlow } from '../background/inBackground.ts';
import type { AnyTask } from '../background/serveTasks.ts';

/** The largest notebooks take about five seconds. */
const exportLimitInMs = 20_000;

/**
 * The body of runs/export, made in a thread of its own: nobody knows what a notebook holds.
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
    // Only texts that are rendered can take longer than their length lets expect.
    return await inBackground(exportTask, { folder, views, plainMarkdown: true }, options);
  }
}

export const exportTask = {
  name: 'exportRun',
  crew: 'runs',
  load: async () => (await import('./exportRun.ts')).exportRunJson,
} satisfies AnyTask;
