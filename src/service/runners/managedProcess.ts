import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { runMarkName } from './childEnvironment.ts';
import { openOutputLog, type OutputLog } from './outputLog.ts';
import { identify, keyOf, killTree, listProcesses, type ProcessEntry, selectTree } from './processTree.ts';
import { type ProcessIdentity, type RunnerEvents, serviceStops } from './runner.ts';
import { runFiles } from './runOutput.ts';
import { findKeeper, settlesWithin, startTask, type TaskEnd, type TaskProcess } from './taskProcess.ts';

export interface ProcessPlan {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly cwd: string;
  readonly environment: Record<string, string>;
  /** Marks the process and all its descendants. */
  readonly mark: string;
  /** The run's folder, for the output. */
  readonly folder: string;
  /** Name of a single log instead of output.log, stdout.log and stderr.log. */
  readonly log?: string;
  readonly graceInMs?: number;
}

export interface ProcessEnd extends TaskEnd {
  /** Whether the caller's signal ended it. */
  readonly wasStopped: boolean;
  /** Processes of the run that could not be ended. */
  readonly left: readonly ProcessIdentity[];
  /** Whether the output was still held open after all known processes had ended; what is written later is lost. */
  readonly isOutputHeld: boolean;
  readonly outputTail: string;
  readonly errorTail: string;
}

/** How long to wait for the output of a finished task, so that it is read completely. */
const outputWaitInMs = 1000;
/** The same, and the grace period, while the service stops. */
const hurry = { graceInMs: 250, outputWaitInMs: 150 };

/**
 * Runs a command in its own process group and resolves when neither it nor anything it started is left: what it leaves behind after its own
 * end is ended too.
 *
 * Descendants are known from the keeper on Linux (taskProcess.ts), from regular listings (descendantWatch.ts), from the process groups that
 * it began and from the mark in its environment. Unknown are processes that another program starts for it, such as cron, a service manager
 * or a container's daemon, and, without a keeper, processes that clear their environment, begin a session and lose their parent between two
 * listings. Processes of another user can be known but not ended. The result lists what is known to be left, and whether something still
 * holds the output.
 *
 * @throws AppError `unavailable` if the command cannot be started
 */
export async function runProcess(
  plan: ProcessPlan,
  events: Partial<RunnerEvents>,
  options: { signal: AbortSignal; findKeeper?: () => Promise<string | undefined> },
): Promise<ProcessEnd> {
  const { signal } = options;
  signal.throwIfAborted();
  await mkdir(plan.folder, { recursive: true });
  const keeper = await (options.findKeeper ?? findKeeper)();
  const task = await startTask({ ...plan, environment: { ...plan.environment, [runMarkName]: plan.mark } }, keeper);
  // Before anything is awaited: a short process may have ended, and its output must not be lost.
  const logs = collect(task, plan);
  const identity: ProcessIdentity = { pid: task.pid, startTime: (await identify(task.pid))?.startTime ?? '' };
  const watch = watchDescendants(identity);
  // The keeper and its own keeper, which exit by themselves.
  const isSpared = (entry: ProcessEntry): boolean =>
    keeper !== undefined && (entry.pid === task.pid || (entry.isKeeper === true && entry.parentPid === task.pid));
  const end = async (): Promise<readonly ProcessIdentity[]> => {
    const roots = watch.known().filter((each) => each.startTime !== '');
    const isHurried = signal.reason === serviceStops;
    const killing = killTree(roots, {
      mark: plan.mark,
      graceInMs: isHurried ? hurry.graceInMs : plan.graceInMs,
      isSpared,
    });
    // The keeper is faster than listing all processes.
    if (isHurried && !(await settlesWithin(killing, hurry.graceInMs))) await task.release();
    const { left } = await killing;
    await task.release();
    return left;
  };
  const killed = Promise.withResolvers<TaskEnd>();
  let ending: Promise<readonly ProcessIdentity[]> | undefined;
  const onAbort = (): void => {
    ending ??= end();
    // Even a process that the system does not release must come to an end here.
    ending.then(() => killed.resolve({ signalName: 'SIGKILL' }), killed.reject);
  };
  try {
    try {
      events.onSpawned?.(identity);
      events.onStarted?.();
    } catch (error) {
      // A process that cannot be recorded (the disk is full) must not keep running: nothing would know about it.
      await end();
      await logs.close(outputWaitInMs);
      throw error;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const taskEnd = await Promise.race([task.ended, killed.promise]);
    const left = await (ending ?? end());
    const output = await logs.close(signal.reason === serviceStops ? hurry.outputWaitInMs : outputWaitInMs);
    return { ...taskEnd, wasStopped: signal.aborted, left, ...output };
  } finally {
    signal.removeEventListener('abort', onAbort);
    watch.stop();
  }
}

interface Collected {
  /** Waits up to so long for the end of the output, then closes it. */
  close(waitInMs: number): Promise<Pick<ProcessEnd, 'isOutputHeld' | 'outputTail' | 'errorTail'>>;
}

function collect(task: TaskProcess, plan: ProcessPlan): Collected {
  const at = (name: string): OutputLog => openOutputLog(join(plan.folder, name));
  const all = at(plan.log ?? runFiles.output);
  const out = plan.log ? all : at(runFiles.standardOutput);
  const error = plan.log ? all : at(runFiles.standardError);
  const closed = Promise.all([
    pour(task.output, [...new Set([all, out])]),
    pour(task.errors, [...new Set([all, error])]),
  ]);
  return {
    async close(waitInMs) {
      const isOutputHeld = !(await settlesWithin(closed, waitInMs));
      if (isOutputHeld) {
        task.output.destroy();
        task.errors.destroy();
        await closed;
      }
      await Promise.all([...new Set([all, out, error])].map((log) => log.close()));
      return { isOutputHeld, outputTail: out.tail(), errorTail: error.tail() };
    },
  };
}

async function pour(stream: Readable, logs: readonly OutputLog[]): Promise<void> {
  try {
    for await (const chunk of stream) {
      for (const log of logs) log.write(chunk as Buffer);
      // A task that prints faster than the disk writes waits, as it would at a terminal.
      for (const log of logs) await log.drained();
    }
  } catch {
    // The pipe broke with the process; what arrived is kept.
  }
}

/** Remembers the descendants of a process while they can be recognized. */
interface DescendantWatch {
  /** Returns the process and all descendants seen so far. */
  known(): ProcessIdentity[];
  stop(): void;
}

const checkEveryInMs = 1000;
/** Maximum share of time: on a machine with very many processes, they are listed less often. */
const maxShare = 0.1;
const maxPauseInMs = 3000;
/** Bounds the memory for a task that constantly starts processes. */
const maxKnown = 10_000;

interface Watched {
  readonly root: ProcessIdentity;
  readonly known: Map<string, ProcessIdentity>;
}

const watched = new Set<Watched>();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Lists the processes of this machine repeatedly, once for all watches, and only while there are any. A process that loses its parent is
 * known by then, unless that happened between two listings.
 */
function watchDescendants(root: ProcessIdentity): DescendantWatch {
  const own: Watched = { root, known: new Map([[keyOf(root), root]]) };
  watched.add(own);
  checkLater(checkEveryInMs);
  return {
    known: () => [...own.known.values()],
    stop: () => void watched.delete(own),
  };
}

function checkLater(delayInMs: number): void {
  // Windows keeps the parent of a process whose parent ended, and listing is expensive there.
  if (timer !== undefined || process.platform === 'win32') return;
  timer = setTimeout(() => {
    check()
      .catch(() => checkEveryInMs)
      .then(
        (nextInMs) => {
          timer = undefined;
          if (watched.size > 0) checkLater(nextInMs);
        },
        () => undefined,
      );
  }, delayInMs);
  timer.unref();
}

async function check(): Promise<number> {
  if (watched.size === 0) return checkEveryInMs;
  const startAt = performance.now();
  const all = await listProcesses();
  for (const each of watched) note(each, all);
  return Math.min(maxPauseInMs, Math.max(checkEveryInMs, (performance.now() - startAt) / maxShare));
}

function note({ root, known }: Watched, all: readonly ProcessEntry[]): void {
  const living = selectTree(all, [...known.values()]);
  const groups = new Set(living.flatMap((entry) => entry.groups));
  // A process that ended is identified by the rest of its group; without one, its pid may soon belong to another process.
  for (const [key, { pid }] of known) if (pid !== root.pid && !groups.has(pid)) known.delete(key);
  for (const { pid, startTime } of living)
    if (known.size < maxKnown) known.set(keyOf({ pid, startTime }), { pid, startTime });
}
