import { parentPort, workerData } from 'node:worker_threads';
import { isAppError } from '../../shared/errors.ts';
import { doTask, type TaskInput, type TaskName } from './tasks.ts';

/** What the thread says when it is done. */
export type WorkerAnswer = { value: unknown } | { failure: WorkerFailure };

/** An error as plain data: its class would be lost between threads. `kind` is that of an AppError. */
export interface WorkerFailure {
  kind?: string;
  message: string;
  remedy?: string;
  stack?: string;
}

/** The entry of a thread that does one task and ends. */
async function main(): Promise<void> {
  const { name, input } = workerData as { name: TaskName; input: TaskInput<TaskName> };
  try {
    const value: unknown = await doTask(name, input);
    const handedOver = value instanceof Uint8Array && value.byteLength === value.buffer.byteLength ? [value.buffer as ArrayBuffer] : [];
    parentPort?.postMessage({ value } satisfies WorkerAnswer, handedOver);
  } catch (error) {
    parentPort?.postMessage({ failure: failureOf(error) } satisfies WorkerAnswer);
  }
}

function failureOf(error: unknown): WorkerFailure {
  if (isAppError(error)) return { kind: error.kind, message: error.message, remedy: error.remedy };
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) };
}

void main();
