import { backgroundTasks } from './backgroundTasks.ts';

/**
 * Loads what is otherwise loaded on first use, once the service has answered that it is ready: the files of the program
 * may be replaced by another version's while this one goes on.
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
