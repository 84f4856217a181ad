import { parentPort } from 'node:worker_threads';
import { isAppError } from '../../shared/errors.ts';
import { UpstreamError } from '../base/apiError.ts';

/** A task for the thread. It does one at a time. */
export interface WorkerTask {
  readonly name: string;
  readonly input: unknown;
}

/** The thread's answer. */
export type WorkerAnswer = { value: unknown } | { failure: WorkerFailure };

/** The thread's first message: the task's code is loaded and its work begins. */
export type WorkerBegin = 'begun';

/** An error as plain data, because its class would be lost between threads. `kind` is that of an AppError. */
export interface WorkerFailure {
  readonly kind?: string;
  readonly message: string;
  readonly remedy?: string;
  readonly status?: number;
  readonly errorCode?: string;
  /** Whether it is an UpstreamError. */
  readonly isUpstream?: boolean;
  /** Node's code, such as MODULE_NOT_FOUND. */
  readonly code?: string;
  readonly stack?: string;
}

/** Does the tasks that arrive in this thread. */
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
    if (!task) throw new Error('No worker thread runs this task. Is it in backgroundTasks.ts?');
    const work = await task.load();
    parentPort?.postMessage('begun' satisfies WorkerBegin);
    // The value had the task's type before it was copied to this thread.
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

/**
 * Returns the buffers of a value's bytes, or of the bytes in its fields, so that they can be transferred to another thread instead of
 * copied.
 */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const parts =
    value instanceof Uint8Array ? [value] : typeof value === 'object' && value !== null ? Object.values(value) : [];
  return parts
    .filter((part) => part instanceof Uint8Array)
    .filter(isWhole)
    .map((bytes) => bytes.buffer as ArrayBuffer);
}

/** Small arrays may share a buffer with others. */
function isWhole(bytes: Uint8Array): boolean {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.byteLength > 0;
}

/** Crews do not wait for each other. */
export type CrewName = 'runs' | 'models';

/**
 * Work that a thread does. The feature with the code declares it next to that code, and the thread finds it by its name
 * (`startup/backgroundTasks.ts`). Inputs and outputs are copied between threads, so they are plain data; the bytes of a Uint8Array are
 * transferred. Tasks of one crew share its threads.
 */
export interface BackgroundTask<Input, Output> {
  readonly name: string;
  readonly crew: CrewName;
  /** Loads the code. Only threads that do the task need it. */
  load(): Promise<(input: Input) => Output | Promise<Output>>;
}

/** A task whose input and output are known where it is declared. */
export type AnyTask = BackgroundTask<never, unknown>;
