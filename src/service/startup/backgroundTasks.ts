import type { AnyTask } from '../background/serveTasks.ts';
import { exportTask } from '../export/exportInBackground.ts';
import { guideTasks } from '../models/guide/guideTasks.ts';
import { upstreamTasks } from '../models/upstream/upstreamTasks.ts';

/** All tasks for threads. */
export const backgroundTasks: readonly AnyTask[] = [
  exportTask,
  ...Object.values(guideTasks),
  ...Object.values(upstreamTasks),
];
