import type { AnyTask } from '../background/serveTasks.ts';
import { exportTask } from '../export/exportInBackground.ts';
import { guideTasks, upstreamTasks } from '../models/modelTasks.ts';

/** All tasks for threads. */
export const backgroundTasks: readonly AnyTask[] = [
  exportTask,
  ...Object.values(guideTasks),
  ...Object.values(upstreamTasks),
];

/**
 * Loads what otherwise loads on first use, once the service is ready: another version may replace the program's files while this one runs.
 *
 * @throws if a file of the program is missing
 */
export async function preload(): Promise<void> {
  for (const task of backgroundTasks) await task.load();
  await import('../export/markdownCell.ts');
  await import('../models/modelRouter.ts');
  await import('../runners/pipelineRunner.ts');
  await import('../notify/mail.ts');
}
