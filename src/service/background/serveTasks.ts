import { parentPort } from 'node:worker_threads';
import { isAppError } from '../../shared/errors.ts';
import { UpstreamError } from '../base/upstreamError.ts';
import type { AnyTask } from './backgroundTask.ts';
import { buffersOf } from './buffersOf.ts';

/** What the thread is asked to do: one task at a time. */
export interface WorkerTask {
  readonly name: string;
  readonly input: unknown;
}

/** What the thread says when it is done. */
export type WorkerAnswer = { value: unknown } | { failure: WorkerFailure };

/** What the thread says first: the task's code is loaded, and its work begins. */
export type WorkerBegin = 'begun';

/** An error as plain data: its class would be lost between threads. `kind` is that of an AppError. */
export interface WorkerFailure {
  readonly kind?: string;
  readonly message: string;
  readonly remedy?: string;
  readonly status?: number;
  readonly errorCode?: string;
  /** Whether it is an UpstreamError. */
  readonly isUpstream?: boolean;
  /** Of Node, such as MODULE_NOT_FOUND. */
  readonly code?: string;
  readonly stack?: string;
}

/** Does in this thread what it is asked. */
export function serveTasks(tasks: readonly AnyTask[]): void {
  parentPort?.on('message', ({ name, input }: WorkerTask) => {
    void answer(
      tasks.find((task) => task.name === name),
      input,
    );
  });
}

async function answer(task: AnyTask | undefined, input: unknown): Promise<void> {
  try {
    if (!task) throw new Error('No thread does this: is it in backgroundTasks.ts?');
    const work = await task.load();
    parentPort?.postMessage('begun' satisfies WorkerBegin);
    // It was of the task's type before it was copied to this thread.
    const value: unknown = await work(input as never);
    parentPort?.postMessage({ value } satisfies WorkerAnswer, buffersOf(value));
  } catch (error) {
    parentPort?.postMessage({ failure: failureOf(error) } satisfies WorkerAnswer);
  }
}

function failureOf(error: unknown): WorkerFailure {
  if (isAppError(error)) {
    const { kind, message, remedy, status, errorCode } = error;
    return { kind, message, remedy, status, errorCode, isUpstream: error instanceof UpstreamError };
  }
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack, code } = error as NodeJS.ErrnoException;
  return { message, stack, code };
}
