import type { AppError } from '../../shared/errors.ts';
import { inBackground, TooSlow } from '../background/inBackground.ts';
import type { BackgroundTask } from '../background/serveTasks.ts';

/**
 * Does a task of the models in a thread: a schema, a pattern or a text from outside may take any time.
 * @param refusal what is said if it takes longer than it may
 */
export async function inModelThread<Input, Output>(
  task: BackgroundTask<Input, Output>,
  input: Input,
  options: { signal?: AbortSignal; refusal: () => AppError },
): Promise<Output> {
  try {
    return await inBackground(task, input, { limitInMs: workLimitInMs, signal: options.signal });
  } catch (error) {
    throw error instanceof TooSlow ? options.refusal() : error;
  }
}

/** How long a built-in model may think about one request, and how long the check of an answer may take: a limit of ours. */
export const workLimitInMs = 5_000;
