import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorKind } from '../../shared/errors.ts';
import { UpstreamError } from '../base/apiError.ts';
import { buffersOf, type WorkerAnswer, type WorkerBegin, type WorkerFailure, type WorkerTask } from './serveTasks.ts';

const extension = extname(import.meta.filename);
/** The thread's entry: beside the bundle that holds this code, or in the sources. */
const workerFile = join(import.meta.dirname, `${extension === '.ts' ? '../' : ''}worker${extension}`);

/** How long starting a thread and loading its code may take. This is not the task's fault, however busy the machine is. */
const loadLimitInMs = 60_000;

export interface CrewOptions {
  /** Maximum number of threads, started on demand. More would only compete for the processors. */
  readonly maxThreads: number;
  /** Maximum number of tasks that wait for a thread. The next one is refused. */
  readonly maxWaiting: number;
  /** Maximum memory of a thread. The service itself survives a task that needs more. */
  readonly maxMemoryInMb: number;
  /** How long an idle thread is kept for the next task. */
  readonly keptInMs: number;
}

export interface BackgroundOptions {
  /** How long the task may compute. Time in which other tasks had the processors does not count. */
  readonly limitInMs: number;
  /** Aborts when nobody waits for the task any longer. */
  readonly signal?: AbortSignal;
}

/** Thrown when a task exceeds its time limit. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

interface Waiting {
  go(): void;
}

/** Threads that do one task at a time each. A task that takes too long or that nobody waits for is terminated. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #idle: { worker: Worker; end: NodeJS.Timeout }[] = [];
  readonly #waiting: Waiting[] = [];
  #busy = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /**
   * Runs a task on a thread.
   * @throws TooSlow; AppError `tooLarge` and `rateLimited`; what the task throws; an error with the code MODULE_NOT_FOUND if the thread's
   * files are gone
   */
  async run(task: WorkerTask, options: BackgroundOptions): Promise<unknown> {
    await this.#turn(options.signal);
    try {
      options.signal?.throwIfAborted();
      return await this.#inThread(task, options);
    } finally {
      this.#busy -= 1;
      this.#waiting.shift()?.go();
    }
  }

  /** Ends the idle threads. */
  endIdle(): void {
    for (const { worker, end } of this.#idle.splice(0)) {
      clearTimeout(end);
      void worker.terminate();
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#busy < this.#options.maxThreads) {
      this.#busy += 1;
      return;
    }
    if (this.#waiting.length >= this.#options.maxWaiting) {
      throw new AppError(
        'rateLimited',
        `${this.#options.maxWaiting} other requests are already waiting; nothing was done.`,
        { status: 429, errorCode: 'REQUEST_LIMIT_EXCEEDED', remedy: 'Send it again in a moment.' },
      );
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(place), 1);
        reject(signal?.reason as Error);
      };
      const place: Waiting = {
        go: () => {
          signal?.removeEventListener('abort', leave);
          this.#busy += 1;
          resolve();
        },
      };
      this.#waiting.push(place);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  async #inThread(task: WorkerTask, { limitInMs, signal }: BackgroundOptions): Promise<unknown> {
    const worker = this.#take();
    let isFree = false;
    try {
      const answer = await answerOf(worker, task, limitInMs, signal);
      isFree = true;
      if ('failure' in answer) throw errorOf(answer.failure);
      return answer.value;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw new AppError(
        'tooLarge',
        `It needs more than ${this.#options.maxMemoryInMb} MB of memory, so it was stopped.`,
        { cause: error },
      );
    } finally {
      if (isFree && this.#options.keptInMs > 0) this.#keep(worker);
      else await worker.terminate();
    }
  }

  #take(): Worker {
    const idle = this.#idle.pop();
    if (idle) {
      clearTimeout(idle.end);
      idle.worker.ref();
      return idle.worker;
    }
    const worker = new Worker(workerFile, { resourceLimits: { maxOldGenerationSizeMb: this.#options.maxMemoryInMb } });
    // A waiting caller gets the error; errors of idle or ended threads do not matter.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#forget(worker));
    return worker;
  }

  #keep(worker: Worker): void {
    worker.unref();
    const end = setTimeout(() => {
      this.#forget(worker);
      void worker.terminate();
    }, this.#options.keptInMs);
    end.unref();
    this.#idle.push({ worker, end });
  }

  #forget(worker: Worker): void {
    const at = this.#idle.findIndex((idle) => idle.worker === worker);
    for (const { end } of at < 0 ? [] : this.#idle.splice(at, 1)) clearTimeout(end);
  }
}

/** Sends a task to a thread and waits for its answer, its exit, the limit or the abort. */
async function answerOf(
  worker: Worker,
  task: WorkerTask,
  limitInMs: number,
  signal: AbortSignal | undefined,
): Promise<WorkerAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
  const onExit = (): void => reject(new Error(`The worker thread of ${task.name} ended without a result`));
  const onAbort = (): void => reject(signal?.reason as Error);
  const tooSlow = (inMs: number): void => reject(new TooSlow(`${task.name} took longer than ${inMs} ms`));
  const loading = setTimeout(() => tooSlow(loadLimitInMs), loadLimitInMs);
  let endWatch: (() => void) | undefined;
  const onMessage = (message: WorkerAnswer | WorkerBegin): void => {
    if (message !== 'begun') return resolve(message);
    clearTimeout(loading);
    endWatch = watchWork(limitInMs, () => tooSlow(limitInMs));
  };
  worker.on('message', onMessage).on('error', reject).on('exit', onExit);
  signal?.addEventListener('abort', onAbort);
  working += 1;
  try {
    worker.postMessage(task, buffersOf(task.input));
    return await promise;
  } finally {
    working -= 1;
    clearTimeout(loading);
    endWatch?.();
    worker.off('message', onMessage).off('error', reject).off('exit', onExit);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Number of threads in this process that are loading or running a task: they share its processors. */
let working = 0;

/** A thread that gets little or no processor time is given this many times the limit. */
const patience = 12;

/**
 * Calls back once a thread has computed for the limit. A thread cannot report its processor time, so it is charged its share of the
 * process's time, at most the elapsed time.
 * @returns a function that ends the watch
 */
function watchWork(limitInMs: number, onLimit: () => void): () => void {
  const startAt = performance.now();
  let last = { at: startAt, processorInMs: processorTimeInMs() };
  let workedInMs = 0;
  const timer = setInterval(
    () => {
      const now = { at: performance.now(), processorInMs: processorTimeInMs() };
      workedInMs += Math.min(now.at - last.at, (now.processorInMs - last.processorInMs) / working);
      last = now;
      if (workedInMs >= limitInMs || now.at - startAt >= patience * limitInMs) onLimit();
    },
    Math.min(100, limitInMs / 4),
  );
  return () => clearInterval(timer);
}

/** Returns the processor time of all threads of this process. */
function processorTimeInMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function errorOf({ kind, message, stack, code, isUpstream, ...options }: WorkerFailure): Error {
  if (kind === undefined) return Object.assign(new Error(message), { stack, code });
  return isUpstream === true
    ? new UpstreamError(kind as ErrorKind, message, options)
    : new AppError(kind as ErrorKind, message, options);
}
