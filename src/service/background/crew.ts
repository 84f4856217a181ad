import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorKind } from '../../shared/errors.ts';
import { UpstreamError } from '../base/apiError.ts';
import { buffersOf, type WorkerAnswer, type WorkerBegin, type WorkerFailure, type WorkerTask } from './serveTasks.ts';

const extension = extname(import.meta.filename);
/** The thread's entry: beside the bundle that holds this code, or where its source is. */
const workerFile = join(import.meta.dirname, `${extension === '.ts' ? '../' : ''}worker${extension}`);

/** Starting a thread and loading its code is not the task's fault, however busy the machine is. */
const loadLimitInMs = 60_000;

export interface CrewOptions {
  /** Started when they are needed; more would only wait for each other's processor. */
  readonly maxThreads: number;
  /** Tasks that wait for a thread. The next one is refused. */
  readonly maxWaiting: number;
  /** What a thread may hold; the service itself goes on if a task needs more. */
  readonly maxMemoryInMb: number;
  /** How long a thread is kept for the next task. */
  readonly keptInMs: number;
}

export interface BackgroundOptions {
  /** How long the task may work from its beginning. Time in which other tasks had the processors is not counted. */
  readonly limitInMs: number;
  /** Aborts when nobody waits for the task any more. */
  readonly signal?: AbortSignal;
}

/** The task went on for longer than it may. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

interface Waiting {
  go(): void;
}

/** Threads that do one task at a time each. One that takes too long, or is not waited for any more, is ended in the middle of it. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #idle: { worker: Worker; end: NodeJS.Timeout }[] = [];
  readonly #waiting: Waiting[] = [];
  #busy = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /**
   * @throws TooSlow; AppError `tooLarge` and `rateLimited`; what the task throws; an error with the code MODULE_NOT_FOUND
   * if the thread's files are gone
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

  /** Ends the threads that wait for a task. */
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
        `${this.#options.maxWaiting} other requests wait for the same; nothing was done.`,
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
        `It needs more than ${this.#options.maxMemoryInMb} MB of memory; nothing was made of it.`,
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
    // A caller that waits for an answer gets the error; those of idle or ended threads concern nobody.
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

/** Hands over a task and waits for its answer, its end, the limit or the abort. */
async function answerOf(
  worker: Worker,
  task: WorkerTask,
  limitInMs: number,
  signal: AbortSignal | undefined,
): Promise<WorkerAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
  const onExit = (): void => reject(new Error(`The thread of ${task.name} ended without an answer`));
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

/** The threads of this process that load or do a task now: they share its processors. */
let working = 0;

/** A thread that does not work at all, or hardly, is waited for so many times the limit. */
const patience = 12;

/**
 * Calls back once a thread has worked for the limit. A thread does not tell what it has had of the processors: it is taken for its share of
 * what the whole process had, and for no more than the time that went by.
 * @returns ends the watch
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

/** Of all threads of this process. */
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
