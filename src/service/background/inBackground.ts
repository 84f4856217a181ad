import { Crew, type BackgroundOptions, type CrewOptions } from './crew.ts';
import type { BackgroundTask, CrewName } from './serveTasks.ts';

export { TooSlow, type BackgroundOptions } from './crew.ts';

const crewOptions: Record<CrewName, CrewOptions> = {
  // Exports are rare and may be large: the thread ends after one.
  runs: { maxThreads: 2, maxWaiting: 200, maxMemoryInMb: 1024, keptInMs: 0 },
  // A model is likely to be used again soon, and keeping the thread saves reading its documentation again.
  models: { maxThreads: 4, maxWaiting: 200, maxMemoryInMb: 512, keptInMs: 60_000 },
};

const crews: Record<CrewName, Crew> = { runs: new Crew(crewOptions.runs), models: new Crew(crewOptions.models) };

/**
 * Runs a task on a thread, so that no request waits for it, however long it takes.
 * @throws TooSlow if it exceeds its limit; AppError `tooLarge` if it needs too much memory, `rateLimited` if too many tasks wait; what the
 * task throws
 */
export async function inBackground<Input, Output>(
  task: BackgroundTask<Input, Output>,
  input: Input,
  options: BackgroundOptions,
): Promise<Output> {
  try {
    return (await crews[task.crew].run({ name: task.name, input }, options)) as Output;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another version of the program has replaced this one's files; everything it needs was loaded at the start.
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return await (await task.load())(input);
    throw error;
  }
}

/** Ends the idle threads. */
export function endBackground(): void {
  for (const crew of Object.values(crews)) crew.endIdle();
}
