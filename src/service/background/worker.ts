import { parentPort } from 'node:worker_threads';
import { isAppError } from '../../shared/errors.ts';
import { UpstreamError } from '../base/upstreamError.ts';
import { doTask, type TaskInput, type TaskName } from './backgroundTasks.ts';
import { buffersOf } from './buffersOf.ts';

/** What the thread is asked to do: one task at a time. */
export interface WorkerTask {
  name: TaskName;
  input: TaskInput<TaskName>;
}

/** What the thread says when it is done. */
export type WorkerAnswer = { value: unknown } | { failure: WorkerFailure };

/** What the thread says first: the task's code is loaded, and its work begins. */
export type WorkerBegin = 'begun';

/** An error as plain data: its class would be lost between threads. `kind` is that of an AppError. */
export interface WorkerFailure {
  kind?: string;
  message: string;
  remedy?: string;
  status?: number;
  errorCode?: string;
  /** Whether it is an UpstreamError. */
  isUpstream?: boolean;
  /** Of Node, such as MODULE_NOT_FOUND. */
  code?: string;
  stack?: string;
}

parentPort?.on('message', ({ name, input }: WorkerTask) => {
  void answer(name, input);
});

async function answer(name: TaskName, input: TaskInput<TaskName>): Promise<void> {
  try {
    const value: unknown = await doTask(name, input, () => parentPort?.postMessage('begun' satisfies WorkerBegin));
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
