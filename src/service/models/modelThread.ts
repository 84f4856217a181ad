import type { AppError } from '../../shared/errors.ts';
import { inBackground, TooSlow } from '../background/inBackground.ts';
import type { BackgroundTask } from '../background/serveTasks.ts';

/**
 * Runs a task of the models on a thread: a schema, a pattern or a text from outside may take any time.
 * @param refusal the error if it takes too long
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

/** How long a built-in model may work on one request, and how long the check of an answer may take. This limit is ours. */
export const workLimitInMs = 5_000;
