import { Crew, type BackgroundOptions, type CrewOptions } from './crew.ts';
import type { BackgroundTask, CrewName } from './serveTasks.ts';

export { TooSlow, type BackgroundOptions } from './crew.ts';

const crewOptions: Record<CrewName, CrewOptions> = {
  // An export is rare and may be large: its thread ends with it.
  runs: { maxThreads: 2, maxWaiting: 200, maxMemoryInMb: 1024, keptInMs: 0 },
  // A model is asked again soon, and its documentation is read by then.
  models: { maxThreads: 4, maxWaiting: 200, maxMemoryInMb: 512, keptInMs: 60_000 },
};

const crews: Record<CrewName, Crew> = { runs: new Crew(crewOptions.runs), models: new Crew(crewOptions.models) };

/**
 * Does a task in a thread of its own, so that however long it takes no request waits for it.
 * @throws TooSlow if it takes longer; AppError `tooLarge` if it needs too much memory and `rateLimited` if too many wait; what the task throws
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
    // Another version of the program has taken the place of this one's files; what it needs was loaded at the start.
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return await (await task.load())(input);
    throw error;
  }
}

/** Ends the threads that nobody needs any more. */
export function endBackground(): void {
  for (const crew of Object.values(crews)) crew.endIdle();
}
