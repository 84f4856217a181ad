import type { AnyTask } from '../background/backgroundTask.ts';

export const exportTask = {
  name: 'exportRun',
  crew: 'runs',
  load: async () => (await import('./exportRun.ts')).exportRunJson,
} satisfies AnyTask;
