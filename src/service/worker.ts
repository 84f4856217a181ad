import { serveTasks } from './background/serveTasks.ts';
import { backgroundTasks } from './startup/backgroundTasks.ts';

// Entry of a thread.
serveTasks(backgroundTasks);
