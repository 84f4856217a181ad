import type { AppError } from '../../shared/errors.ts';
import type { TaskInput, TaskName, TaskOutput } from '../background/backgroundTasks.ts';
import { inBackground, TooSlow } from '../background/inBackground.ts';
import { workLimitInMs } from './workLimit.ts';

/**
 * Does a task of the models in a thread: a schema, a pattern or a text from outside may take any time.
 * @param refusal what is said if it takes longer than it may
 */
export async function inModelThread<N extends TaskName>(
  name: N,
  input: TaskInput<N>,
  options: { signal?: AbortSignal; refusal: () => AppError },
): Promise<TaskOutput<N>> {
  try {
    return await inBackground(name, input, { limitInMs: workLimitInMs, signal: options.signal });
  } catch (error) {
    throw error instanceof TooSlow ? options.refusal() : error;
  }
}
