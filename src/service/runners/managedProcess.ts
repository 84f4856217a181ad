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
  /** Marks the process and all that comes from it. */
  readonly mark: string;
  /** The run's folder, where the output goes. */
  readonly folder: string;
  /** The name of the one log instead of output.log, stdout.log and stderr.log. */
  readonly log?: string;
  readonly graceInMs?: number;
}

export interface ProcessEnd extends TaskEnd {
  /** Whether the caller's signal ended it. */
  readonly wasStopped: boolean;
  /** Processes of the run that could not be ended. */
  readonly left: readonly ProcessIdentity[];
  /** Whether something still held the output when everything that is known of was over; what it writes is lost. */
  readonly isOutputHeld: boolean;
  readonly outputTail: string;
  readonly errorTail: string;
}

/** How long the output of a task that is over is waited for: what it wrote is read by then. */
const outputWaitInMs = 1000;
/** The same, and the time to end by oneself, while the service stops. */
const hurry = { graceInMs: 250, outputWaitInMs: 150 };

/**
 * Runs a command in a process group of its own and resolves when neither it nor anything it started is left: after it
 * ended by itself, what it left behind is ended too.
 *
 * What a task started is known by its keeper on Linux (taskProcess.ts), by looking from time to time (descendantWatch.ts),
 * by the process groups that it began and by the mark in its environment. Not known is what another program starts for
 * it, such as cron, a service manager or a container's daemon; nor, if there is no keeper, what clears its environment,
 * begins a session and loses its parent between two looks. What is another user's can be known and not be ended. The
 * result tells of what is known to be left, and whether something still holds the output.
 *
 * @throws AppError `unavailable` if it cannot be started
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
  // Before anything is awaited: a short process may be over, and its output must not be lost.
  const logs = collect(task, plan);
  const identity: ProcessIdentity = { pid: task.pid, startTime: (await identify(task.pid))?.startTime ?? '' };
  const watch = watchDescendants(identity);
  // The keeper and its own keeper, which end by themselves.
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
    // The keeper is quicker than looks at all processes.
    if (isHurried && !(await settlesWithin(killing, hurry.graceInMs))) await task.release();
    const { left } = await killing;
    await task.release();
    return left;
  };
  const killed = Promise.withResolvers<TaskEnd>();
  let ending: Promise<readonly ProcessIdentity[]> | undefined;
  const onAbort = (): void => {
    ending ??= end();
    // A process that the system does not let go has an end all the same.
    ending.then(() => killed.resolve({ signalName: 'SIGKILL' }), killed.reject);
  };
  try {
    try {
      events.onSpawned?.(identity);
      events.onStarted?.();
    } catch (error) {
      // A process that cannot be recorded (the disk is full) must not go on running: nothing would know of it.
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
  /** Waits so long for the end of the output, then closes it. */
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
      // A task that prints faster than the disk writes waits for it, as it would at a terminal.
      for (const log of logs) await log.drained();
    }
  } catch {
    // The pipe broke with the process; what came is kept.
  }
}

/** Remembers what came from a process while it still shows. */
interface DescendantWatch {
  /** The process and all that were seen to come from it. */
  known(): ProcessIdentity[];
  stop(): void;
}

const checkEveryInMs = 1000;
/** On a machine with very many processes, on which looking takes long, it is done less often. */
const maxShare = 0.1;
const maxPauseInMs = 3000;
/** A task that starts a new process each moment does not fill the memory. */
const maxKnown = 10_000;

interface Watched {
  readonly root: ProcessIdentity;
  readonly known: Map<string, ProcessIdentity>;
}

const watched = new Set<Watched>();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Looks again and again at the processes of this machine, once for all that are watched, and only while some are. What
 * loses its parent is known by then, unless it did so between two looks.
 */
export function watchDescendants(root: ProcessIdentity): DescendantWatch {
  const own: Watched = { root, known: new Map([[keyOf(root), root]]) };
  watched.add(own);
  checkLater(checkEveryInMs);
  return {
    known: () => [...own.known.values()],
    stop: () => void watched.delete(own),
  };
}

function checkLater(delayInMs: number): void {
  // Windows keeps the parent of a process whose parent ended, and its list is dear.
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
  // One that ended is known by what is left of its group; without that its pid may soon be a stranger's.
  for (const [key, { pid }] of known) if (pid !== root.pid && !groups.has(pid)) known.delete(key);
  for (const { pid, startTime } of living)
    if (known.size < maxKnown) known.set(keyOf({ pid, startTime }), { pid, startTime });
}
