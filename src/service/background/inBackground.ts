import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorKind } from '../../shared/errors.ts';
import { doTask, type TaskInput, type TaskName, type TaskOutput } from './tasks.ts';
import type { WorkerAnswer, WorkerFailure } from './worker.ts';

/** Beside the bundle that holds this code, or beside its source. */
const workerFile = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);

/** More would only wait for each other's processor; the rest waits for its turn. */
const mostThreads = 2;
/** What a task may hold in memory; the service itself goes on where a task needs more. */
const mostMemoryInMb = 1024;

let busyThreads = 0;
const waiting: (() => void)[] = [];

export interface BackgroundOptions {
  /** How long the task may take from its beginning. */
  limitInMs: number;
  /** Aborts when nobody waits for the task any more. */
  signal?: AbortSignal;
}

/** The task went on for longer than it may. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/**
 * Does a task in a thread of its own, so that however long it takes no request waits for it.
 * @throws TooSlow where it takes longer; AppError `tooLarge` where it needs more memory than it may; what the task throws
 */
export async function inBackground<N extends TaskName>(name: N, input: TaskInput<N>, options: BackgroundOptions): Promise<TaskOutput<N>> {
  if (busyThreads >= mostThreads) await new Promise<void>((resolve) => waiting.push(resolve));
  else busyThreads += 1;
  try {
    options.signal?.throwIfAborted();
    return await inThread(name, input, options);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else busyThreads -= 1;
  }
}

async function inThread<N extends TaskName>(name: N, input: TaskInput<N>, { limitInMs, signal }: BackgroundOptions): Promise<TaskOutput<N>> {
  const worker = new Worker(workerFile, { workerData: { name, input }, resourceLimits: { maxOldGenerationSizeMb: mostMemoryInMb } });
  const ending = new AbortController();
  try {
    const answer = await new Promise<WorkerAnswer>((resolve, reject) => {
      const timer = setTimeout(() => reject(new TooSlow(`${name} took longer than ${limitInMs} ms`)), limitInMs);
      ending.signal.addEventListener('abort', () => clearTimeout(timer));
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { signal: ending.signal });
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error(`The thread of ${name} ended without an answer`)));
    });
    if ('failure' in answer) throw errorOf(answer.failure);
    return answer.value as TaskOutput<N>;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Another version of the program has taken the place of this one's files; what it needs was loaded at the start.
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return await doTask(name, input);
    if (code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw new AppError('tooLarge', `It needs more than ${mostMemoryInMb} MB of memory; nothing was made of it.`, { cause: error });
  } finally {
    ending.abort();
    await worker.terminate();
  }
}

function errorOf({ kind, message, remedy, stack }: WorkerFailure): Error {
  if (kind !== undefined) return new AppError(kind as ErrorKind, message, { remedy });
  return Object.assign(new Error(message), { stack });
}
