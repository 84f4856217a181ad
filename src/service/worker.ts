import { serveTasks } from './background/serveTasks.ts';
import { backgroundTasks } from './startup/backgroundTasks.ts';

// The entry of a thread.
serveTasks(backgroundTasks);
